/** The engine process ends at its limits, whatever a model does, and reports why. MuJoCo runs for real. */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { needs } from '@hub/testing/needs'
import { describe, expect, it, vi } from 'vitest'
import { processorMsOf } from '../../mjcf/src/processes/processor-time.ts'
import { type EngineLimits, engineLimits } from '../src/engine/limits.ts'
import { type EngineRun, runEngine } from '../src/engine/run-engine.ts'
import { robotFolders } from './support/robot-folder.ts'

const robots = robotFolders()
const lines: string[] = []

async function run(
  text: string,
  limits: Partial<EngineLimits> = {},
  signal = new AbortController().signal,
): Promise<EngineRun> {
  const folder = await robots.folder({ 'model.xml': text })
  const job = {
    files: [{ path: 'model.xml', file: join(folder, 'model.xml') }],
    entry: 'model.xml',
    entryText: null,
    convertTo: null,
    pose: null,
    scene: null,
    limits: { ...engineLimits, ...limits },
  }
  return runEngine(job, (line) => lines.push(line), signal)
}

/** Takes minutes to compile: 81,000 slides that pull at each other. */
const minutes = `<mujoco><worldbody><body name="b">
  <flexcomp name="f" type="grid" count="30 30 30" spacing=".01 .01 .01" dim="3"/></body></worldbody></mujoco>`

const ball = '<worldbody><body name="ball"><joint name="roll"/><geom size=".1"/></body></worldbody>'

describe('a model that needs too much', () => {
  it('time to compile is stopped with its process', async () => {
    // Without its limit it would take minutes, and have facts.
    const { end, facts, version } = await run(minutes, { processorS: 3 })
    expect({ end, facts, version }).toEqual({ end: { why: 'time' }, facts: null, version: '3.14.0' })
  })

  it('memory is rejected by an engine at its memory limit', async () => {
    const asked = `<mujoco><size memory="1500M"/>${ball}</mujoco>`
    expect((await run(asked, { memoryMiB: 128 })).end).toEqual({ why: 'memory' })
    const beyondAny = `<mujoco><worldbody><replicate count="60" offset=".05 0 0"><replicate count="60" offset="0 .05 0">
      <body><freejoint/><geom size=".1"/></body></replicate></replicate></worldbody></mujoco>`
    expect((await run(beyondAny)).end).toEqual({ why: 'memory' })
  })

  it('time for its steps is stepped for less simulated time', async () => {
    const { end, simulation } = await run(`<mujoco><option timestep="1e-9"/>${ball}</mujoco>`, { steppingS: 0.2 })
    expect(end).toEqual({ why: 'done' })
    expect(simulation).toMatchObject({ slow: true, diverged: null })
    expect(simulation?.simulated_s).toBeLessThan(0.1)
  })

  it('stack has no verdict, and does not affect the next one', async () => {
    const deep = `<mujoco><worldbody>${'<body>'.repeat(400)}${'</body>'.repeat(400)}</worldbody></mujoco>`
    expect((await run(deep)).end).toMatchObject({ why: 'crash', error: expect.any(String) })
    expect((await run(`<mujoco>${ball}</mujoco>`)).end).toEqual({ why: 'done' })
  })
})

it('is stopped when its caller no longer waits', async () => {
  const stop = new AbortController()
  const began = performance.now()
  setTimeout(() => stop.abort(new Error('canceled')), 1_500)
  await expect(run(minutes, {}, stop.signal)).rejects.toThrow('canceled')
  // Else it would have ended by itself, at the earliest after its processor time.
  expect(performance.now() - began).toBeLessThan(engineLimits.processorS * 1_000)
})

