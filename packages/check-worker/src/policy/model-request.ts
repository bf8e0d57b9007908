/** The request and the report of a model check, in the names of `/v1`. Spec, "ModelCheckRequest" and "ModelIntake". */

import type { ControlClass } from '@hub/formats/policy/stamp'

export interface ModelCheckRequest {
  /** `org/name[@revision]`; where it is given, `entry` is not used. */
  readonly hf_repo?: string | null
  /** For a policy that does not declare it. */
  readonly control_class?: ControlClass | null
  /** What the policy observes, which no robot declares. */
  readonly obs?: ModelCheckObs | null
}

export interface ModelCheckObs {
  /** Terms in the order that the policy sees them. */
  readonly blocks?: readonly string[] | null
  readonly scales?: Readonly<Record<string, unknown>> | null
  readonly cycle_time_s?: number | null
  readonly profile?: string | null
  readonly task?: Readonly<Record<string, unknown>> | null
}

/** A field in which a policy and its robot differ. Null means that a side does not declare it. */
export interface Difference {
  readonly field: string
  readonly policy: unknown
  readonly robot: unknown
}

/** Where a policy of another hub came from. */
export interface ModelSource {
  readonly hf_repo: string
  /** The commit. */
  readonly revision: string | null
  readonly license: string | null
  readonly files: readonly string[]
  readonly bytes: number
  /** Files of the policy that were too large. */
  readonly skipped: readonly string[]
}

export interface ModelIntake {
  readonly policy_path: string | null
  /** `onnx`, `safetensors`, or the value of a manifest. */
  readonly policy_format: string | null
  readonly policy_type: string | null
  readonly embodiment: 'match' | 'mismatch' | 'unstamped'
  readonly stamped_by_check: boolean
  readonly differing: readonly Difference[]
  readonly control_class: ControlClass | null
  readonly embodiment_fingerprint: string | null
  readonly robot_fingerprint: string | null
  readonly summary: string | null
  /** As it would be published; as it was found where nothing would be. */
  readonly manifest: Readonly<Record<string, unknown>> | null
  readonly graph: Readonly<Record<string, unknown>> | null
  readonly params: number | null
  readonly source: ModelSource | null
}
