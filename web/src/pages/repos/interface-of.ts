/** The interface of a robot's card as the graph has it, in the names of cards. Pure. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { ViewedRobotQuery } from './robot.graphql.ts'

type Face = NonNullable<NonNullable<NonNullable<ViewedRobotQuery['repo']>['card']>['interface']>

/** What a policy relies on. */
export function interfaceOf(face: Face): EmbodimentInterface {
  return {
    version: face.version,
    base: face.base,
    joint_order: [...face.jointOrder],
    default_pose: numbersOf(face.defaultPose),
    default_keyframe: face.defaultKeyframe,
    control_rate_hz: face.controlRateHz,
    physics_dt_s: face.physicsDtS,
    actuation: face.actuation.map(({ joints, mode, kp, kd, effortLimit }) => ({
      joints: [...joints],
      mode,
      kp,
      kd,
      effort_limit: effortLimit,
    })),
    action: {
      semantics: face.action.semantics,
      scale: face.action.scale,
      scale_per_joint: numbersOf(face.action.scalePerJoint),
      clip: face.action.clip,
    },
  }
}

/** The hub checks a card's pose and scales when it is stored: joint names and numbers. */
export function numbersOf(values: unknown): Record<string, number> | null {
  if (typeof values !== 'object' || values === null) return null
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))
}
