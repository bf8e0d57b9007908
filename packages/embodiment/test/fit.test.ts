import { describe, expect, it } from 'vitest'
import type { Embodiment } from '../src/embodiment.ts'
import { fit } from '../src/fit/fit.ts'
import { fromLeRobot } from '../src/from-lerobot.ts'
import { identityMap, type JointMap } from '../src/joint-map.ts'
import { plainName, proposeMap } from '../src/propose-map.ts'
import { arm, joint } from './support/bodies.ts'

const names = ['shoulder', 'elbow', 'wrist']
const same = identityMap(names)

/** Places of what blocks. */
const blocked = (source: Embodiment, robot: Embodiment, map?: JointMap) =>
  fit(source, robot, map)
    .differences.filter(({ blocks }) => blocks)
    .map(({ kind, place }) => `${kind} ${place}`)

const changed = (change: Partial<JointMap['joints'][number]>): JointMap => ({
  ...same,
  joints: same.joints.map((one) => (one.to === 'elbow' ? { ...one, ...change } : one)),
})

describe('two bodies', () => {
  it('that say the same fit as they are', () => {
    expect(fit(arm(), arm())).toEqual({ verdict: 'as_is', map: same, differences: [] })
  })

  it('with another order fit by the names', () => {
    const turned = arm({ joints: arm().joints.toReversed() })
    const found = fit(arm(), turned)
    expect([found.verdict, found.map]).toEqual(['mapped', same])
    expect(found.differences).toMatchObject([{ kind: 'order', blocks: false, robot: 'wrist, elbow, shoulder' }])
  })

  it('do not fit while a joint has no place, and fit once a map drops or holds it', () => {
    const [first, second] = arm().joints
    const short = arm({ joints: [first, second].filter((one) => one !== undefined) })
    expect(blocked(arm(), short)).toEqual(['joints joints.wrist'])
    expect(blocked(short, arm())).toEqual(['joints joints.wrist'])
    const two = identityMap(['shoulder', 'elbow'])
    expect(fit(arm(), short, { ...two, dropped: ['wrist'] }).verdict).toBe('mapped')
    expect(fit(short, arm(), { ...two, held: [{ joint: 'wrist', value: 0 }] }).verdict).toBe('mapped')
    expect(blocked(short, arm(), { ...two, held: [{ joint: 'wrist', value: 4 }] })).toEqual(['limits joints.wrist'])
    expect(blocked(short, arm(), two)).toEqual(['joints joints.wrist'])
    expect(blocked(arm(), arm(), { ...same, dropped: ['hand'] })).toEqual(['joints joints.hand'])
  })

  it('never fit by names that are only alike', () => {
    const other = arm({ joints: arm().joints.map((one) => ({ ...one, name: `${one.name}_joint` })) })
    expect(fit(other, arm()).verdict).toBe('none')
    const { map, guesses } = proposeMap(other, arm())
    expect(fit(other, arm(), map).verdict).toBe('mapped')
    expect(guesses).toContain('elbow_joint is taken for elbow, by its name.')
  })

  it('do not fit where the source goes beyond the limits, unless a map brings it inside', () => {
    const mirrored = arm({ joints: [joint('shoulder'), joint('elbow', { lower: -2, upper: 0 }), joint('wrist')] })
    const found = fit(mirrored, arm())
    expect(found.verdict).toBe('none')
    expect(found.differences[0]?.reason).toBe(
      'The range of elbow has no value in common with the limits of elbow. ' +
        'The ranges are equal with the sign turned: a map may say so.',
    )
    expect(fit(mirrored, arm(), changed({ sign: -1 })).verdict).toBe('mapped')
    expect(blocked(arm(), arm(), changed({ offset: 1 }))).toEqual(['limits joints.elbow'])
    expect(blocked(arm(), arm(), changed({ scale: 2 }))).toEqual(['limits joints.elbow'])
  })

  it('fit where the limits differ by less than they are written with', () => {
    const joints = arm().joints.map((one) => ({ ...one, upper: (one.upper ?? 0) + 0.0004 }))
    expect(fit(arm({ joints }), arm()).verdict).toBe('as_is')
  })

  it('do not fit where an angle would be a length', () => {
    const slides = arm({ joints: arm().joints.map((one) => ({ ...one, kind: 'slide', unit: 'm' })) })
    expect(blocked(slides, arm())).toEqual(names.map((name) => `unit joints.${name}`))
  })

  it('differ in speed without being refused, except where speeds are the commands', () => {
    const quick = (semantics: string) => ({
      joints: arm().joints.map((one) => ({ ...one, velocity: 4 })),
      action: { semantics, scale: 1, scalePerJoint: null, clip: null },
    })
    const slow = (semantics: string) =>
      arm({ ...quick(semantics), joints: arm().joints.map((one) => ({ ...one, velocity: 2 })) })
    expect(fit(arm(quick('position')), slow('position'))).toMatchObject({
      verdict: 'as_is',
      differences: { length: 3 },
    })
    expect(fit(arm(quick('velocity')), slow('velocity')).verdict).toBe('none')
  })

  it.each<readonly [string, Partial<Embodiment>, Partial<Embodiment>, string[]]>([
    ['a robot that is slower', { rateHz: 50 }, { rateHz: 20 }, ['rate control_rate_hz']],
    ['a robot that is faster', { rateHz: 20 }, { rateHz: 50 }, []],
    ['a rate that is not said', { rateHz: null }, { rateHz: 5 }, []],
    ['another base', { base: 'floating' }, {}, ['base base']],
    ['a base that is not said', { base: null }, {}, []],
    [
      'other actions',
      {},
      { action: { semantics: 'velocity', scale: 1, scalePerJoint: null, clip: null } },
      ['action action.semantics'],
    ],
  ])('with %s', (_, source, robot, places) => {
    expect(blocked(arm(source), arm(robot))).toEqual(places)
  })

  it('with another scale of actions need the scale of the source', () => {
    const half = { action: { semantics: 'position', scale: 1, scalePerJoint: { elbow: 0.5 }, clip: null } }
    expect(fit(arm(half), arm())).toMatchObject({
      verdict: 'mapped',
      differences: [{ kind: 'action', place: 'action.scale.elbow', source: '0.5', robot: '1', blocks: false }],
    })
  })

  it('with another default pose do not fit where actions are offsets from it', () => {
    const offsets = { semantics: 'position_offset', scale: 1, scalePerJoint: null, clip: null }
    const posed = (elbow: number, action: Embodiment['action']) => arm({ pose: { elbow }, action })
    expect(blocked(posed(0.5, offsets), posed(1, offsets))).toEqual(['pose joints.elbow.pose'])
    expect(fit(posed(0.5, arm().action), posed(1, arm().action)).verdict).toBe('as_is')
    const wide = { ...posed(1.5, offsets), joints: arm().joints.map((one) => ({ ...one, lower: -9, upper: 9 })) }
    expect(fit(posed(0.5, offsets), wide, changed({ offset: 1 })).verdict).toBe('mapped')
  })
})

