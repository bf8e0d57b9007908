import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { describe, expect, test } from 'vitest'
import { calm } from '../src/loop/calm.ts'
import { type LoopInput, LoopLacks, openLoop, runToEnd } from '../src/loop/closed-loop.ts'
import { enduring } from '../src/task-schema.ts'
import { madePolicy, pendulum, worldOf } from './support/simulated.ts'

const { face, contract, task } = pendulum
const policy = await pendulum.policy()
const world = pendulum.world()

const given = (changes: Partial<LoopInput> = {}): LoopInput => ({
  world,
  face,
  contract,
  map: null,
  policy,
  task,
  seed: 7,
  disturbance: calm,
  ...changes,
})

async function rollout(changes: Partial<LoopInput> = {}) {
  const loop = openLoop(given(changes))
  const outcome = await runToEnd(loop)
  const episode = loop.episode()
  loop.close()
  return { outcome, episode }
}

function lacksOf(changes: Partial<LoopInput>): readonly string[] {
  try {
    openLoop(given(changes)).close()
    return []
  } catch (error) {
    if (error instanceof LoopLacks) return error.lacks
    throw error
  }
}

describe('the policy of the examples', () => {
  test('reaches its goal from each of many starts', async () => {
    for (let seed = 0; seed < 10; seed += 1) {
      const { outcome, episode } = await rollout({ seed })
      expect(outcome).toMatchObject({ seed, success: true, ending: 'reached', steps: episode.length })
      // Upright for a second, and a reward of 1 for each second there.
      expect(episode.slice(-21).every(({ holds }) => holds)).toBe(true)
      expect(outcome.return).toBeCloseTo(1.05, 1)
      expect(episode[0]?.qpos[0]).toBeGreaterThan(2.6)
    }
  })

  test('does the same to the bit for a seed, whatever ran before and in another world', async () => {
    const first = await rollout()
    await rollout({ seed: 8, disturbance: { ...calm, gravity: 0.5, pushN: 3 } })
    expect(await rollout()).toEqual(first)
    expect(await rollout({ world: pendulum.world() })).toEqual(first)
    expect((await rollout({ seed: 8 })).outcome.fingerprint).not.toBe(first.outcome.fingerprint)
  })
})

describe('what makes it harder', () => {
  const hard = { delayMs: 50, observationNoise: 0.02, actionNoise: 0.1, pushN: 4, pushEveryS: 0.5, gravity: 1.05 }

  test.each(Object.entries(hard))('%s changes the motion, and is the same for a seed', async (name, value) => {
    const disturbance = { ...calm, pushEveryS: 0.5, [name]: value, ...(name === 'pushEveryS' && { pushN: 1 }) }
    const changed = await rollout({ disturbance })
    expect(changed.outcome.fingerprint).not.toBe((await rollout()).outcome.fingerprint)
    expect(changed).toEqual(await rollout({ disturbance }))
    // The start is drawn by itself.
    expect(changed.episode[0]?.qpos).toEqual((await rollout()).episode[0]?.qpos)
  })

  test('a delay holds each action back by so much', async () => {
    const push = madePolicy({ sees: 2, acts: 1 }, () => [1])
    const moved = async (delayMs: number) => {
      const { episode } = await rollout({
        policy: push,
        task: { ...enduring, seconds: 1 },
        disturbance: { ...calm, delayMs },
      })
      return episode.findIndex(({ qvel }) => Math.abs(qvel[0] ?? 0) > 1e-6)
    }
    expect([await moved(0), await moved(100), await moved(200)]).toEqual([1, 3, 5])
  })
})

describe('what it cannot provide is said by name', () => {
  const seeing = (blocks: readonly string[], scales?: object) => ({ ...contract, observation: { blocks, scales } })
  const scaled = (joint_pos: unknown) => ({ contract: seeing(['joint_pos', 'joint_vel'], { joint_pos }) })

  test.each([
    [{ contract: seeing(['joint_pos', 'velocity_command']) }, /"velocity_command": the simulation has no such term/],
    [{ contract: seeing(['joint_pos', 'base_lin_vel']) }, /"base_lin_vel": the robot has no floating base/],
    [{ contract: seeing(['joint_pos']) }, /"obs" has 2 numbers, and the terms of the contract 1 \(joint_pos 1\)/],
    [{ contract: { ...contract, joint_order: ['elbow'] } }, /the joint "elbow": the model has no hinge or slide/],
    [
      { contract: { ...contract, action: { semantics: 'ee_pose', scale: 1 } } },
      /"ee_pose": the simulation drives joints/,
    ],
    [
      { contract: { ...contract, action: { semantics: 'position', scale: 1 } } },
      /motor, and the card has no kp and kd/,
    ],
    [scaled(1e300), /"joint_pos": its scale is neither a number up to 1e28 nor a list of 1 such/],
    [scaled(Number.POSITIVE_INFINITY), /"joint_pos": its scale/],
    [scaled([1e29]), /"joint_pos": its scale/],
    [scaled([1, 1]), /"joint_pos": its scale/],
    [scaled('0.5'), /"joint_pos": its scale/],
    [{ contract: null }, /"obs": its contract does not say what that is/],
    [
      {
        policy: {
          ...policy,
          inputs: [...policy.inputs, { name: 'observation.images.top', type: 'float32', shape: [1, 3, 64, 64] }],
        },
      },
      /pictures of "top" \(64 x 64\): nothing here draws them/,
    ],
    [{ task: { ...task, fail: { body: 'head', position: [0, 1] } } }, /the body or site "head"/],
    [{ task: { ...task, start: { positions: { wrist: 1 } } } }, /starts the joint "wrist"/],
  ] as [Partial<LoopInput>, RegExp][])('%#', (changes, said) => {
    expect(lacksOf(changes).join('\n')).toMatch(said)
  })

  test('the model is given back as it was', () => {
    const before = { timestep: world.model.opt.timestep, flags: world.model.opt.disableflags }
    lacksOf({ contract: null, face: { ...face, physics_dt_s: 0.001 } })
    expect({ timestep: world.model.opt.timestep, flags: world.model.opt.disableflags }).toEqual(before)
  })
})

