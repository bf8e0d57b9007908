/** Groups of joints with equal actuation, and the limits of joints: the model's values, overridden by answers. Pure. */
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { isDirect } from '@hub/robot-view/physics/direct-drive'
import { type CheckAction, type CheckOptions, type Need, need } from '../request.ts'
import type { DrivenJoint } from './driven-joints.ts'

type Group = NonNullable<RobotCardDocument['interface']>['actuation'][number]
type Limits = NonNullable<RobotCardDocument['limits']>

/** How a joint is driven in a model without actuators: as the action requires. */
const modeOfAction: Readonly<Record<CheckAction, string>> = {
  position: 'position',
  position_offset: 'position',
  position_delta: 'position',
  velocity: 'velocity',
  torque: 'torque',
}

export interface Actuation {
  readonly groups: readonly Group[]
  readonly needs: readonly Need[]
}

/**
 * One group for each way of being driven, in the order of their first joints. `velocities`: rad/s or m/s by joint, of a
 * URDF.
 */
export function actuationOf(
  joints: readonly DrivenJoint[],
  action: CheckAction | null,
  options: CheckOptions,
  velocities: ReadonlyMap<string, number>,
): Actuation {
  const groups = new Map<string, Group>()
  const odd: string[] = []
  for (const driven of joints) {
    const drive = driveOf(driven, action, options, velocities)
    if (drive === null) {
      odd.push(driven.name)
      continue
    }
    const key = JSON.stringify(drive)
    const before = groups.get(key)
    groups.set(key, { joints: [...(before?.joints ?? []), driven.name], ...drive })
  }
  const found = [...groups.values()]
  return { groups: found, needs: [...oddNeeds(odd), ...gainNeeds(found)] }
}

/** Null if it is neither a servo nor a motor, or if the action is unknown. Unknown members are omitted. */
function driveOf(
  { name, joint, actuator }: DrivenJoint,
  action: CheckAction | null,
  options: CheckOptions,
  velocities: ReadonlyMap<string, number>,
): Omit<Group, 'joints'> | null {
  const mode = actuator ? actuator.mode : action && modeOfAction[action]
  if (mode === null) return null
  // Through a gear a servo is stiffer by its square; a tendon's gains are not those of its joints.
  const gear = actuator && isDirect(actuator.transmission) ? actuator.gear ** 2 : Number.NaN
  return present({
    mode,
    kp: options.kp ?? scaled(actuator?.kp, gear),
    kd: options.kd ?? scaled(actuator?.kd, gear),
    effort_limit: effortOf({ name, joint, actuator }),
    velocity_limit: velocities.get(name) ?? null,
    armature: options.armature ?? joint.armature,
    friction_loss: options.friction_loss ?? joint.friction_loss,
  })
}

const scaled = (gain: number | null | undefined, by: number) =>
  gain === null || gain === undefined || Number.isNaN(by) ? null : gain * by

function present<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T
}

/** The least of what limits the joint, its actuator and that actuator's control; null where nothing does. */
function effortOf({ joint, actuator }: DrivenJoint): number | null {
  const direct = actuator && isDirect(actuator.transmission) ? actuator : null
  const gear = Math.abs(direct?.gear ?? 1)
  const motorForce = direct?.mode === 'torque' ? Math.abs(direct.gain_value) : null
  const bounds = [
    largest(joint.force_range),
    direct && times(largest(direct.force_range), gear),
    direct && motorForce !== null ? times(largest(direct.ctrl_range), motorForce * gear) : null,
  ].filter((bound) => bound !== null)
  return bounds.length > 0 ? Math.min(...bounds) : null
}

const largest = (range: readonly [number, number] | null) =>
  range === null ? null : Math.max(Math.abs(range[0]), Math.abs(range[1]))
const times = (value: number | null, by: number) => (value === null ? null : value * by)

/** Of joints that have any: positions in rad or m, velocity per s, effort in N*m or N. */
export function limitsOf(joints: readonly DrivenJoint[], velocities: ReadonlyMap<string, number>): Limits {
  const entries = joints.map(({ name, joint, actuator }) => {
    const [lower, upper] = joint.limited ? joint.range : [null, null]
    return [
      name,
      present({
        lower,
        upper,
        velocity: velocities.get(name) ?? null,
        effort: effortOf({ name, joint, actuator }),
      }),
    ] as const
  })
  return Object.fromEntries(entries.filter(([, limits]) => Object.keys(limits).length > 0))
}

function oddNeeds(names: readonly string[]): Need[] {
  if (names.length === 0) return []
  const why = 'What drives these joints is neither a position or velocity servo nor a motor: no group says how.'
  return [need('advice', 'interface.actuation', why, { names, suggestion: 'Add a group for them to the card.' })]
}

function gainNeeds(groups: readonly Group[]): Need[] {
  const names = groups.flatMap(({ mode, kp, joints }) => (mode === 'position' && typeof kp !== 'number' ? joints : []))
  if (names.length === 0) return []
  const why = 'How stiff these joints are driven is not in the model: a simulation cannot follow their positions.'
  return [need('advice', 'options.kp', why, { names, suggestion: 'Answer kp and kd as the real drives are tuned.' })]
}
