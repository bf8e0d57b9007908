/** The request of a robot check, in the names of `/v1`. Spec, "Robot check job". */

/** How an action moves a joint. Contract, "Robot checks". */
export type CheckAction = 'position' | 'position_offset' | 'position_delta' | 'velocity' | 'torque'

/** A person's possible answers. An absent or null one is not answered, and nothing replaces it. */
export interface CheckOptions {
  readonly action_scale?: number | null
  readonly action_clip?: number | null
  readonly kp?: number | null
  readonly kd?: number | null
  readonly armature?: number | null
  readonly friction_loss?: number | null
  readonly proprioception?: readonly string[] | null
  readonly command?: string | null
  readonly default_pose?: Readonly<Record<string, number>> | null
  readonly discard_visual?: boolean | null
}

export interface RobotCheckRequest {
  /** The model file, relative to the folder. */
  readonly entry: string
  /** `fixed` or `floating`; a URDF does not define it. */
  readonly base: string | null
  readonly control_hz: number | null
  readonly action: CheckAction | null
  readonly options: CheckOptions | null
}

/**
 * Spec, "RobotCheckJobNeed": what a person must (`blocking`) or should consider to (`advice`) add before publishing the
 * card.
 */
export interface Need {
  readonly field: string
  readonly severity: 'blocking' | 'advice'
  readonly why: string
  readonly names: readonly string[]
  readonly suggestion: string | null
}

/** A need without names and suggestions, unless `details` has them. */
export function need(
  severity: Need['severity'],
  field: string,
  why: string,
  details: { readonly names?: readonly string[]; readonly suggestion?: string } = {},
): Need {
  return { field, severity, why, names: details.names ?? [], suggestion: details.suggestion ?? null }
}
