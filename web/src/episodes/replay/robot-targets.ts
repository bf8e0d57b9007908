/** What of a robot a recorded number can set: each number of qpos, by a name. Pure. */
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'

export interface RobotTarget {
  /** The joint's name; of a joint with several numbers, with the number's after a point: `base.x`, `base.qw`. */
  readonly name: string
  /** Of the model; null for a part of a quaternion. */
  readonly unit: 'rad' | 'm' | null
  /** Place in qpos. */
  readonly at: number
  /** Limits of the joint; null where nothing limits it. */
  readonly range: readonly [number, number] | null
}

const places = ['x', 'y', 'z'] as const
const turns = ['qw', 'qx', 'qy', 'qz'] as const

/** In the order of qpos. A joint without a name is called by its body. */
export function targetsOf({ joints }: Pick<ModelFacts, 'joints'>): RobotTarget[] {
  return joints.flatMap((joint, place) => {
    const { type, qpos, limited, range } = joint
    const name = joint.name ?? joint.body ?? `joint ${place}`
    if (type === 'hinge' || type === 'slide')
      return [{ name, unit: type === 'hinge' ? 'rad' : 'm', at: qpos, range: limited ? range : null } as const]
    const shift = type === 'free' ? places.map((part, at) => partOf(name, part, 'm', qpos + at)) : []
    const first = qpos + shift.length
    return [...shift, ...turns.map((part, at) => partOf(name, part, null, first + at))]
  })
}

const partOf = (name: string, part: string, unit: 'm' | null, at: number): RobotTarget => ({
  name: `${name}.${part}`,
  unit,
  at,
  range: null,
})