it('a joint may have the name of a member that every object has', () => {
  const named = (name: string) =>
    arm({ joints: arm().joints.map((one, at) => (at ? one : { ...one, name })), pose: {} })
  for (const name of ['toString', 'constructor', '__proto__'])
    expect(fit(named(name), named(name)).verdict, name).toBe('as_is')
})

describe('cameras', () => {
  const camera = (name: string, slot: string | null = null, size = 640) => ({ name, width: size, height: 480, slot })

  it('are found by their slot, else by their name', () => {
    const wants = arm({ cameras: [camera('top', 'camera1'), camera('wrist')] })
    expect(fit(wants, arm({ cameras: [camera('front', 'camera1'), camera('wrist')] })).verdict).toBe('as_is')
    const twice = [
      camera('front', 'camera1', 320),
      camera('top', 'camera1'),
      camera('wrist'),
      camera('wrist', null, 320),
    ]
    expect(fit(wants, arm({ cameras: twice })).differences).toMatchObject([
      { place: 'cameras.top', robot: '320 x 480' },
    ])
    expect(blocked(wants, arm({ cameras: [camera('front', 'camera2')] }))).toEqual([
      'cameras cameras.top',
      'cameras cameras.wrist',
    ])
  })

  it('that are smaller, or that a data set recorded, do not stop a motion', () => {
    expect(fit(arm({ cameras: [camera('top')] }), arm({ cameras: [camera('top', null, 320)] }))).toMatchObject({
      verdict: 'as_is',
      differences: [{ kind: 'cameras', source: '640 x 480', robot: '320 x 480' }],
    })
    expect(fit(arm({ cameras: [{ ...camera('top'), needed: false }] }), arm()).verdict).toBe('as_is')
  })
})

