/** Which joints of a model a policy drives, and by what. Pure. */
import type { ActuatorFacts, JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import { type Need, need } from '../request.ts'

/** A joint of `joint_order`. */
export interface DrivenJoint {
  readonly name: string
  readonly joint: JointFacts
  /** Its actuator: the one with the most information. Null in a model without actuators, such as a URDF. */
  readonly actuator: ActuatorFacts | null
}

export interface DrivenJoints {
  readonly joints: readonly DrivenJoint[]
  readonly needs: readonly Need[]
}

const isDrivable = ({ type }: JointFacts) => type === 'hinge' || type === 'slide'

/**
 * Hinges and slides that an actuator moves, in the order of the model; all of them where the model has no actuators.
 */
export function drivenJoints({ joints, actuators }: ModelFacts): DrivenJoints {
  const drives = drivesByJoint(actuators)
  const drivable = joints.map((joint, at) => ({ joint, at })).filter(({ joint }) => isDrivable(joint))
  const isDriven = (at: number) => actuators.length === 0 || drives.has(at)
  const driven = drivable.filter(({ at }) => isDriven(at))
  const passive = drivable.filter(({ at }) => !isDriven(at)).flatMap(({ joint }) => joint.name ?? [])
  return {
    joints: driven.flatMap(({ joint, at }) =>
      joint.name === null ? [] : [{ name: joint.name, joint, actuator: drives.get(at) ?? null }],
    ),
    needs: [...unnamed(driven), ...notDriven(passive), ...(driven.length === 0 ? [nothingDriven()] : [])],
  }
}

const ranks: readonly ActuatorFacts['mode'][] = ['position', 'velocity', 'torque', null]

function drivesByJoint(actuators: readonly ActuatorFacts[]): ReadonlyMap<number, ActuatorFacts> {
  const found = new Map<number, ActuatorFacts>()
  for (const actuator of actuators) {
    for (const joint of actuator.joints) {
      const before = found.get(joint)
      if (!before || ranks.indexOf(actuator.mode) < ranks.indexOf(before.mode)) found.set(joint, actuator)
    }
  }
  return found
}

function unnamed(driven: readonly { readonly joint: JointFacts }[]): Need[] {
  const bodies = driven.flatMap(({ joint }) => (joint.name === null ? [joint.body ?? 'an unnamed body'] : []))
  if (bodies.length === 0) return []
  const why = `${bodies.length} driven joints have no name of their own, and a policy indexes joints by name.`
  const suggestion = `Name the joints of ${bodies.slice(0, 5).join(', ')} in the model.`
  return [need('blocking', 'interface.joint_order', why, { names: bodies, suggestion })]
}

function notDriven(names: readonly string[]): Need[] {
  if (names.length === 0) return []
  const why = 'No actuator moves these joints, so they are not in joint_order.'
  return [
    need('advice', 'interface.joint_order', why, { names, suggestion: 'Add an actuator if a policy drives them.' }),
  ]
}

function nothingDriven(): Need {
  const why = 'The model has no hinge or slide that a policy could drive: joint_order is empty.'
  return need('advice', 'interface.joint_order', why)
}
