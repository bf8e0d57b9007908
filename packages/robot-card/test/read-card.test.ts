import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { readCard } from '../src/read-card.ts'
import { goodCard, goodInterface } from './support/card.ts'

const faultsOf = (document: unknown) =>
  readCard(document)
    .checks.filter(({ status }) => status === 'fail')
    .map(({ loc, message }) => [loc?.join('.'), message])

const inInterface = (change: Record<string, unknown>) => goodCard({ interface: goodInterface(change) })
const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

describe('a card holds to its schema', () => {
  it('with the one member that every card has, and with all of them', () => {
    const full = goodCard({
      mass_kg: 0.5,
      limits: { elbow: { lower: -1, upper: 1, velocity: null } },
      description_md: 'é'.repeat(128 * 1024),
      validation: {
        engine: 'mujoco',
        checked_at: '2026-01-01T00:00:00+01:00',
        checks: [{ code: 'a.b', status: 'warn', message: '', names: [], loc: ['x', 0], data: { any: [1] } }],
      },
      thumbnail_paths: { light: 'a.png', dark: 'b.png' },
    })
    for (const card of [{ dof: 0 }, { dof: 0, actuators: null }, goodCard(), full])
      expect(readCard(card).card).toEqual(card)
  })

  it.each([
    ['no object', [], '', /expected object/],
    ['null', null, '', /expected object/],
    ['a missing member', { actuators: [] }, 'dof', /is required/],
    [
      'a member that is null and may not be',
      inInterface({ joint_order: null }),
      'interface.joint_order',
      /expected array/,
    ],
    ['half a degree of freedom', goodCard({ dof: 1.5 }), 'dof', /int/],
    ['an unknown member', goodCard({ colour: 'red' }), 'colour', /is not a member/],
    [
      'an unknown member inside',
      inInterface({ action: { semantics: 'position', scale: 1, sclae: 2 } }),
      'interface.action.sclae',
      /is not a member/,
    ],
    ['a missing list', inInterface({ actuation: undefined }), 'interface.actuation', /is required/],
    ['a number as text', inInterface({ control_rate_hz: '50' }), 'interface.control_rate_hz', /expected number/],
    ['a rate of zero', inInterface({ control_rate_hz: 0 }), 'interface.control_rate_hz', />0/],
    ['a path that leaves the repo', goodCard({ mjcf_path: '../arm.xml' }), 'mjcf_path', /has the segment \.\./],
    [
      'a description over 256 KiB of UTF-8',
      goodCard({ description_md: 'é'.repeat(128 * 1024 + 1) }),
      'description_md',
      /256 KiB/,
    ],
    [
      'a camera slot that no model has',
      inInterface({ cameras: [{ name: 'c', vla_slot: 'camera4' }] }),
      'interface.cameras.0.vla_slot',
      /one of/,
    ],
    ['a word of 65 characters', inInterface({ base: 'b'.repeat(65) }), 'interface.base', /<=64/],
    [
      'a date that is none',
      goodCard({ validation: { engine: 'e', checked_at: '2026-02-30T00:00:00Z', checks: [] } }),
      'validation.checked_at',
      /RFC 3339/,
    ],
    [
      'a range of three',
      inInterface({ command_space: { kind: 'none', ranges: { x: [0, 1, 2] } } }),
      'interface.command_space.ranges.x',
      /<=2/,
    ],
  ])('and not with %s', (_what, document, loc, message) => {
    expect(faultsOf(document)).toEqual([[loc, expect.stringMatching(message)]])
    expect(readCard(document).card).toBeNull()
  })

  it.each([
    ['a member of its own', (bad: unknown) => goodCard({ mass_kg: bad }), 'mass_kg'],
    ['a map', (bad: unknown) => inInterface({ default_pose: { elbow: bad } }), 'interface.default_pose.elbow'],
    [
      'a vendor field',
      (bad: unknown) => goodCard({ actuators: [{ name: 'm', curve: [1, { at: bad }] }] }),
      'actuators.0.curve.1.at',
    ],
    [
      'the data of a claim',
      (bad: unknown) =>
        goodCard({
          validation: {
            engine: 'e',
            checked_at: '2026-01-01T00:00:00Z',
            checks: [{ code: 'c', status: 'pass', message: '', names: [], data: { x: bad } }],
          },
        }),
      'validation.checks.0.data.x',
    ],
  ])('and not with an infinite number in %s', (_what, card, loc) => {
    const infinite = JSON.parse('1e999')
    expect(faultsOf(card(infinite))).toEqual([[loc, `${loc}: must be a finite number`]])
    expect(faultsOf(card(-infinite))).toHaveLength(1)
  })

  it.each([
    ['a NUL', { name: 'm', x: 'a\0b' }, /NUL/],
    ['half a surrogate pair', { name: 'm', x: '\ud800' }, /Unicode/],
    ['a NUL in the name of a member', { name: 'm', 'a\0': 1 }, /name contains a NUL/],
    ['a member named __proto__', JSON.parse('{"name":"m","__proto__":{"x":1}}'), /__proto__/],
    ['more than 100 levels', { name: 'm', x: nested(200) }, /deeper than 100/],
    [
      'a million levels',
      { name: 'm', x: Array.from({ length: 1e6 }).reduce((inner: unknown) => [inner], 1) },
      /deeper than 100/,
    ],
  ])('and not with %s in a vendor field', (_what, actuator, message) => {
    expect(faultsOf(goodCard({ actuators: [actuator] }))).toEqual([
      [expect.stringMatching(/^actuators/), expect.stringMatching(message)],
    ])
  })

  it('and not with more than 50,000 values, which it refuses quickly', async () => {
    const many = goodCard({ actuators: Array.from({ length: 250_000 }, () => 1) })
    const refused = () => expect(faultsOf(many)).toEqual([['', 'The card: contains more than 50000 values']])
    expect(await cpuWithin(1_000, refused)).toBeLessThan(1_000)
  })

  it('and tells at most 50 faults', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`member_${at}`, 1]))
    expect(faultsOf(goodCard(many))).toHaveLength(50)
  })

  it('and one fault keeps nothing else from being read', () => {
    const { readable } = readCard({
      ...goodCard(),
      dof: 'two',
      interface: { ...goodInterface(), control_rate_hz: null },
    })
    expect(readable).not.toHaveProperty('dof')
    expect(readable.mjcf_path).toBe('arm.xml')
    expect(readable.interface?.joint_order).toEqual(['shoulder', 'elbow'])
    expect(readable.interface).not.toHaveProperty('control_rate_hz')
    expect(readCard({ ...goodCard(), interface: 'none' }).readable).not.toHaveProperty('interface')
  })
})
