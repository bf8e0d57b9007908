/** The pure cores of the robot viewer: what its sliders mean, when it draws, and which model it opens. */

import type { ActuatorFacts, JointFacts } from '@hub/robot-view/physics/model-facts'
import { eyeOf } from '@hub/robot-view/scene/eye-of'
import { graphicsOf } from '@hub/robot-view/scene/graphics'
import { describe, expect, it } from 'vitest'
import { fieldOfViewAt, fitted } from '../../../packages/robot-view/src/scene/fit.ts'
import { follower } from '../../../packages/robot-view/src/scene/follow.ts'
import { controlsOf } from '../../../web/src/viewer/controls.ts'
import { coordinatesOf, valueAt, written } from '../../../web/src/viewer/coordinates.ts'
import { followedBody } from '../../../web/src/viewer/followed-body.ts'
import { frameLoop } from '../../../web/src/viewer/frame-loop.ts'
import { modelChoices } from '../../../web/src/viewer/model-choice.ts'
import { missingFiles, refused } from '../../../web/src/viewer/problems.ts'
import { simulationClock } from '../../../web/src/viewer/simulation-clock.ts'
import { anglesOf, turnOf } from '../../../web/src/viewer/turns.ts'

const joint = (said: Partial<JointFacts>): JointFacts => ({
  name: 'a',
  type: 'hinge',
  body: 'arm',
  root: 0,
  qpos: 0,
  limited: false,
  range: [0, 0],
  axis: [0, 0, 1],
  force_range: null,
  armature: 0,
  friction_loss: 0,
  ...said,
})

describe('a joint has a slider', () => {
  const of = (said: Partial<JointFacts>, extent = 0.5) =>
    coordinatesOf({ joints: [joint(said)] }, [0, 0, 1, 1, 0, 0, 0], extent)

  it('within its limits, in rad or m', () => {
    expect(of({ limited: true, range: [-1, 2] })).toMatchObject([
      { label: 'a', unit: 'rad', min: -1, max: 2, limited: true },
    ])
    expect(of({ type: 'slide', limited: true, range: [0, 0.1] })).toMatchObject([{ unit: 'm', min: 0, max: 0.1 }])
  })

  it('of one turn, or of the size of the model, where nothing limits it', () => {
    expect(of({})).toMatchObject([{ min: -Math.PI, max: Math.PI, limited: false }])
    expect(of({ type: 'slide' })).toMatchObject([{ unit: 'm', min: -0.5, max: 0.5, limited: false }])
    expect(valueAt([7], of({})[0] as never)).toBeCloseTo(7 - 2 * Math.PI)
  })

  it('for each angle of a ball, and for place and angles of a free body', () => {
    expect(of({ type: 'ball' }).map(({ label }) => label)).toEqual(['a roll', 'a pitch', 'a yaw'])
    const free = of({ type: 'free' })
    expect(free.map(({ unit }) => unit)).toEqual(['m', 'm', 'm', 'rad', 'rad', 'rad'])
    expect(free[2]).toMatchObject({ min: 0, max: 2, at: 2 })
    expect(of({ name: null, body: 'base' })[0]?.label).toBe('base (joint 0)')
    expect(of({ name: null, body: 'base', type: 'free' })[2]?.label).toBe('base z')
  })

  it('that turns a free body about one axis and leaves its other angles', () => {
    const yaw = of({ type: 'free' })[5]
    if (!yaw) throw new Error('A free body has six.')
    const tilted = [0, 0, 1, ...turnOf([0.3, -0.2, 0])]
    const { at, values } = written(tilted, yaw, 1)
    expect(at).toBe(3)
    const angles = anglesOf(values as unknown as [number, number, number, number])
    for (const [axis, expected] of [0.3, -0.2, 1].entries()) expect(angles[axis]).toBeCloseTo(expected)
  })
})

