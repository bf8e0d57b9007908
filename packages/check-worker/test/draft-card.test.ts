/** The robot-init step: exactly the given answers, the model's values, and needs for the rest. */

import { check } from '@hub/mjcf/verdict/check'
import type { ActuatorFacts, JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import { describe, expect, it } from 'vitest'
import { draftCard } from '../src/init/draft-card.ts'
import { withRefusals } from '../src/needs.ts'
import type { CheckOptions, RobotCheckRequest } from '../src/request.ts'

const joint = (name: string | null, qpos: number, more: Partial<JointFacts> = {}): JointFacts => ({
  name,
  type: 'hinge',
  body: `${name} link`,
  root: 0,
  qpos,
  limited: true,
  range: [-1, 1],
  axis: [0, 0, 1],
  force_range: null,
  armature: 0,
  friction_loss: 0,
  ...more,
})

const servo = (name: string, joints: number[], more: Partial<ActuatorFacts> = {}): ActuatorFacts => ({
  name,
  transmission: 'joint',
  joints,
  gear: 1,
  gain: 'fixed',
  bias: 'affine',
  dynamics: 'none',
  gain_value: 10,
  ctrl_range: null,
  force_range: null,
  mode: 'position',
  kp: 10,
  kd: 1,
  ...more,
})

const facts = (more: Partial<ModelFacts> = {}): ModelFacts => ({
  model: 'm',
  nq: 2,
  nv: 2,
  nu: 2,
  timestep_s: 0.002,
  mass_kg: 9,
  bodies: [],
  has_ground: true,
  roots: [
    { name: 'robot', floating: false, mass_kg: 3 },
    { name: 'cube', floating: true, mass_kg: 6 },
  ],
  joints: [joint('a', 0), joint('b', 1)],
  actuators: [servo('ma', [0]), servo('mb', [1])],
  keyframes: [],
  qpos0: [0.1, 0.2],
  sites: [],
  cameras: [],
  ...more,
})

const request = (more: Partial<RobotCheckRequest> = {}): RobotCheckRequest => ({
  entry: 'm.xml',
  base: null,
  control_hz: 50,
  action: 'position',
  options: { proprioception: ['joint_pos'] },
  ...more,
})

const draft = (model: Partial<ModelFacts>, asked: Partial<RobotCheckRequest> = {}) =>
  draftCard({ facts: facts(model), mjcfPath: 'm.xml', urdf: null }, request(asked))

describe('a draft of a model', () => {
  it("puts joints with equal actuation into one group, and has the model's mass", () => {
    const { card } = draft({})
    expect(card.interface.actuation).toEqual([
      { joints: ['a', 'b'], mode: 'position', kp: 10, kd: 1, armature: 0, friction_loss: 0 },
    ])
    expect(card).toMatchObject({ dof: 2, mass_kg: 3, interface: { base: 'fixed', default_pose: { a: 0.1, b: 0.2 } } })
  })

  it('counts gains and efforts at the joint, after the gear', () => {
    const motor = servo('mb', [1], { mode: 'torque', kp: null, kd: null, gear: -5, gain_value: 2, ctrl_range: [-3, 1] })
    const { card } = draft({ actuators: [servo('ma', [0], { gear: 2, force_range: [-4, 4] }), motor] })
    expect(card.interface.actuation).toMatchObject([
      { joints: ['a'], kp: 40, kd: 4, effort_limit: 8 },
      { joints: ['b'], mode: 'torque', effort_limit: 30 },
    ])
    expect(card.limits).toEqual({ a: { lower: -1, upper: 1, effort: 8 }, b: { lower: -1, upper: 1, effort: 30 } })
  })

  it('leaves undriven joints out of joint_order, and reports it', () => {
    const { card, needs } = draft({ actuators: [servo('ma', [0])] })
    expect(card.interface.joint_order).toEqual(['a'])
    expect(needs).toContainEqual(
      expect.objectContaining({ field: 'interface.joint_order', severity: 'advice', names: ['b'] }),
    )
  })

  it('has the pose of the keyframe named home, else of the first one', () => {
    const keyframes = [
      { name: 'rest', qpos: [1, 2] },
      { name: 'home', qpos: [3, 4] },
    ]
    expect(draft({ keyframes }).card.interface).toMatchObject({
      default_keyframe: 'home',
      default_pose: { a: 3, b: 4 },
    })
    const first = draft({ keyframes: [{ name: null, qpos: [1, 2] }] }).card.interface
    expect(first).toMatchObject({ default_pose: { a: 1, b: 2 } })
    expect(first).not.toHaveProperty('default_keyframe')
  })

  it('cannot refer to a driven joint without a name', () => {
    const { needs } = draft({ joints: [joint(null, 0, { body: 'wrist' }), joint('b', 1)] })
    expect(needs[0]).toMatchObject({ field: 'interface.joint_order', severity: 'blocking', names: ['wrist'] })
  })
})

describe('an answer', () => {
  const options: CheckOptions = {
    action_scale: 0.25,
    action_clip: 3,
    kp: 0,
    kd: 2,
    armature: 0.5,
    friction_loss: 0.75,
    proprioception: [],
    command: 'velocity',
    default_pose: { b: 0.5 },
  }

  it('is in the card as given, and overrides the model', () => {
    const { card, derived } = draft({}, { control_hz: 33.3, action: 'position_delta', options })
    expect(card.interface).toEqual({
      version: 1,
      base: 'fixed',
      joint_order: ['a', 'b'],
      default_pose: { b: 0.5 },
      control_rate_hz: 33.3,
      physics_dt_s: 0.002,
      actuation: [{ joints: ['a', 'b'], mode: 'position', kp: 0, kd: 2, armature: 0.5, friction_loss: 0.75 }],
      action: { semantics: 'position_delta', scale: 0.25, clip: 3 },
      proprioception: [],
      command_space: { kind: 'velocity' },
    })
    expect(derived).not.toContain('interface.default_pose')
    expect(derived).not.toContain('interface.action.scale')
  })

  it('is the only source where the model has no value', () => {
    const { card } = draft({ actuators: [] }, { options: null })
    expect(card.interface).not.toHaveProperty('proprioception')
    expect(card.interface).not.toHaveProperty('command_space')
    expect(card.interface.action).toEqual({ semantics: 'position', scale: 1 })
    expect(card.interface.actuation).toEqual([{ joints: ['a', 'b'], mode: 'position', armature: 0, friction_loss: 0 }])
  })

  it.each([
    [{ control_hz: null }, 'control_hz', 'control_rate_hz'],
    [{ action: null }, 'action', 'action'],
    [{ action: 'position_offset' }, 'options.action_scale', 'action'],
    [{ action: 'position_delta' }, 'options.action_scale', 'action'],
  ] as const)('is missing: %j blocks, and nothing takes its place', (asked, field, member) => {
    const { card, needs } = draft({}, asked)
    expect(needs.filter(({ severity }) => severity === 'blocking').map((one) => one.field)).toEqual([field])
    expect(card.interface).not.toHaveProperty(member)
  })

  it('that contradicts the model blocks, and the need names both', () => {
    const { needs } = draft({}, { base: 'floating' })
    expect(needs[0]).toMatchObject({
      field: 'base',
      severity: 'blocking',
      why: expect.stringContaining('makes it fixed'),
    })
  })
})

it("a draft that fails the card's checks blocks with their reasons, unless something else already blocks", () => {
  const refusal = check('card.limits', 'fail', 'a: 1 is above 0.', {
    names: ['a'],
    loc: ['limits', 'a'],
    hint: 'Swap them.',
  })
  const needs = withRefusals([], [refusal, check('mjcf.parses', 'fail', 'It is not XML.')])
  expect(needs).toEqual([
    { field: 'limits.a', severity: 'blocking', why: 'a: 1 is above 0.', names: ['a'], suggestion: 'Swap them.' },
  ])
  expect(withRefusals(needs, [refusal])).toEqual(needs)
})