describe('a data set, which declares no unit', () => {
  const recorded = fromLeRobot({
    fps: 30,
    features: { action: { shape: [3], names: names.map((one) => `${one}.pos`) } },
  })
  if (!recorded) throw new Error('the data set names its joints')

  it('fits no robot until a map says it', () => {
    const alike = {
      ...recorded,
      joints: recorded.joints.map((one) => ({ ...one, name: one.name.replace('.pos', '') })),
    }
    expect(blocked(alike, arm())).toEqual(['unit joints'])
    expect(fit(alike, arm(), same)).toMatchObject({ verdict: 'as_is' })
    expect(fit(alike, arm(), changed({ scale: Math.PI / 180 }))).toMatchObject({
      verdict: 'mapped',
      differences: [{ kind: 'rate' }, { kind: 'scale', robot: '0.017453' }].toSorted((a, b) =>
        b.kind.localeCompare(a.kind),
      ),
    })
  })

  it('has a proposal that says what it guesses', () => {
    const { map, guesses } = proposeMap(
      recorded,
      arm({ joints: [...arm().joints, joint('hand', { lower: 1, upper: 2 })] }),
    )
    expect(map.joints.map(({ from, to }) => `${from} ${to}`)).toContain('elbow.pos elbow')
    expect(map.held).toEqual([{ joint: 'hand', value: 1.5 }])
    expect(guesses.filter((one) => one.includes('degrees'))).toHaveLength(3)
  })
})

describe('a proposal', () => {
  it('turns signs, degrees and zeros where the ranges say so', () => {
    const degrees = arm({
      joints: [
        joint('shoulder', { lower: -1.5, upper: 1 }),
        joint('elbow', { lower: 0, upper: (2 * 180) / Math.PI }),
        joint('wrist', { lower: -2, upper: 4 }),
      ],
    })
    const { map } = proposeMap(degrees, arm())
    expect(map.joints).toMatchObject([
      { from: 'shoulder', sign: -1, scale: 1, offset: 0 },
      { from: 'elbow', sign: 1, scale: Math.PI / 180, offset: 0 },
      { from: 'wrist', sign: 1, scale: 1, offset: -1 },
    ])
  })

  it('takes no two joints for one', () => {
    const two = arm({ joints: [joint('Elbow'), joint('elbow_joint')] })
    const { map } = proposeMap(two, arm({ joints: [joint('elbow')] }))
    expect([map.joints, map.dropped]).toEqual([[], ['Elbow', 'elbow_joint']])
  })

  it.each([
    ['elbow_flex.pos', 'elbowflex'],
    ['main_shoulder_pan', 'shoulderpan'],
    ['ElbowFlex', 'elbowflex'],
    ['joint1', 'joint1'],
    ['joint_1', '1'],
    ['joint', 'joint'],
  ])('reads %s as %s', (name, plain) => expect(plainName(name)).toBe(plain))
})
