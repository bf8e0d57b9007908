/** Checks every step of a simulation: does it diverge, how fast does it get, do joints leave their ranges. */
import type { JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { Data } from '@hub/robot-view/physics/mujoco'
import type { Extreme, SimulationFacts } from './protocol.ts'

/** Far above any robot that stands or hangs still: 160 turns a second, or a fall of ten seconds. */
const MAX_ANGULAR_SPEED = 1_000
const MAX_LINEAR_SPEED = 100

/** MuJoCo's limits are springs: a joint that rests at its stop is a little beyond it. */
const RANGE_TOLERANCE = { hinge: 0.05, slide: 0.005 } as const

export type Motion = Pick<
  SimulationFacts,
  'simulated_s' | 'slow' | 'diverged' | 'max_angular_speed' | 'max_linear_speed' | 'out_of_range'
>

export interface MotionWatch {
  /** The pose before the first step. */
  start(data: Data): void
  /** False if further steps are useless: it diverged. */
  step(data: Data): boolean
  /** `slow`: it was ended since it took too long. */
  seen(slow: boolean): Motion
}

/** A joint's degree of freedom. */
interface Dof {
  readonly joint: string | null
  readonly angular: boolean
}

/** Watches one simulation of the model; a step costs a check of each of its speeds and ranges. */
export function motionWatch({ joints }: ModelFacts): MotionWatch {
  const dofs = joints.flatMap(dofsOf)
  const ranged = joints.filter(({ type, limited }) => limited && (type === 'hinge' || type === 'slide'))
  const outside = new Map<JointFacts, { by: number; at_start: boolean }>()
  let angular: Extreme = none
  let linear: Extreme = none
  let diverged: SimulationFacts['diverged'] = null
  let timeS = 0

  const lookAtRanges = (data: Data, atStart: boolean) => {
    const qpos = data.qpos as ArrayLike<number>
    for (const joint of ranged) {
      const at = qpos[joint.qpos] ?? 0
      const by = Math.max(joint.range[0] - at, at - joint.range[1])
      const before = outside.get(joint)
      if (by > RANGE_TOLERANCE[joint.type as 'hinge' | 'slide'] && by > (before?.by ?? 0))
        outside.set(joint, { by, at_start: before?.at_start ?? atStart })
    }
  }

  const lookAtSpeeds = (data: Data) => {
    const qvel = data.qvel as ArrayLike<number>
    for (let at = 0; at < dofs.length; at += 1) {
      const dof = dofs[at] as Dof
      const value = Math.abs(qvel[at] ?? 0)
      const most = dof.angular ? MAX_ANGULAR_SPEED : MAX_LINEAR_SPEED
      if (!(value <= most)) {
        const unit = dof.angular ? 'rad/s' : 'm/s'
        const why = Number.isFinite(value) ? `is faster than ${most} ${unit}` : 'is no longer a number'
        diverged ??= { at_s: timeS, joint: dof.joint, why }
      } else if (dof.angular && value > angular.value) angular = { joint: dof.joint, value }
      else if (!dof.angular && value > linear.value) linear = { joint: dof.joint, value }
    }
  }

  return {
    start(data) {
      timeS = data.time
      lookAtRanges(data, true)
    },
    step(data) {
      timeS = data.time
      lookAtSpeeds(data)
      if (diverged === null) lookAtRanges(data, false)
      return diverged === null
    },
    seen: (slow) => ({
      simulated_s: timeS,
      slow,
      diverged,
      max_angular_speed: angular,
      max_linear_speed: linear,
      out_of_range: [...outside].map(([{ name }, { by, at_start }]) => ({ joint: name, by, at_start })),
    }),
  }
}

const none: Extreme = { joint: null, value: 0 }

function dofsOf({ name, type }: JointFacts): Dof[] {
  const dof = (angular: boolean): Dof => ({ joint: name, angular })
  switch (type) {
    case 'free':
      return [false, false, false, true, true, true].map(dof)
    case 'ball':
      return [true, true, true].map(dof)
    case 'slide':
      return [dof(false)]
    case 'hinge':
      return [dof(true)]
  }
}