/** Two slides side by side, one with a servo of position and one with a motor. */
const twoSlides = `<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
  <body><joint name="a" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
  <body><joint name="b" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
</worldbody><actuator><position joint="a" kp="100" gear="2"/><motor joint="b" gear="4"/></actuator></mujoco>`

describe('actions', () => {
  const slides = worldOf(twoSlides)
  const interfaceOf = (action: EmbodimentInterface['action'], rate = 50): EmbodimentInterface => ({
    version: 1,
    base: 'fixed',
    joint_order: ['a', 'b'],
    default_pose: { a: 0.1, b: -0.1 },
    control_rate_hz: rate,
    actuation: [{ joints: ['b'], mode: 'pd', kp: 10, kd: 0, effort_limit: 5 }],
    action,
  })
  /** The controls after one step with an action of 0.5 and 0.25. */
  async function controls(action: EmbodimentInterface['action']) {
    const loop = openLoop(
      given({
        world: slides,
        face: interfaceOf(action),
        contract: null,
        task: enduring,
        policy: madePolicy({ sees: 2, acts: 2 }, () => [0.5, 0.25]),
      }),
    )
    await loop.decide()
    loop.step()
    const found = Array.from(slides.data.ctrl as ArrayLike<number>, (value) => Number(value.toFixed(9)))
    loop.close()
    return found
  }

  // A servo takes its own side of the gear; a motor follows by the gains of the card, up to its limit.
  test.each([
    [{ semantics: 'position', scale: 1 }, [1, (10 * (0.25 + 0.1)) / 4]],
    [{ semantics: 'position_offset', scale: 0.5 }, [2 * (0.1 + 0.25), (10 * 0.125) / 4]],
    [{ semantics: 'position_delta', scale: 0.2, scale_per_joint: { a: 1 } }, [2 * (0.1 + 0.5), (10 * 0.05) / 4]],
    [{ semantics: 'position_offset', scale: 1, clip: 0.1 }, [2 * 0.2, (10 * 0.1) / 4]],
    [{ semantics: 'position', scale: 10 }, [10, 5 / 4]],
  ])('%j', async (action, expected) => {
    expect(await controls(action)).toEqual(expected.map((value) => Number(value.toFixed(9))))
  })

  test('a servo of position gives no torque', () => {
    const lacks = lacksOf({
      world: slides,
      face: interfaceOf({ semantics: 'torque', scale: 1 }),
      contract: null,
      task: enduring,
      policy: madePolicy({ sees: 2, acts: 2 }, () => [0, 0]),
    })
    expect(lacks).toEqual(['The policy drives "a": the action is a torque, and its actuator "" takes a position.'])
  })

  test('a rate that is not a whole number of steps is kept on average', async () => {
    const { episode } = await rollout({
      world: slides,
      face: interfaceOf({ semantics: 'position', scale: 1 }, 30),
      contract: null,
      task: { ...enduring, seconds: 2 },
      policy: madePolicy({ sees: 2, acts: 2 }, () => [0, 0]),
    })
    expect(episode).toHaveLength(61)
    for (const [place, { time }] of episode.entries()) expect(Math.abs(time - place / 30)).toBeLessThan(0.0011)
  })

  test('a chunk is taken action by action before the policy is asked again', async () => {
    let asked = 0
    const { episode } = await rollout({
      world: slides,
      face: interfaceOf({ semantics: 'position', scale: 1 }),
      contract: null,
      task: { ...enduring, seconds: 0.2 },
      policy: madePolicy({ sees: 2, acts: 2 }, () => {
        asked += 1
        return [asked, 0, asked + 0.5, 0]
      }),
    })
    expect(episode.slice(0, 5).map(({ action }) => action[0])).toEqual([1, 1.5, 2, 2.5, 3])
  })

  test('numbers that are none end it, and what a scale makes such', async () => {
    const { outcome } = await rollout({ policy: madePolicy({ sees: 2, acts: 1 }, () => [Number.NaN]) })
    expect(outcome).toMatchObject({ success: false, ending: 'diverged' })
    const action = { semantics: 'torque', scale: 1e300 }
    const huge = { contract: { ...contract, action }, policy: madePolicy({ sees: 2, acts: 1 }, () => [1e10]) }
    expect((await rollout(huge)).outcome).toMatchObject({ success: false, ending: 'diverged', steps: 1 })
  })
})