describe('an actuator has a slider', () => {
  const actuator = (said: Partial<ActuatorFacts>): ActuatorFacts => ({
    name: 'm',
    transmission: 'joint',
    joints: [0],
    gear: 1,
    gain: 'fixed',
    bias: 'affine',
    dynamics: 'none',
    gain_value: 1,
    ctrl_range: null,
    force_range: null,
    mode: 'position',
    kp: 1,
    kd: 0,
    ...said,
  })
  const of = (said: Partial<ActuatorFacts>, of: Partial<JointFacts> = {}) =>
    controlsOf({ actuators: [actuator(said)], joints: [joint(of)] }, [3])[0]

  it('of its control range, at its place in ctrl', () => {
    expect(of({ ctrl_range: [-2, 2] })).toMatchObject({ min: -2, max: 2, unit: 'rad', limited: true, at: 3 })
  })

  it('of what its joint or its force allows, where it has no range', () => {
    expect(of({}, { limited: true, range: [-1, 0.5] })).toMatchObject({ min: -1, max: 0.5, limited: false })
    expect(of({ mode: 'torque', bias: 'none', force_range: [-8, 8] })).toMatchObject({ min: -8, max: 8, unit: 'N·m' })
  })

  it('without a unit where a gear or a tendon changes what the number stands for', () => {
    expect(of({ gear: 2, ctrl_range: [0, 1] })?.unit).toBe('')
    expect(of({ transmission: 'tendon', ctrl_range: [0, 255] })?.unit).toBe('')
    expect(of({ mode: 'velocity', ctrl_range: [-1, 1] }, { type: 'slide' })?.unit).toBe('m/s')
  })
})

describe('pictures are drawn', () => {
  function loop() {
    const calls: ((timeMs: number) => void)[] = []
    const elapsed: number[] = []
    const frames = frameLoop(
      (ms) => elapsed.push(ms),
      (call) => calls.push(call),
      () => calls.pop(),
    )
    return { frames, elapsed, asked: () => calls.length, tick: (timeMs: number) => calls.shift()?.(timeMs) }
  }

  it('once after any number of changes, and not again', () => {
    const { frames, elapsed, asked, tick } = loop()
    frames.invalidate()
    frames.invalidate()
    expect(asked()).toBe(1)
    tick(10)
    expect(elapsed).toEqual([0])
    expect(asked()).toBe(0)
  })

  it('in each frame of a simulation, with the time that passed; a pause of the browser is none', () => {
    const { frames, elapsed, asked, tick } = loop()
    frames.run(true)
    for (const at of [10, 26, 5_000]) tick(at)
    expect(elapsed).toEqual([0, 16, 500])
    frames.run(false)
    tick(5_016)
    expect(asked()).toBe(0)
  })

  it('never while nobody sees them', () => {
    const { frames, elapsed, asked, tick } = loop()
    frames.run(true)
    tick(10)
    frames.see(false)
    expect(asked()).toBe(0)
    frames.invalidate()
    expect(asked()).toBe(0)
    frames.see(true)
    tick(9_000)
    expect(elapsed).toEqual([0, 0])
    frames.stop()
    frames.invalidate()
    expect(asked()).toBe(0)
  })
})

describe('the clock of a simulation', () => {
  it('asks for one advance at a time, makes up for a late answer, and tells the pace', () => {
    const clock = simulationClock()
    expect(clock.due(16, 2)).toBeCloseTo(0.032)
    expect(clock.due(16, 2)).toBeNull()
    clock.answered(0, 0.032)
    expect(clock.due(16, 2)).toBeCloseTo(0.064)
    clock.answered(1_000, 0.532)
    expect(clock.pace()).toBeCloseTo(0.5)
  })

  it('loses what a slow model does not reach', () => {
    const clock = simulationClock()
    clock.due(16, 1)
    for (let frame = 0; frame < 100; frame += 1) clock.due(16, 1)
    clock.answered(1, 0)
    expect(clock.due(0, 1)).toBeCloseTo(0.5)
  })
})

describe('what the browser draws with', () => {
  const drawnBy = (renderer: string) => {
    let freed = false
    const gl = {
      RENDERER: 1,
      getExtension: (name: string) =>
        name === 'WEBGL_lose_context'
          ? {
              loseContext: () => {
                freed = true
              },
            }
          : { UNMASKED_RENDERER_WEBGL: 2 },
      getParameter: (asked: number) => (asked === 2 ? renderer : 'WebKit WebGL'),
    }
    const found = graphicsOf({ getContext: () => gl } as never)
    expect(freed).toBe(true)
    return found
  }

  it('decides between glossy and dull surfaces, and the context is given back', () => {
    expect(drawnBy('ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)')).toBe('dull')
    expect(drawnBy('llvmpipe (LLVM 19.1.7, 256 bits)')).toBe('dull')
    expect(drawnBy('ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11)')).toBe('dull')
    expect(drawnBy('ANGLE (NVIDIA, NVIDIA GeForce RTX 4070 Direct3D11 vs_5_0 ps_5_0)')).toBe('glossy')
    expect(drawnBy('Mali-G78')).toBe('glossy')
  })

  it('is nothing without WebGL 2', () => {
    expect(graphicsOf({ getContext: () => null })).toBeNull()
  })
})

