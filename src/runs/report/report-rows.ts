/** The statements of a report. The row of the run is locked first, so that reports, sweeps and cancels of one run come one after the other. */

import type { Recipe } from '../../planner/recipe/recipe.ts'
import type { Usd } from '../../platform/money.ts'
import type { Statement } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobStatus } from '../../work/job-status.ts'
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
export const updateReportedRun = statement({
  name: 'run-report-update',
  params: {
    runId: param<string>(),
    status: param<JobStatus>(),
    now: param<string>(),
    /** When the run ended. */
    endedAt: param<string | null>(),
    leaseSeconds: param<number>(),
    costUsd: param<Usd | null>(),
    error: param<string | null>(),
    logSeq: param<number>(),
    logLines: param<number>(),
    logBytes: param<number>(),
    metricsSeq: param<number>(),
    clientLogSeq: param<number | null>(),
    clientLogGaps: param<readonly number[]>(),
    clientMetricsSeq: param<number | null>(),
    clientMetricsGaps: param<readonly number[]>(),
    /** JSON, as are the three after it. */
    latestMetrics: param<string | null>(),
    pace: param<string | null>(),
    rewardCurve: param<string | null>(),
    progress: param<string | null>(),
    peakVramGb: param<number | null>(),
    samplesPerS: param<number | null>(),
    gpuTier: param<string | null>(),
    configKey: param<string | null>(),
    scorecardKey: param<string | null>(),
    /** JSON. */
    gates: param<string | null>(),
    gatePassed: param<number | null>(),
    gateTotal: param<number | null>(),
    outputRepoId: param<string | null>(),
    outputRepoName: param<string | null>(),
    /** When and why a limit of the run asks it to stop. */
    stopAt: param<string | null>(),
    stopReason: param<string | null>(),
  },
  text: `update runs set status = :status, updated_at = :now, heartbeat_at = :now,
      lease_expires_at = case when :endedAt::timestamptz is null then :now::timestamptz + make_interval(secs => :leaseSeconds) end,
      finished_at = :endedAt, cost_usd = :costUsd,
      error = case when :status::"JobStatus" <> 'succeeded' then coalesce(:error, error) end,
      log_seq = :logSeq, log_lines = :logLines, log_bytes = :logBytes, metrics_seq = :metricsSeq,
      client_log_seq = :clientLogSeq, client_log_gaps = :clientLogGaps,
      client_metrics_seq = :clientMetricsSeq, client_metrics_gaps = :clientMetricsGaps,
      latest_metrics = coalesce(:latestMetrics::json, latest_metrics), pace = coalesce(:pace::jsonb, pace),
      reward_curve = coalesce(:rewardCurve::jsonb, reward_curve), progress = coalesce(:progress::jsonb, progress),
      progress_at = case when :progress::jsonb is null then progress_at else :now end,
      peak_vram_gb = coalesce(:peakVramGb, peak_vram_gb), samples_per_s = coalesce(:samplesPerS, samples_per_s),
      gpu_tier = coalesce(:gpuTier, gpu_tier), config_key = coalesce(:configKey, config_key),
      scorecard_key = coalesce(:scorecardKey, scorecard_key), gates = coalesce(:gates::json, gates),
      gate_passed = coalesce(:gatePassed, gate_passed), gate_total = coalesce(:gateTotal, gate_total),
      output_repo_id = coalesce(:outputRepoId, output_repo_id), output_repo_name = coalesce(:outputRepoName, output_repo_name),
      cancel_requested_at = coalesce(cancel_requested_at, :stopAt), stop_reason = coalesce(stop_reason, :stopReason)
    where id = :runId`,
})

export const insertLogChunk = statement({
  name: 'run-report-log-chunk',
  params: {
    runId: param<string>(),
    seq: param<number>(),
    attempt: param<number>(),
    storageKey: param<string | null>(),
    byteCount: param<number>(),
    lineCount: param<number>(),
    firstLine: param<number>(),
    at: param<string>(),
  },
  text: `insert into run_log_chunks (run_id, seq, attempt, stream, storage_key, byte_count, line_count, first_line, at)
    values (:runId, :seq, :attempt, 'stdout', :storageKey, :byteCount, :lineCount, :firstLine, :at)`,
})

/** Numbered from the one after `lastSeq` on, in the order of the arrays. */
export const insertMetrics = statement({
  name: 'run-report-metrics',
  params: {
    runId: param<string>(),
    attempt: param<number>(),
    lastSeq: param<number>(),
    steps: param<readonly (number | null)[]>(),
    rewards: param<readonly (number | null)[]>(),
    /** JSON each. */
    lines: param<readonly string[]>(),
    at: param<string>(),
  },
  text: `insert into run_metrics (run_id, seq, attempt, step, reward, line, at)
    select :runId, :lastSeq::bigint + place, :attempt, step, reward, line::json, :at
    from unnest(:steps::float8[], :rewards::float8[], :lines::text[]) with ordinality as given (step, reward, line, place)`,
})
