import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../src/fingerprint.ts'
import { applyJointMap, back, identityMap, invert, type JointMap, through } from '../src/joint-map.ts'
import { readJointMap } from '../src/read-joint-map.ts'

const map: JointMap = {
  version: 1,
  joints: [
    { from: 'b', to: 'elbow', sign: -1, scale: Math.PI / 180, offset: 0.5 },
    { from: 'a', to: 'shoulder', sign: 1, scale: 1, offset: 0 },
  ],
  held: [{ joint: 'wrist', value: 0.25 }],
  dropped: ['c'],
}
const [theirs, ours] = [
  ['a', 'b', 'c'],
  ['shoulder', 'elbow', 'wrist'],
] as const

describe('a map of joints', () => {
  it('gives each target its sign, scale and offset, in the order of the target', () => {
    const turn = applyJointMap(map, theirs, ours)
    expect([...turn([1, 90, 7])]).toEqual([1, -Math.PI / 2 + 0.5, 0.25])
  })

  it('has no offset for changes, and a held joint does not change', () => {
    expect([...applyJointMap(map, theirs, ours, 'changes')([1, 180, 7])]).toEqual([1, -Math.PI, 0])
  })

  it('is used only where it has a place for every joint', () => {
    expect(() => applyJointMap(map, [...theirs, 'd'], ours)).toThrow('The map neither uses nor drops d.')
    expect(() => applyJointMap(map, theirs, [...ours, 'hand'])).toThrow('The map gives no value to hand.')
    expect(() => applyJointMap(map, ['a', 'c'], ours)).toThrow('reads b')
    expect(() => applyJointMap(map, theirs, ours)([1, 2])).toThrow('There are 2 numbers for 3 joints.')
  })

  it('turned around gives the numbers back', () => {
    const turned = invert(map, { c: 7 })
    const there = applyJointMap(map, theirs, ours)([0.3, -40, 7])
    const again = applyJointMap(turned, ours, theirs)(there)
    for (const [at, value] of [0.3, -40, 7].entries()) expect(again[at]).toBeCloseTo(value, 12)
    expect(turned.dropped).toEqual(['wrist'])
    expect(() => invert(map)).toThrow('The map drops c')
  })

  it('does to one number what it does to all of them, and back', () => {
    const [elbow] = map.joints
    if (!elbow) throw new Error('There is no joint.')
    expect(through(elbow, -40)).toBe(applyJointMap(map, theirs, ours)([0, -40, 0])[1])
    expect(back(elbow, through(elbow, -40))).toBeCloseTo(-40, 12)
  })

  it('of equal names is its own inverse, with the same fingerprint', () => {
    const same = identityMap(ours)
    expect(fingerprintOf(invert(same))).toBe(fingerprintOf(same))
  })

  it('has the fingerprint that an interface of the same members would have', () => {
    expect(fingerprintOf(map)).toBe(canonicalSha256(map))
    expect(fingerprintOf({ ...map, dropped: [] })).not.toBe(fingerprintOf(map))
  })
})

describe('a map as JSON', () => {
  it('is read as it was written', () => {
    expect(readJointMap(JSON.parse(JSON.stringify(map)))).toEqual({ map })
  })

  it('is refused with the place of every fault', () => {
    const [first, second] = map.joints
    const places = (value: unknown) => {
      const read = readJointMap(value)
      return 'faults' in read ? read.faults.map(({ place }) => place) : []
    }
    expect(places({ ...map, joints: [{ ...first, sign: 2, scale: 0 }, second] })).toEqual([
      'joints.0.sign',
      'joints.0.scale',
    ])
    expect(places({ ...map, joints: [first, { ...second, to: 'elbow' }] })).toEqual(['joints.1.to'])
    expect(places({ ...map, held: [{ joint: 'elbow', value: 0 }] })).toEqual(['held.0.joint'])
    expect(places({ ...map, dropped: ['a'] })).toEqual(['dropped.0'])
    expect(places({ ...map, held: [{ joint: 'x', value: Number.POSITIVE_INFINITY }] })).toEqual(['held.0.value'])
    expect(places({ ...map, version: 2 })).toEqual(['version'])
    expect(places([])).toEqual([''])
  })
})