describe('what the policy would see', () => {
  const seeing = { ...contract, observation: { blocks: ['joint_pos', 'last_action'], scales: { last_action: 1e28 } } }
  const held = { ...seeing, action: { semantics: 'torque', scale: 1e-300 } }
  const asking = (answer: number, type: 'float32' | 'float64' = 'float64') => {
    const seen: (readonly number[])[] = []
    const made = madePolicy({ sees: 2, acts: 1 }, (numbers) => {
      seen.push(numbers)
      return [answer]
    })
    return { seen, policy: { ...made, inputs: made.inputs.map((one) => ({ ...one, type })) } }
  }

  test.each([
    ['float64' as const, 1e290, 'Infinity'],
    ['float64' as const, -1e290, '-Infinity'],
    ['float32' as const, 1e12, 'Infinity'],
  ])('ends the episode with its term where it is no %s while it runs', async (type, answer, value) => {
    const { policy: asked, seen } = asking(answer, type)
    const { outcome, episode } = await rollout({ contract: held, policy: asked })
    expect(outcome).toMatchObject({
      ending: 'diverged',
      success: false,
      steps: 2,
      reason: `The policy would see ${value} as number 1 of "last_action".`,
    })
    expect(seen.flat().every(Number.isFinite)).toBe(true)
    expect([seen.length, episode.map(({ action }) => action.length)]).toEqual([1, [1, 0]])
  })

  test('is not shown once the motion has left what numbers can say', async () => {
    const own = pendulum.world()
    const { policy: asked, seen } = asking(0)
    const loop = openLoop(given({ world: own, policy: asked }))
    await loop.decide()
    Object.assign(own.data.qvel, { 0: Number.NaN })
    await loop.decide()
    expect([seen.length, loop.outcome()]).toMatchObject([
      1,
      { ending: 'diverged', reason: expect.stringMatching(/would see NaN as number 1 of/) },
    ])
    loop.close()
  })

  test('says which number of an answer, or of what follows from it, is not finite', async () => {
    const answering = (answer: number) => madePolicy({ sees: 2, acts: 1 }, () => [answer])
    const { outcome } = await rollout({ policy: answering(Number.NaN) })
    expect(outcome).toMatchObject({ ending: 'diverged', reason: 'The policy answered NaN.' })
    const huge = { ...contract, action: { semantics: 'torque', scale: 1e28 } }
    const scaled = await rollout({ contract: huge, policy: answering(1e290) })
    expect(scaled.outcome).toMatchObject({
      ...{ ending: 'diverged', reason: 'The answer of the policy leads to the target Infinity.' },
    })
  })
})

/** A box that falls from 1 m, turned by 90 degrees about x: its own z axis points along -y of the world. */
const falling = `<mujoco><worldbody><body name="box" pos="0 0 1" euler="90 0 0"><freejoint/>
  <geom size="0.1" mass="1"/><body><joint name="arm" axis="0 0 1"/><geom size="0.05" mass="0.1" pos="0.2 0 0"/></body>
</body></worldbody><actuator><motor joint="arm"/></actuator></mujoco>`

test('terms of a floating base are in its own frame, and scaled by the contract', async () => {
  const seen: (readonly number[])[] = []
  await rollout({
    world: worldOf(falling),
    face: { ...face, base: 'floating', joint_order: ['arm'], default_pose: {}, default_keyframe: null },
    contract: {
      joint_order: ['arm'],
      action: { semantics: 'torque', scale: 1 },
      control_rate_hz: 50,
      observation: {
        blocks: ['projected_gravity', 'base_lin_vel', 'base_ang_vel', 'last_action'],
        scales: { base_lin_vel: 2, base_ang_vel: [1, 1, 1] },
      },
    },
    task: { ...enduring, seconds: 0.1, fail: { body: 'box', position: [-1, 0.5] } },
    policy: madePolicy({ sees: 10, acts: 1 }, (one) => {
      seen.push(one)
      return [0]
    }),
  })
  const last = seen.at(-1) ?? []
  // Down in the world is -y of the box; after 0.1 s it falls with about 1 m/s.
  expect(last.slice(0, 3).map((value) => Math.round(value * 100) / 100)).toEqual([0, -1, expect.closeTo(0)])
  expect(last[4]).toBeCloseTo(-2 * 9.81 * 0.1, 2)
})
