/** The settings of runs. */
import type { Environment } from './config-environment.ts'

export interface RunSettings {
  readonly leaseSeconds: number
  readonly maxAttempts: number
  readonly dailyGpuHourQuota: number
  readonly maxArtifactBytes: number
  /** Templates that the deployment's own runners support. */
  readonly extraTemplates: readonly string[]
  /** The memory that a tier must have in addition to an estimate, as a fraction of the estimate. */
  readonly headroom: number
  /** How long a run has ended before its metrics are archived; 0: never. */
  readonly metricsArchiveAfterSeconds: number
  /** How long a run or check has ended before its log is deleted; 0: never. */
  readonly logKeptSeconds: number
}

/** The settings as the environment has them. */
export function runSettings(values: Environment): RunSettings {
  return {
    leaseSeconds: values.RUN_LEASE_SECONDS,
    maxAttempts: values.RUN_MAX_ATTEMPTS,
    dailyGpuHourQuota: values.RUN_DAILY_GPU_HOUR_QUOTA,
    maxArtifactBytes: values.COACH_MAX_ARTIFACT_BYTES,
    extraTemplates: values.EXTRA_TEMPLATES,
    headroom: values.PLANNER_HEADROOM,
    metricsArchiveAfterSeconds: values.METRICS_ARCHIVE_AFTER_S,
    logKeptSeconds: values.LOG_RETENTION_S,
  }
}
