/** What the numbers of a policy do to the actuators of a model, by the semantics and scales of the interface. */

import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { isDirect } from '@hub/robot-view/physics/direct-drive'
import type { ActuatorFacts } from '@hub/robot-view/physics/model-facts'
import { asked, type Limb, type Limbs, seen } from './limbs.ts'
import type { PolicyContract } from './policy-contract.ts'
import { type Axis, at, type World } from './world.ts'

export interface Actuation {
  readonly lacks: readonly string[]
  /** What the raw numbers of one action ask of each joint now, in the robot's numbers: position, speed or torque. */
  targets(action: ArrayLike<number>): Float64Array
  /** Puts targets into the controls; before each step, since a motor follows its position step by step. */
  drive(targets: Float64Array): void
}

/** What the controls of an actuator are: of its own side of the gear. */
type Drive = (target: number) => number

interface Driven {
  readonly ctrl: number
  readonly drive: Drive
}

/** Of each semantics the kind of target. */
const kinds: Readonly<Record<string, 'position' | 'velocity' | 'torque'>> = {
  position: 'position',
  position_offset: 'position',
  position_delta: 'position',
  velocity: 'velocity',
  torque: 'torque',
}

/** `rest`: position of each joint in the default pose, as the policy sees it. */
export function actuation(
  world: World,
  { all, held }: Limbs,
  rest: readonly number[],
  { contract: { action }, face }: { readonly contract: PolicyContract; readonly face: EmbodimentInterface },
): Actuation {
  const { semantics, scale, scalePerJoint, clip } = action
  const kind = Object.hasOwn(kinds, semantics) ? kinds[semantics] : undefined
  if (!kind)
    return {
      lacks: [`The policy's action is ${JSON.stringify(semantics)}: the simulation drives joints alone.`],
      targets: () => new Float64Array(0),
      drive: () => undefined,
    }
  const lacks: string[] = []
  const driveOf = (axis: Axis, of: Kind, what: string): Driven | null => {
    const found = drivenBy(world, axis, of, face)
    if (!('lacks' in found)) return found
    lacks.push(`${what} ${JSON.stringify(axis.name)}: ${found.lacks}.`)
    return null
  }
  const driven = all.map(({ axis }) => axis && driveOf(axis, kind, 'The policy drives'))
  // Whatever the policy asks for, a joint that is held is held at a position.
  const holders = held.map(({ axis, value }) => ({ value, driven: driveOf(axis, 'position', 'The map holds') }))
  const scales = all.map(({ name }) => scalePerJoint[name] ?? scale)
  const limit = clip ?? Number.POSITIVE_INFINITY
  const from = (limb: Limb, place: number) => {
    if (semantics === 'position_offset') return rest[place] ?? 0
    return semantics === 'position_delta' ? seen.position(world, limb) : 0
  }
  return {
    lacks,
    targets: (raw) =>
      Float64Array.from(all, (limb, place) => {
        const value = Math.min(limit, Math.max(-limit, raw[place] ?? 0))
        return asked[kind](limb, from(limb, place) + (scales[place] ?? 1) * value)
      }),
    drive(targets) {
      for (const [place, one] of driven.entries()) if (one) world.data.ctrl[one.ctrl] = one.drive(targets[place] ?? 0)
      for (const { value, driven: one } of holders) if (one) world.data.ctrl[one.ctrl] = one.drive(value)
    },
  }
}

type Kind = 'position' | 'velocity' | 'torque'

/** The actuator that gives a joint what is asked, or why there is none. */
function drivenBy(
  world: World,
  axis: Axis,
  kind: Kind,
  face: EmbodimentInterface,
): Driven | { readonly lacks: string } {
  const { facts, model } = world
  const place = facts.actuators.findIndex((one) => isDirect(one.transmission) && one.joints[0] === axis.joint)
  const actuator = facts.actuators[place]
  if (!actuator) return { lacks: 'no actuator of the model moves it directly' }
  const ctrl = at(model.actuator_ctrladr, place)
  const drive = actuator.mode === kind ? direct(actuator, kind) : followed(world, axis, actuator, kind, face)
  return typeof drive === 'string' ? { lacks: drive } : { ctrl, drive }
}

/** A servo of the same kind, or a motor. */
function direct({ gear, gain_value }: ActuatorFacts, kind: Kind): Drive {
  return kind === 'torque' ? (target) => target / (gear * gain_value) : (target) => target * gear
}

/** A motor that follows a position or a speed by the gains of the card, as the driver of a real joint does. */
function followed(
  { data }: World,
  axis: Axis,
  { name, mode, gear, gain_value }: ActuatorFacts,
  kind: Kind,
  face: EmbodimentInterface,
): Drive | string {
  const asked = `the action is a ${kind}`
  if (mode !== 'torque') return `${asked}, and its actuator ${JSON.stringify(name ?? '')} takes a ${mode ?? 'force'}`
  const group = face.actuation.find(({ joints }) => joints.includes(axis.name))
  const [kp, kd] = [kind === 'position' ? group?.kp : 0, group?.kd]
  if (typeof kp !== 'number' || typeof kd !== 'number')
    return `${asked}, its actuator is a motor, and the card has no kp and kd for it`
  const most = group?.effort_limit ?? Number.POSITIVE_INFINITY
  const [position, speed] = kind === 'position' ? [1, 0] : [0, 1]
  return (target) => {
    const wanted = kp * position * (target - at(data.qpos, axis.qpos)) + kd * (speed * target - at(data.qvel, axis.dof))
    return Math.min(most, Math.max(-most, wanted)) / (gear * gain_value)
  }
}
