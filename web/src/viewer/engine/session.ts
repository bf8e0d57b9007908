/** One compiled model and its state: what the page asks of MuJoCo, without the worker around it. */
import { numbers } from '@hub/robot-view/physics/arrays'
import { holdPose } from '@hub/robot-view/physics/hold-pose'
import { readMasses } from '@hub/robot-view/physics/inertia-boxes'
import type { Data, LoadedMujoco, Model } from '@hub/robot-view/physics/mujoco'
import { poseAgain, posed } from '@hub/robot-view/physics/posed'
import { bodiesAt, posesAt } from '@hub/robot-view/physics/poses-at'
import { readCameras } from '@hub/robot-view/physics/read-cameras'
import { contactsAt } from '@hub/robot-view/physics/read-contacts'
import { namesOf, readFacts } from '@hub/robot-view/physics/read-facts'
import { readLayeredScene } from '@hub/robot-view/physics/read-scene'
import { hasDiverged, type World } from '@hub/rollout/loop/world'
import { viewerLimits } from '../limits.ts'
import { tooManyShapes, ViewerProblem } from '../problems.ts'
import type { CardPose, OpenedModel, PoseFrame } from '../protocol.ts'

export interface Session {
  readonly opened: Omit<OpenedModel, 'loaded'>
  /** For a policy that drives it. */
  readonly world: World
  frame(): PoseFrame
  /** Where bodies and cameras are. */
  poses(): Pick<PoseFrame, 'bodies' | 'cameras'>
  /** Sets places of qpos from `at` on; speeds of the whole model become 0. */
  setQpos(at: number, values: readonly number[]): void
  /**
   * Puts the model at a pose, all of qpos, without a step; `ghost`: a second pose that the frames carry too, until the
   * next call.
   */
  replay(qpos: readonly number[], ghost: readonly number[] | null): void
  setControl(at: number, value: number): void
  /** Puts the model at a keyframe, or at the default pose (-1), with its position servos holding it. */
  toKeyframe(at: number): void
  /** Steps once. */
  step(): void
  /**
   * Steps by so many seconds of the model's own time, or until `isOver`. What is less than one step is kept for the
   * next call.
   */
  advance(seconds: number, isOver: () => boolean): void
}

/**
 * The session of a model that `compileModel` made. Throws a `SceneTooLarge` or a `ViewerProblem` where there is too
 * much of it to draw.
 */
export function openSession(engine: LoadedMujoco, model: Model, pose: CardPose): Session {
  const { mujoco, files } = engine
  if (model.ngeom > viewerLimits.shapes || model.nbody > viewerLimits.bodies)
    throw new ViewerProblem(tooManyShapes(model.ngeom, model.nbody))
  const facts = readFacts(mujoco, files, model)
  const { data } = posed({ mujoco, model, facts, pose: pose.joints, named: pose.keyframe })
  const scene = readLayeredScene(engine, model, data, viewerLimits.sceneBytes)
  const cameras = readCameras(model)
  holdPose(model, data, facts)
  // MuJoCo would put what diverges back to the pose of its file, and say nothing.
  model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET.value
  const world = { mujoco, model, data, facts }
  let owed = 0
  let unstable = false
  let second: Data | null = null
  let isGhostShown = false
  const endWild = () => {
    if (!hasDiverged(world)) return
    session.toKeyframe(-1)
    unstable = true
  }
  const session: Session = {
    world,
    opened: { facts, cameras, scene, version: mujoco.mj_versionString(), ...partsOf(model, facts) },
    frame() {
      const frame = frameOf(model, data, cameras.length, unstable)
      unstable = false
      return { ...frame, ghost: second && isGhostShown ? bodiesAt(model, second) : null }
    },
    poses: () => posesAt(model, data, cameras.length),
    setQpos(at, values) {
      for (const [place, value] of values.entries()) data.qpos[at + place] = value
      data.qvel.fill(0)
      mujoco.mj_forward(model, data)
    },
    replay(qpos, ghost) {
      session.setQpos(0, qpos)
      isGhostShown = ghost !== null
      if (ghost === null) return
      second ??= new mujoco.MjData(model)
      for (const [place, value] of ghost.entries()) second.qpos[place] = value
      mujoco.mj_kinematics(model, second)
    },
    setControl(at, value) {
      data.ctrl[at] = value
    },
    toKeyframe(at) {
      owed = 0
      if (at === -1) poseAgain({ mujoco, model, data, facts, pose: pose.joints, named: pose.keyframe })
      else {
        mujoco.mj_resetDataKeyframe(model, data, at)
        mujoco.mj_forward(model, data)
      }
      holdPose(model, data, facts)
    },
    step() {
      owed = 0
      mujoco.mj_step(model, data)
      endWild()
    },
    advance(seconds, isOver) {
      const stepS = model.opt.timestep
      owed += seconds
      while (owed >= stepS) {
        mujoco.mj_step(model, data)
        owed -= stepS
        if (isOver()) owed = 0
      }
      endWild()
    },
  }
  return session
}

/** What panels show of bodies and actuators. */
function partsOf(model: Model, facts: ReturnType<typeof readFacts>) {
  const names = namesOf(model).bodies
  const masses = readMasses(model)
  return {
    bodies: numbers(model.body_parentid).map((parent, body) => ({
      name: bodyName(names[body], body),
      parent,
      ...(masses[body] ?? { mass: 0, box: null }),
    })),
    extent: model.stat.extent,
    controls: facts.actuators.map((_, at) => model.actuator_ctrladr[at] ?? at),
  }
}

function frameOf(model: Model, data: Data, cameras: number, unstable: boolean): Omit<PoseFrame, 'ghost'> {
  return {
    time: data.time,
    qpos: Float64Array.from(data.qpos as ArrayLike<number>),
    ctrl: Float64Array.from(data.ctrl as ArrayLike<number>),
    ...posesAt(model, data, cameras),
    contacts: contactsAt(data),
    unstable,
  }
}

const bodyName = (name: string | null | undefined, body: number) => name ?? (body === 0 ? 'world' : `body ${body}`)
