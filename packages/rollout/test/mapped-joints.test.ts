/** A policy on a robot with other joints than its own: what it sees and what it asks for go through the map. */
import type { JointMap } from '@hub/embodiment/joint-map'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { describe, expect, test } from 'vitest'
import { calm } from '../src/loop/calm.ts'
import { type LoopInput, LoopLacks, openLoop, runToEnd } from '../src/loop/closed-loop.ts'
import { asked } from '../src/loop/limbs.ts'
import { enduring, type Task } from '../src/task-schema.ts'
import { madePolicy, pendulum, worldOf } from './support/simulated.ts'

const policy = await pendulum.policy()
const own: LoopInput = {
  ...{ world: pendulum.world(), face: pendulum.face, contract: pendulum.contract, map: null, policy },
  ...{ task: pendulum.task, seed: 7, disturbance: calm },
}

async function run(input: LoopInput) {
  const loop = openLoop(input)
  const outcome = await runToEnd(loop)
  const [episode, notes] = [loop.episode(), loop.notes]
  loop.close()
  return { outcome, episode, notes }
}

/** The pendulum with its joint called axle; `sign` -1: it turns the other way. */
function otherPendulum(sign: 1 | -1) {
  const xml = `<mujoco><compiler angle="radian"/><option timestep="0.005" gravity="0 0 -10" integrator="RK4"/>
    <worldbody><body name="rod" pos="0 0 1.2">
      <inertial pos="0 0 0.5" mass="1" diaginertia="0.083333333 0.083333333 0.0005"/>
      <joint name="axle" type="hinge" axis="0 ${sign} 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.03"
        contype="0" conaffinity="0"/></body></worldbody>
    <actuator><motor joint="axle" ctrlrange="-5 5" ctrllimited="true"/></actuator>
    <keyframe><key name="hanging" qpos="${sign * Math.PI}"/></keyframe></mujoco>`
  const face = { ...pendulum.face, joint_order: ['axle'], default_pose: { axle: sign * Math.PI } }
  const map: JointMap = {
    version: 1,
    joints: [{ from: 'pivot', to: 'axle', sign, scale: 1, offset: 0 }],
    ...{ held: [], dropped: [] },
  }
  return { world: worldOf(xml), face, map }
}

const taskAt = (joint: string, position: number): Task => ({
  ...pendulum.task,
  start: { positions: { [joint]: position } },
  success: { condition: { joint, position: [-0.2, 0.2], wrap: true }, hold_s: 1 },
})

describe('the policy of the examples on a pendulum with another joint', () => {
  const first = run({ ...own, task: taskAt('pivot', 3) })

  test('does the same to the bit where only the name differs', async () => {
    const { outcome } = await run({ ...own, ...otherPendulum(1), task: taskAt('axle', 3) })
    expect(outcome).toEqual((await first).outcome)
    expect(outcome.success).toBe(true)
  })

  test('does the mirrored motion where the joint turns the other way, and reaches its goal', async () => {
    const [{ episode }, mirrored] = [await first, await run({ ...own, ...otherPendulum(-1), task: taskAt('axle', -3) })]
    expect(mirrored.outcome.success).toBe(true)
    expect(mirrored.episode).toHaveLength(episode.length)
    for (const [at, { qpos, action }] of mirrored.episode.entries()) {
      expect(qpos[0]).toBeCloseTo(-(episode[at]?.qpos[0] ?? Number.NaN), 6)
      expect(action[0]).toBeCloseTo(episode[at]?.action[0] ?? Number.NaN, 6)
    }
  })

  test('drives nothing without a map', () => {
    expect(() => openLoop({ ...own, ...otherPendulum(1), map: null, task: enduring })).toThrow('the joint "pivot"')
  })
})

/** Two slides: one with a servo of position, one with a motor that follows by the gains of the card. */
const slides = worldOf(`<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
  <body><joint name="a" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
  <body><joint name="b" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
</worldbody><actuator><position joint="a" kp="100" gear="2"/><motor joint="b" gear="4"/></actuator></mujoco>`)

