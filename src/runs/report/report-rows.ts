/** The statements of a report. The row of the run is locked first, so that reports, sweeps and cancels of one run are serialized. */

import { isId } from '@hub/formats/ids'
import { assertLevel, assertRunsFor, runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Recipe } from '../../planner/recipe/recipe.ts'
import { notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { column, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { openLineColumns } from '../../work/log/job-log.ts'
import type { Pace } from '../read/pace.ts'
import type { ReportedProgress } from '../read/progress.ts'
import { visibleRun } from '../read/run-shape.ts'
import type { RewardCurve } from '../read/sparkline.ts'
import { heldColumns } from '../run-row.ts'

const reportColumns = heldColumns.with({
  outputRepoId: column<string | null>('u.output_repo_id'),
  clientLogSeq: column<number | null>('u.client_log_seq'),
  clientLogGaps: column<readonly number[]>("coalesce(to_json(u.client_log_gaps), '[]')"),
  clientMetricsSeq: column<number | null>('u.client_metrics_seq'),
  clientMetricsGaps: column<readonly number[]>("coalesce(to_json(u.client_metrics_gaps), '[]')"),
  configBytes: column<number | null>('u.config_bytes'),
  scorecardBytes: column<number | null>('u.scorecard_bytes'),
})
const readColumns = reportColumns.with({ now: column<string>('now()') })

/** The columns of a run that a report depends on. */
export type ReportedRun = RowOf<typeof readColumns>

const visibleRunToReport = statement({
  name: 'run-report-read',
  columns: readColumns,
  params: { ...runViewer, runId: param<string>() },
  text: `select ${readColumns.sql} from runs u where u.id = :runId and ${visibleRun}`,
})

/** The run of a report. Errors: 401, 404 if the run is not visible, 403. A user who has left the billed account can no longer report, even with a claim. */
export async function findRunToReport({ viewer, deps }: RequestContext, runId: string): Promise<ReportedRun> {
  assertLevel(viewer, 'train')
  const given = { ...visibleRuns(viewer), runId }
  const [run] = isId('run', runId) ? await deps.db.query(visibleRunToReport, given) : []
  if (!run) throw notFound(`The run ${runId.slice(0, 64)}`)
  assertRunsFor(viewer, run.ownerId)
  return run
}

/** All columns that a report's changes depend on. JSON columns have the types of their writers: `recipe` that of createRun, the others those of reports. */
const lockedColumns = reportColumns.with({
  template: column<string>('u.template'),
  robot: column<string | null>('u.robot'),
  robotRepoId: column<string | null>('u.robot_repo_id'),
  recipe: column<Recipe>('u.recipe'),
  gpuTier: column<string | null>('u.gpu_tier'),
  peakVramGb: column<number | null>('u.peak_vram_gb'),
  samplesPerS: column<number | null>('u.samples_per_s'),
  configKey: column<string | null>('u.config_key'),
  scorecardKey: column<string | null>('u.scorecard_key'),
  logSeq: column<number>('u.log_seq'),
  logLines: column<number>('u.log_lines'),
  logBytes: column<number>('u.log_bytes'),
  ...openLineColumns,
  metricsSeq: column<number>('u.metrics_seq'),
  /** When the runner last reported. */
  heartbeatAt: column<string | null>('u.heartbeat_at'),
  progress: column<ReportedProgress | null>('u.progress'),
  pace: column<Pace | null>('u.pace'),
  rewardCurve: column<RewardCurve | null>('u.reward_curve'),
})
/** The clock is read outside the locking subquery: inside, it would be read before the wait for the lock. */
const lockedNow = lockedColumns.from('locked').with({ now: column<string>('clock_timestamp()') })

export type LockedRun = RowOf<typeof lockedNow>

/** The run of a report, its row locked until the transaction ends. */
export const lockRunToReport = statement({
  name: 'run-report-lock',
  columns: lockedNow,
  text: `with locked as (select ${lockedColumns.sql} from runs u where u.id = $1 for update) select ${lockedNow.sql} from locked`,
})

/** Null values leave the column unchanged, except for `endedAt` and `costUsd`. */
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
    logOpenFrom: param<number | null>(),
    logOpenBytes: param<number | null>(),
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
    /** When and for which limit the run is asked to stop. */
    stopAt: param<string | null>(),
    stopReason: param<string | null>(),
  },
  text: `update runs set status = :status, updated_at = :now, heartbeat_at = :now,
      lease_expires_at = case when :endedAt::timestamptz is null then :now::timestamptz + make_interval(secs => :leaseSeconds) end,
      finished_at = :endedAt, cost_usd = :costUsd,
      error = case when :status::"JobStatus" <> 'succeeded' then coalesce(:error, error) end,
      log_seq = :logSeq, log_lines = :logLines, log_bytes = :logBytes, log_open_from = :logOpenFrom,
      log_open_bytes = :logOpenBytes, metrics_seq = :metricsSeq,
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

/** Lines are numbered from `lastSeq` + 1, in the order of the arrays. */
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
