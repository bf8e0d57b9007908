import { describe, expect, it } from 'vitest'
import { fromCard } from '../src/from-card.ts'
import { fromContract } from '../src/from-contract.ts'
import { fromLeRobot } from '../src/from-lerobot.ts'

const unsaid = { lower: null, upper: null, velocity: null, effort: null }

describe('the body of a card', () => {
  const face = {
    version: 1,
    base: 'fixed',
    joint_order: ['lift', 'turn'],
    default_pose: { turn: 0.5 },
    control_rate_hz: 50,
    action: { semantics: 'position', scale: 0.5, scale_per_joint: { turn: 2 } },
    cameras: [{ name: 'wrist', width: 640, height: 480, vla_slot: 'camera1' }],
  }

  it('has its joints in their order, with limits in SI units', () => {
    expect(fromCard(face, { turn: { lower: -1, upper: 1, velocity: 4 } }, { lift: 'slide' })).toEqual({
      joints: [
        { name: 'lift', kind: 'slide', unit: 'm', ...unsaid },
        { ...{ name: 'turn', kind: null, unit: 'si' }, lower: -1, upper: 1, velocity: 4, effort: null },
      ],
      rateHz: 50,
      base: 'fixed',
      action: { semantics: 'position', scale: 0.5, scalePerJoint: { turn: 2 }, clip: null },
      cameras: [{ name: 'wrist', width: 640, height: 480, slot: 'camera1' }],
      pose: { turn: 0.5 },
    })
  })

  it('is not known without an interface, or with a name twice', () => {
    expect(fromCard(null, null)).toBeNull()
    expect(fromCard({ ...face, joint_order: ['a', 'a'] }, null)).toBeNull()
  })
})

describe('the body of a contract', () => {
  it('says what the contract says, and no limits', () => {
    expect(fromContract({ version: 1, joint_order: ['a'], control_rate_hz: 10 })).toEqual({
      joints: [{ name: 'a', kind: null, unit: 'si', ...unsaid }],
      ...{ rateHz: 10, base: null, action: null, cameras: [], pose: null },
    })
    expect(fromContract({ version: 1 })).toBeNull()
  })
})

describe('the body of a LeRobot data set', () => {
  const info = (action: unknown) => ({
    codebase_version: 'v2.1',
    fps: 30,
    features: {
      action,
      'observation.images.top': { dtype: 'video', shape: [480, 640, 3], names: ['height', 'width', 'channels'] },
    },
  })

  it('has the names of its actions, in no unit', () => {
    expect(fromLeRobot(info({ dtype: 'float32', shape: [2], names: ['a.pos', 'b.pos'] }))).toEqual({
      joints: ['a.pos', 'b.pos'].map((name) => ({ name, kind: null, unit: null, ...unsaid })),
      ...{ rateHz: 30, base: null, action: null },
      cameras: [{ name: 'top', width: 640, height: 480, slot: null, needed: false }],
    })
  })

  it('has names in each spelling of a version', () => {
    const names = (value: unknown) => fromLeRobot(info({ shape: [2], names: value }))?.joints.map(({ name }) => name)
    expect(names({ motors: ['a', 'b'] })).toEqual(['a', 'b'])
    expect(names({ b: 1, a: 0 })).toEqual(['a', 'b'])
    expect(names([['a', 'b']])).toEqual(['a', 'b'])
  })

  it('is not known where a number has no name, or two have one', () => {
    expect(fromLeRobot(info({ shape: [3], names: ['a', 'b'] }))).toBeNull()
    expect(fromLeRobot(info({ shape: [2], names: ['a', 'a'] }))).toBeNull()
    expect(fromLeRobot(info({ shape: [2], names: { b: 1, a: 5 } }))).toBeNull()
    expect(fromLeRobot({ fps: 30 })).toBeNull()
  })
})
