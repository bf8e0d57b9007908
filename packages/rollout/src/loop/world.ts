/** A compiled model with its data, and where its joints, bodies and sites are in it. */
import type { JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { Data, Model, Mujoco } from '@hub/robot-view/physics/mujoco'
import { namesOf } from '@hub/robot-view/physics/read-facts'

export interface World {
  readonly mujoco: Mujoco
  readonly model: Model
  readonly data: Data
  readonly facts: ModelFacts
}

/** A joint of one number: its place among the joints, in qpos and among the degrees of freedom. */
export interface Axis {
  readonly name: string
  readonly joint: number
  readonly qpos: number
  readonly dof: number
  readonly turns: boolean
}

/** The first joint that floats: of the robot's base. */
interface Base {
  readonly qpos: number
  readonly dof: number
  readonly body: number
}

export interface Places {
  axis(name: string): Axis | null
  readonly base: Base | null
  body(name: string): number
  site(name: string): number
  /** The body that a joint moves. */
  bodyOf(joint: number): number
}

type Numbers = ArrayLike<number>

/** Where things are. A body or site that is not there is at -1. */
export function placesOf({ model, facts }: Pick<World, 'model' | 'facts'>): Places {
  const names = namesOf(model)
  const dofs = [...(model.jnt_dofadr as Iterable<number>)]
  const bodies = [...(model.jnt_bodyid as Iterable<number>)]
  const hasOneNumber = ({ type }: JointFacts) => type === 'hinge' || type === 'slide'
  const floating = facts.joints.findIndex(({ type }) => type === 'free')
  const free = facts.joints[floating]
  return {
    axis(name) {
      const joint = facts.joints.findIndex((one) => one.name === name && hasOneNumber(one))
      const found = facts.joints[joint]
      if (!found) return null
      return { name, joint, qpos: found.qpos, dof: dofs[joint] ?? 0, turns: found.type === 'hinge' }
    },
    base: free ? { qpos: free.qpos, dof: dofs[floating] ?? 0, body: bodies[floating] ?? 0 } : null,
    body: (name) => names.bodies.indexOf(name),
    site: (name) => names.sites.indexOf(name),
    bodyOf: (joint) => bodies[joint] ?? 0,
  }
}

/** A number of an array of the engine, whose view is void as soon as its memory grows. */
export const at = (values: unknown, place: number): number => (values as Numbers)[place] ?? 0

/** MuJoCo's own limit of a number of its state (`mjMAXVAL`). */
const MAX_VALUE = 1e10

/** Whether the motion is no longer one: a number that is none, or beyond MuJoCo's own limit. */
export function hasDiverged({ facts, data }: World): boolean {
  for (let place = 0; place < facts.nq; place += 1) if (!(Math.abs(at(data.qpos, place)) < MAX_VALUE)) return true
  for (let place = 0; place < facts.nv; place += 1) if (!(Math.abs(at(data.qvel, place)) < MAX_VALUE)) return true
  return false
}