describe('the viewer', () => {
  it("opens the card's model, else a scene, else what is nearest to the root", () => {
    const paths = ['z/robot.urdf', 'robot.xml', 'scene.xml', 'a/scene.xml', 'README.md']
    expect(modelChoices(paths, null)).toEqual(['scene.xml', 'robot.xml', 'a/scene.xml', 'z/robot.urdf'])
    expect(modelChoices(paths, 'z/robot.urdf')[0]).toBe('z/robot.urdf')
  })

  it('sees through a camera what its frame and its picture say', () => {
    const facts = { name: 'wrist', field_of_view: 60, resolution: [640, 480], perspective: true } as const
    const frames = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1].concat([1, 2, 3, 0, -1, 0, 1, 0, 0, 0, 0, 1])
    const eye = eyeOf(facts, frames, 1, null)
    expect(eye).toMatchObject({ position: [1, 2, 3], aspect: 4 / 3, fieldOfView: 60 })
    expect(eye.quaternion[2]).toBeCloseTo(Math.SQRT1_2)
    expect(eyeOf(facts, frames, 1, 1).aspect).toBe(1)
    expect(fitted(800, 300, 4 / 3)).toEqual({ x: 200, y: 0, width: 400, height: 300 })
    expect(fitted(800, 300, null)).toEqual({ x: 0, y: 0, width: 800, height: 300 })
  })

  it('shows all of the robot on a narrow screen too', () => {
    expect(fieldOfViewAt(28, 4 / 3, 2)).toBe(28)
    const narrow = fieldOfViewAt(28, 4 / 3, 2 / 3)
    const half = (degrees: number) => Math.tan((degrees * Math.PI) / 360)
    expect(half(narrow) * (2 / 3)).toBeCloseTo(half(28) * (4 / 3))
  })

  const placed = (x: number, z: number) => [0, 0, 0, 1, 0, 0, 0, x, 0, z, 1, 0, 0, 0]

  it('goes with a robot that leaves, and up and down with one that flies', () => {
    const { gone } = follower(1, 2)
    expect([placed(5, 1), placed(6, 1), placed(6, 9)].map((frames) => gone(frames).x)).toEqual([0, 2, 0])
    expect([placed(6, 8.9), placed(6, 1)].map((frames) => gone(frames).z)).toEqual([0, -15.5])
    expect(follower(null, 2).gone(placed(9, 9))).toEqual({ x: 0, y: 0, z: 0 })
  })

  it('stays where it is if it should not follow, and catches up when it should again', () => {
    const { follow, gone } = follower(1, 1)
    gone(placed(0, 0))
    follow(false)
    expect(gone(placed(4, 0)).x).toBe(0)
    follow(true)
    expect(gone(placed(5, 0)).x).toBe(5)
  })

  it('follows what floats, else what slides away, and nothing of a robot that stays', () => {
    const bodies = ['world', 'base', 'cart', 'arm'].map((name, at) => ({ name, parent: Math.max(0, at - 1) }))
    const of = (floating: boolean, ...joints: Partial<JointFacts>[]) =>
      followedBody({
        bodies,
        extent: 0.5,
        facts: { roots: [{ name: 'base', floating, mass_kg: 1 }], joints: joints.map(joint) },
      } as never)
    const [slide, arm] = [{ type: 'slide', body: 'cart' }, { body: 'arm' }] as const
    expect(of(true, { type: 'free', body: 'base' })).toBe(1)
    expect(of(false, slide, arm)).toBe(2)
    expect(of(false, { ...slide, limited: true, range: [-1, 1] }, arm)).toBe(2)
    expect(of(false, { ...slide, limited: true, range: [0, 0.3] }, arm)).toBeNull()
    expect(of(false, arm, slide)).toBeNull()
  })

  it('says which files are missing and where they are named, a few of many', () => {
    const missing = Array.from({ length: 12 }, (_, at) => ({
      path: `m${at}.stl`,
      alternatives: [],
      kind: 'mesh',
      file: 'robot.xml',
      line: at + 1,
    }))
    const { title, details } = missingFiles(missing)
    expect(title).toBe('12 files of the model are missing')
    expect(details[0]).toBe('robot.xml:1: m0.stl is not in the repo.')
    expect(details).toHaveLength(9)
    expect(refused('x'.repeat(5_000), []).details[0]?.length).toBeLessThan(700)
  })
})
