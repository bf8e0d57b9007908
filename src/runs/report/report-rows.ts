/** The statements of a report. The row of the run is locked first, so that reports, sweeps and cancels of one run come one after the other. */

import type { Recipe } from '../../planner/recipe/recipe.ts'
import type { Statement } from '../../store/db.ts'
import type { Pace } from '../read/pace.ts'
import type { ReportedProgress } from '../read/progress.ts'
import { visibleRun } from '../read/run-shape.ts'
import type { RewardCurve } from '../read/sparkline.ts'
import { type HeldRun, heldColumns } from '../run-row.ts'
import type { ArtifactBytes } from './run-storage.ts'

/** What of a run a report stands on. */
export interface ReportedRun extends HeldRun, ArtifactBytes {
  readonly outputRepoId: string | null
  readonly clientLogSeq: number | null
  readonly clientLogGaps: readonly number[]
  readonly clientMetricsSeq: number | null
  readonly clientMetricsGaps: readonly number[]
}

const columns = `${heldColumns}, u.output_repo_id as "outputRepoId", u.client_log_seq as "clientLogSeq",
  coalesce(to_json(u.client_log_gaps), '[]') as "clientLogGaps", u.client_metrics_seq as "clientMetricsSeq",
  coalesce(to_json(u.client_metrics_gaps), '[]') as "clientMetricsGaps", u.config_bytes as "configBytes", u.scorecard_bytes as "scorecardBytes"`

/** The viewer's parameters are $1 to $4. */
export const visibleRunToReport: Statement<ReportedRun> = {
  name: 'run-report-read',
  text: `select ${columns}, now() as now from runs u where u.id = $5 and ${visibleRun}`,
}

/** The rest of what its new state is computed from. */
export interface LockedRun extends ReportedRun {
  readonly template: string
  readonly robot: string | null
  readonly recipe: Recipe
  readonly gpuTier: string | null
  readonly peakVramGb: number | null
  readonly samplesPerS: number | null
  readonly configKey: string | null
  readonly scorecardKey: string | null
  readonly logSeq: number
  readonly logLines: number
  readonly logBytes: number
  readonly metricsSeq: number
  /** When the runner last reported. */
  readonly heartbeatAt: string | null
  readonly progress: ReportedProgress | null
  readonly pace: Pace | null
  readonly rewardCurve: RewardCurve | null
}

/** The clock is read outside the locking part: inside, it would be read before the wait for the lock. */
export const lockRunToReport: Statement<LockedRun> = {
  name: 'run-report-lock',
  text: `with locked as (select ${columns}, u.template, u.robot, u.recipe, u.gpu_tier as "gpuTier",
      u.peak_vram_gb as "peakVramGb", u.samples_per_s as "samplesPerS", u.config_key as "configKey",
      u.scorecard_key as "scorecardKey", u.log_seq as "logSeq", u.log_lines as "logLines", u.log_bytes as "logBytes",
      u.metrics_seq as "metricsSeq", u.heartbeat_at as "heartbeatAt", u.progress, u.pace, u.reward_curve as "rewardCurve"
    from runs u where u.id = $1 for update)
    select locked.*, clock_timestamp() as now from locked`,
}

/** What is given as null stays as it was, save the members of the end. */
export const updateReportedRun: Statement<never> = {
  name: 'run-report-update',
  text: `update runs set status = $2, updated_at = $3, heartbeat_at = $3,
      lease_expires_at = case when $4::timestamptz is null then $3::timestamptz + make_interval(secs => $5) end,
      finished_at = $4, cost_usd = $6, error = case when $2::"JobStatus" <> 'succeeded' then coalesce($7, error) end,
      log_seq = $8, log_lines = $9, log_bytes = $10, metrics_seq = $11,
      client_log_seq = $12, client_log_gaps = $13, client_metrics_seq = $14, client_metrics_gaps = $15,
      latest_metrics = coalesce($16::json, latest_metrics), pace = coalesce($17::jsonb, pace),
      reward_curve = coalesce($18::jsonb, reward_curve), progress = coalesce($19::jsonb, progress),
      progress_at = case when $19::jsonb is null then progress_at else $3 end,
      peak_vram_gb = coalesce($20, peak_vram_gb), samples_per_s = coalesce($21, samples_per_s),
      gpu_tier = coalesce($22, gpu_tier), config_key = coalesce($23, config_key),
      scorecard_key = coalesce($24, scorecard_key), gates = coalesce($25::json, gates),
      gate_passed = coalesce($26, gate_passed), gate_total = coalesce($27, gate_total),
      output_repo_id = coalesce($28, output_repo_id), output_repo_name = coalesce($29, output_repo_name),
      cancel_requested_at = coalesce(cancel_requested_at, $30), stop_reason = coalesce(stop_reason, $31)
    where id = $1`,
}

export const insertLogChunk: Statement<never> = {
  name: 'run-report-log-chunk',
  text: `insert into run_log_chunks (run_id, seq, attempt, stream, storage_key, byte_count, line_count, first_line, at)
    values ($1, $2, $3, 'stdout', $4, $5, $6, $7, $8)`,
}

/** Numbered from $3 on, in the order of the arrays. */
export const insertMetrics: Statement<never> = {
  name: 'run-report-metrics',
  text: `insert into run_metrics (run_id, seq, attempt, step, reward, line, at)
    select $1, $3::bigint + place, $2, step, reward, line::json, $7
    from unnest($4::float8[], $5::float8[], $6::text[]) with ordinality as given (step, reward, line, place)`,
}
