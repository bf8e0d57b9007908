/** What a model check may take. */

export interface ModelLimits {
  /** One artifact is one PUT. Spec, "Limits". */
  readonly artifactBytes: number
  /** The hub takes so many of a check. */
  readonly artifacts: number
  /** All files that are fetched from another hub, on this machine's disk. */
  readonly fetchedBytes: number
}

const MIB = 1024 * 1024

export const modelLimits: ModelLimits = { artifactBytes: 256 * MIB, artifacts: 100, fetchedBytes: 1024 * MIB }