describe('an engine whose worker was killed', needs(process.platform !== 'linux' && 'this is not Linux'), () => {
  it('still ends at its limit', async () => {
    const folder = await robots.folder({ 'model.xml': minutes })
    let [engine, workedMs]: [number, number | null] = [0, null]
    let worker: ReturnType<typeof fork> | null = null
    // Until it compiles it would hear of the end of its worker. At 6 s of the processor it ends, so there are 4 s to
    // see it in; on a machine that is too busy for that, another one is started.
    while (workedMs === null) {
      const started = fork(join(import.meta.dirname, 'support/killed-worker.ts'), [join(folder, 'model.xml'), '6'])
      worker = started
      engine = await vi.waitFor(() => childOf(started.pid ?? 0), 100_000)
      workedMs = processorMsOf(engine)
      while (workedMs !== null && workedMs <= 2_000) {
        await pause(20)
        workedMs = processorMsOf(engine)
      }
    }
    worker?.kill('SIGKILL')
    await vi.waitFor(() => expect(processorMsOf(engine)).toBeNull(), 100_000)
  })
})

/** The one child of a process. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  if (!child) throw new Error('It has no child yet.')
  return Number(child)
}

it("sees only the files that it is given, and passes on MuJoCo's messages", async () => {
  const folder = await robots.folder({ 'secret.xml': '<mujoco/>' })
  const { end } = await run(`<mujoco><include file="${folder}/secret.xml"/></mujoco>`)
  expect(end).toMatchObject({ why: 'refused', stage: 'source', error: expect.stringContaining('secret.xml') })
})

it('reports whether each joint is limited, and how each actuator drives', async () => {
  const { facts } = await run(`<mujoco><compiler angle="radian"/><worldbody><body name="a">
      <joint name="free" range="-1 1" limited="false"/><joint name="stop" axis="0 1 0" range="-1 2"/><geom size=".1"/>
      <body><joint name="rail" type="slide"/><geom size=".1"/></body></body></worldbody>
    <tendon><fixed name="pull"><joint joint="free" coef="1"/><joint joint="rail" coef="2"/></fixed></tendon>
    <actuator><motor name="turn" joint="stop" gear="3" ctrlrange="-2 2"/><velocity name="go" joint="rail" kv="4"/>
      <position name="both" tendon="pull" kp="5"/><muscle name="flesh" joint="free" lengthrange="0 1"/></actuator></mujoco>`)
  expect(facts?.joints.map(({ name, type, limited, range }) => ({ name, type, limited, range }))).toEqual([
    { name: 'free', type: 'hinge', limited: false, range: [-1, 1] },
    { name: 'stop', type: 'hinge', limited: true, range: [-1, 2] },
    { name: 'rail', type: 'slide', limited: false, range: [0, 0] },
  ])
  expect(
    facts?.actuators.map(({ name, mode, kp, kd, joints, ctrl_range }) => ({ name, mode, kp, kd, joints, ctrl_range })),
  ).toEqual([
    { name: 'turn', mode: 'torque', kp: null, kd: null, joints: [1], ctrl_range: [-2, 2] },
    { name: 'go', mode: 'velocity', kp: null, kd: 4, joints: [2], ctrl_range: null },
    { name: 'both', mode: 'position', kp: 5, kd: 0, joints: [0, 2], ctrl_range: null },
    { name: 'flesh', mode: null, kp: null, kd: null, joints: [0], ctrl_range: null },
  ])
})

it("is not misled by a name that looks like MuJoCo's output", async () => {
  const { facts } =
    await run(`<mujoco><worldbody><body><joint name="a&#10;  jnt_limited           0 "/><geom size=".1"/>
    <body><joint name="b" range="-1 1"/><geom size=".1"/></body></body></worldbody></mujoco>`)
  expect(facts?.joints.map(({ limited }) => limited)).toEqual([false, true])
})

it('holds a joint with a servo that integrates speeds, whose control is a speed', async () => {
  const { facts, simulation } =
    await run(`<mujoco><worldbody><body pos="0 0 1"><joint name="swing" axis="0 1 0" armature=".1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body></worldbody>
    <actuator><intvelocity name="m" joint="swing" kp="500" kv="20" actrange="-9 9"/></actuator>
    <keyframe><key qpos="1"/></keyframe></mujoco>`)
  expect(facts?.actuators[0]).toMatchObject({ mode: 'velocity', dynamics: 'integrator', kp: 500 })
  expect(simulation).toMatchObject({ holding: 1, drift: [{ joint: 'swing', by: expect.any(Number) }] })
  expect(simulation?.drift[0]?.by).toBeLessThan(0.01)
})
