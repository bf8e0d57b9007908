/** Where a rollout starts: the default pose, with what the task says or draws over it. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { holdPose } from '@hub/robot-view/physics/hold-pose'
import { poseAgain } from '@hub/robot-view/physics/posed'
import type { Task } from '../task-schema.ts'
import { type Limbs, seen } from './limbs.ts'
import type { Seeded } from './seeded.ts'
import type { Axis, Places, World } from './world.ts'

interface StartOptions {
  readonly face: EmbodimentInterface
  readonly task: Task
  readonly limbs: Limbs
  readonly random: Seeded
  /** Gets a sentence for each thing that the model does not have. */
  readonly lacks: string[]
}

type Starting = NonNullable<NonNullable<Task['start']>['positions']>

/** Answers the position of each joint in the default pose, as the policy sees it: offsets count from it. */
export function startOver(world: World, places: Places, options: StartOptions): number[] {
  const { mujoco, model, data, facts } = world
  const { face, task, limbs, random, lacks } = options
  const keyframe = task.start?.keyframe ?? face.default_keyframe ?? null
  if (task.start?.keyframe !== undefined && !facts.keyframes.some(({ name }) => name === keyframe))
    lacks.push(`The task starts from the keyframe ${JSON.stringify(keyframe)}, which the model does not have.`)
  poseAgain({ mujoco, model, data, facts, pose: limbs.pose, named: keyframe })
  const rest = limbs.all.map((limb) => seen.position(world, limb))
  const put = (values: Starting | undefined, write: (axis: Axis, value: number) => void) => {
    for (const [name, value] of Object.entries(values ?? {})) {
      const axis = places.axis(name)
      const drawn = typeof value === 'number' ? value : random.between(...value)
      if (axis) write(axis, drawn)
      else lacks.push(`The task starts the joint ${JSON.stringify(name)}, which the model does not have.`)
    }
  }
  put(task.start?.positions, (axis, value) => {
    data.qpos[axis.qpos] = value
  })
  put(task.start?.velocities, (axis, value) => {
    data.qvel[axis.dof] = value
  })
  data.xfrc_applied.fill(0)
  mujoco.mj_forward(model, data)
  holdPose(model, data, facts)
  return rest
}