const face: EmbodimentInterface = {
  ...{ version: 1, base: 'fixed', joint_order: ['a', 'b'], default_pose: { a: 0.1, b: -0.1 }, control_rate_hz: 50 },
  actuation: [{ joints: ['b'], mode: 'pd', kp: 10, kd: 0, effort_limit: 5 }],
  action: { semantics: 'position', scale: 1 },
}

/** The policy counts centimetres, the other way, from 30 cm on; it has a joint that the robot lacks. */
const map: JointMap = {
  version: 1,
  joints: [{ from: 'u', to: 'b', sign: -1, scale: 0.01, offset: 0.3 }],
  held: [{ joint: 'a', value: 0.2 }],
  dropped: ['v'],
}

/** What the policy saw first, and the controls after one step with an action of 20 and 5. */
async function firstStep(semantics: string, pose?: Readonly<Record<string, number>>) {
  let seen: readonly number[] = []
  const acts = madePolicy({ sees: 4, acts: 2 }, (one) => {
    seen = one
    return [20, 5]
  })
  const contract = {
    ...{ joint_order: ['u', 'v'], action: { semantics, scale: 1 }, ...(pose && { default_pose: pose }) },
    observation: { blocks: ['joint_pos', 'joint_vel'] },
  }
  const loop = openLoop({ ...own, world: slides, face, contract, map, policy: acts, task: enduring })
  await loop.decide()
  loop.step()
  const { notes } = loop
  const controls = Array.from(slides.data.ctrl as ArrayLike<number>)
  loop.close()
  return { seen: seen.map((value) => Number(value.toFixed(9))), controls, notes }
}

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9))

describe('a map with sign, scale, offset, a held and a dropped joint', () => {
  test('turns the default pose of the policy, what it sees, and what it asks for', async () => {
    const { seen, controls, notes } = await firstStep('position', { u: 10, v: 7 })
    expect(seen).toEqual([10, 7, 0, 0])
    // b is asked from 0.2 to 0.1, by its gains; a is held at 0.2, on its own side of the gear.
    expect(controls).toEqual(close([0.4, (10 * (0.1 - 0.2)) / 4]))
    expect(notes).toEqual([
      'The map holds a of the robot at 0.2.',
      'The map drops v of the policy: it sees it at rest.',
    ])
  })

  test('starts from the pose of the robot where the policy has none', async () => {
    expect((await firstStep('position')).seen).toEqual([40, 0, 0, 0])
  })

  test('counts offsets and steps in the numbers of the policy', async () => {
    // From 10 cm by 20 more: 30 cm of the policy are 0 m of the robot.
    for (const semantics of ['position_offset', 'position_delta'])
      expect((await firstStep(semantics, { u: 10, v: 7 })).controls).toEqual(close([0.4, (10 * (0 - 0.2)) / 4]))
  })

  test('leaves the power of a joint as it is', () => {
    const [turn] = map.joints
    if (!turn) throw new Error('There is no joint.')
    const limb = { name: 'u', axis: null, turn, rest: 0 }
    expect(asked.torque(limb, 3) * asked.velocity(limb, 5)).toBeCloseTo(15, 9)
    expect(asked.velocity(limb, 5)).toBeCloseTo(-0.05, 12)
  })

  test('is refused with each joint that it leaves out or that is not there', () => {
    const lacksOf = (changed: Partial<JointMap>, joints: readonly string[]) => {
      try {
        const contract = { joint_order: joints, action: { semantics: 'position', scale: 1 } }
        const blind = madePolicy({ sees: 2, acts: joints.length }, () => [])
        openLoop({ ...own, world: slides, face, contract, map: { ...map, ...changed }, policy: blind, task: enduring })
        return []
      } catch (error) {
        if (error instanceof LoopLacks) return error.lacks
        throw error
      }
    }
    expect(lacksOf({}, ['u', 'v', 'w'])).toContain('The map neither uses nor drops w.')
    expect(lacksOf({ held: [] }, ['u', 'v'])).toContain('The map gives no value to a.')
    expect(lacksOf({ held: [...map.held, { joint: 'tail', value: 0 }] }, ['u', 'v'])).toContain(
      'The map gives a value to "tail": the model has no hinge or slide of it.',
    )
  })
})
