/** Robots that MuJoCo moved: what a driver would record of them, and where their bodies were at each frame. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import type { Data, LoadedMujoco, Model } from '@hub/robot-view/physics/mujoco'
import { targetsOf } from '../../../web/src/episodes/replay/robot-targets.ts'
import { gatherFiles } from '../../../web/src/viewer/engine/gather-files.ts'
import { openSession, type Session } from '../../../web/src/viewer/engine/session.ts'
import type { Recorded } from './lerobot.ts'

export interface MovedRobot {
  readonly session: Session
  readonly recorded: Recorded
  /** Seven numbers of each body at each frame of each episode: position, then the quaternion. */
  readonly bodies: readonly (readonly Float64Array[])[]
}

const FPS = 20
const FRAMES = [25, 40, 15] as const

/** The robot of a folder. What is recorded are all numbers of its pose, by the names that a replay knows them by. */
export async function movedRobot(engine: LoadedMujoco, folder: string, entry: string): Promise<MovedRobot> {
  const model = await compiled(engine, folder, entry)
  const session = openSession(engine, model, { keyframe: null, joints: null })
  const targets = targetsOf(session.opened.facts)
  const { mujoco } = engine
  const [data, still] = [new mujoco.MjData(model), new mujoco.MjData(model)]
  const bodies: Float64Array[][] = []
  const episodes = FRAMES.map((frames, episode) => {
    const seen: Float64Array[] = []
    const state = simulated({ engine, model, data, frames, episode }).map((qpos) => {
      // As LeRobot stores them.
      const row = targets.map(({ at }) => Math.fround(qpos[at] ?? 0))
      seen.push(
        kinematics(
          engine,
          model,
          still,
          row.map((value, place) => [targets[place]?.at ?? 0, value] as const),
        ),
      )
      return row
    })
    bodies.push(seen)
    const action = state.map((row) => row.map((value) => Math.fround(value + 0.2)))
    return { state, action }
  })
  data.delete()
  still.delete()
  const recorded = { fps: FPS, joints: targets.map(({ name }) => name), robotType: 'lab/robot', episodes }
  return { session, recorded, bodies }
}

async function compiled(engine: LoadedMujoco, folder: string, entry: string): Promise<Model> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
  const read = (path: string) => readFile(join(folder, path))
  const sizes = new Map(paths.map((path) => [path, 1] as const))
  const repo = { sizes, read: (asked: readonly string[]) => Promise.all(asked.map(read)) }
  const { files } = await gatherFiles(repo, entry, null, () => undefined)
  for (const [path, bytes] of files) putFile(engine.files, path, bytes)
  const made = compileModel(engine, entry)
  if ('refused' in made) throw new Error(made.refused)
  return made.model
}

/** Poses, one a frame, of a robot whose actuators swing; each episode begins elsewhere. */
function simulated(options: {
  readonly engine: LoadedMujoco
  readonly model: Model
  readonly data: Data
  readonly frames: number
  readonly episode: number
}): number[][] {
  const { engine, model, data, frames, episode } = options
  const { mujoco } = engine
  mujoco.mj_resetData(model, data)
  if (model.nkey > 0) mujoco.mj_resetDataKeyframe(model, data, 0)
  const steps = Math.round(1 / FPS / model.opt.timestep)
  const [controls, ranges] = [data.ctrl as Float64Array, model.actuator_ctrlrange as Float64Array]
  return Array.from({ length: frames }, (_, frame) => {
    for (let at = 0; at < model.nu; at += 1) {
      const [low, high] = [ranges[2 * at] ?? 0, ranges[2 * at + 1] ?? 0]
      controls[at] = (low + high) / 2 + ((high - low) / 4) * Math.sin(frame / 4 + at + episode)
    }
    // A model without actuators is pushed.
    if (model.nu === 0) for (let dof = 0; dof < model.nv; dof += 1) data.qvel[dof] = Math.sin(frame / 4 + dof + episode)
    for (let step = 0; step < steps; step += 1) mujoco.mj_step(model, data)
    return Array.from(data.qpos as Float64Array)
  })
}

/** MuJoCo's own forward kinematics of a pose that is given number by number. */
function kinematics(
  { mujoco }: LoadedMujoco,
  model: Model,
  data: Data,
  pose: readonly (readonly [at: number, value: number])[],
): Float64Array {
  for (const [at, value] of pose) data.qpos[at] = value
  mujoco.mj_kinematics(model, data)
  const [places, turns] = [data.xpos as Float64Array, data.xquat as Float64Array]
  const found = new Float64Array(7 * model.nbody)
  for (let body = 0; body < model.nbody; body += 1) {
    found.set(places.subarray(3 * body, 3 * body + 3), 7 * body)
    found.set(turns.subarray(4 * body, 4 * body + 4), 7 * body + 3)
  }
  return found
}
