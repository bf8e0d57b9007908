/**
 * The statements of a report. The row of the run is locked first, so that reports, sweeps and cancels of one run are
 * serialized.
 */

import { isId } from '@hub/formats/ids'
import { assertLevel, assertRunsFor, runViewer, visibleRuns } from '../../auth/policy.ts'
import { type HeldBytes, heldBytesColumns } from '../../files/reservation.ts'
import type { RequestContext } from '../../operation/context.ts'
import { readRecipe } from '../../planner/recipe/recipe.ts'
import { notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { column, type RowOf } from '../../store/columns.ts'
import { each, insertEach, sql } from '../../store/insert.ts'
import { numbers } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import { logEndColumns, logEndParams, logEndSql } from '../../work/log/write-chunks.ts'
import { readPace } from '../read/pace.ts'
import { readProgress } from '../read/progress.ts'
import { visibleRun } from '../read/run-shape.ts'
import { readCurve } from '../read/sparkline.ts'
import { heldColumns } from '../run-row.ts'
import { artifactParams, storedBytesSql } from './run-storage.ts'

const reportColumns = heldColumns.with({
  outputRepoId: column.text.orNull('u.output_repo_id'),
  clientLogSeq: column.int8.orNull('u.client_log_seq'),
  clientLogGaps: column.json("coalesce(to_json(u.client_log_gaps), '[]')", numbers),
  clientMetricsSeq: column.int8.orNull('u.client_metrics_seq'),
  clientMetricsGaps: column.json("coalesce(to_json(u.client_metrics_gaps), '[]')", numbers),
  configBytes: column.int4.orNull('u.config_bytes'),
  hasEnvironment: column.bool('u.environment is not null'),
  scorecardBytes: column.int4.orNull('u.scorecard_bytes'),
})
const readColumns = reportColumns.with({ now: column.timestamptz('now()') })

const foundColumns = readColumns.with(heldBytesColumns)

/** The columns of a run that a report depends on; with what its owner's storage held, where the run was found. */
export type ReportedRun = RowOf<typeof readColumns> & Partial<HeldBytes>

const visibleRunToReport = statement({
  name: 'run-report-read',
  exact: 'followed',
  columns: foundColumns,
  params: { ...runViewer, runId: param.text() },
  text: `select ${foundColumns.sql} from runs u join accounts a on a.id = u.owner_id
    where u.id = :runId and ${visibleRun}`,
})

/**
 * The run of a report. Errors: 401, 404 if the run is not visible, 403. A user who has left the billed account can no
 * longer report, even with a claim.
 */
export async function findRunToReport({ viewer, deps }: RequestContext, runId: string): Promise<ReportedRun> {
  assertLevel(viewer, 'train')
  const given = { ...visibleRuns(viewer), runId }
  const [run] = isId('run', runId) ? await deps.db.query(visibleRunToReport, given) : []
  if (!run) throw notFound(`The run ${runId.slice(0, 64)}`)
  assertRunsFor(viewer, run.ownerId)
  return run
}

/**
 * All columns that a report's changes depend on. JSON columns have the types of their writers: `recipe` that of
 * createRun, the others those of reports.
 */
const lockedColumns = reportColumns.with({
  template: column.text('u.template'),
  robot: column.text.orNull('u.robot'),
  robotRepoId: column.text.orNull('u.robot_repo_id'),
  recipe: column.json('u.recipe', readRecipe),
  gpuTier: column.text.orNull('u.gpu_tier'),
  peakVramGb: column.float8.orNull('u.peak_vram_gb'),
  samplesPerS: column.float8.orNull('u.samples_per_s'),
  configKey: column.text.orNull('u.config_key'),
  scorecardKey: column.text.orNull('u.scorecard_key'),
  ...logEndColumns,
  metricsSeq: column.int8('u.metrics_seq'),
  summarySeq: column.int8('u.summary_seq'),
  /** When the runner last reported. */
  heartbeatAt: column.timestamptz.orNull('u.heartbeat_at'),
  progress: column.jsonb.orNull('u.progress', readProgress),
  pace: column.jsonb.orNull('u.pace', readPace),
  rewardCurve: column.jsonb.orNull('u.reward_curve', readCurve),
})
/** The clock is read outside the locking subquery: inside, it would be read before the wait for the lock. */
const lockedNow = lockedColumns.from('locked').with({ now: column.timestamptz('clock_timestamp()') })

export type LockedRun = RowOf<typeof lockedNow>

/** The run of a report, its row locked until the transaction ends. */
export const lockRunToReport = statement({
  name: 'run-report-lock',
  columns: lockedNow,
  params: { id: param.text() },
  text: `with locked as (select ${lockedColumns.sql} from runs u where u.id = :id for update) select ${lockedNow.sql} from locked`,
})

/** Null values leave the column unchanged, except for `endedAt` and `costUsd`. */
export const updateReportedRun = statement({
  name: 'run-report-update',
  params: {
    runId: param.text(),
    status: param.enum('JobStatus'),
    now: param.timestamptz(),
    /** When the run ended. */
    endedAt: param.timestamptz.orNull(),
    leaseSeconds: param.float8(),
    costUsd: param.numeric.orNull<Usd>(),
    error: param.text.orNull(),
    ...logEndParams,
    metricsSeq: param.int8(),
    summarySeq: param.int8(),
    clientLogSeq: param.int8.orNull(),
    clientLogGaps: param.int8s(),
    clientMetricsSeq: param.int8.orNull(),
    clientMetricsGaps: param.int8s(),
    /** JSON, as are the three after it. */
    latestMetrics: param.json.orNull(),
    lastLine: param.json.orNull(),
    pace: param.jsonb.orNull(),
    rewardCurve: param.jsonb.orNull(),
    progress: param.jsonb.orNull(),
    peakVramGb: param.float8.orNull(),
    samplesPerS: param.float8.orNull(),
    gpuTier: param.text.orNull(),
    configKey: param.text.orNull(),
    scorecardKey: param.text.orNull(),
    /** JSON. */
    gates: param.json.orNull(),
    gatePassed: param.int4.orNull(),
    gateTotal: param.int4.orNull(),
    environment: param.json.orNull(),
    outputRepoId: param.text.orNull(),
    outputRepoName: param.text.orNull(),
    ...artifactParams,
    /** When and for which limit the run is asked to stop. */
    stopAt: param.timestamptz.orNull(),
    stopReason: param.text.orNull(),
  },
  rewrites: 'runId',
  text: `update runs set status = :status, updated_at = :now, heartbeat_at = :now,
      lease_expires_at = case when :endedAt::timestamptz is null
        then :now::timestamptz + make_interval(secs => :leaseSeconds) end,
      finished_at = :endedAt, cost_usd = :costUsd,
      error = case when :status::"JobStatus" <> 'succeeded' then coalesce(:error, error) end,
      ${logEndSql}, metrics_seq = :metricsSeq, summary_seq = :summarySeq,
      summary_pending = summary_pending or :summarySeq::bigint < :metricsSeq::bigint,
      client_log_seq = :clientLogSeq, client_log_gaps = :clientLogGaps,
      client_metrics_seq = :clientMetricsSeq, client_metrics_gaps = :clientMetricsGaps,
      latest_metrics = coalesce(:latestMetrics::json, latest_metrics, :lastLine::json),
      pace = coalesce(:pace::jsonb, pace),
      reward_curve = coalesce(:rewardCurve::jsonb, reward_curve), progress = coalesce(:progress::jsonb, progress),
      progress_at = case when :progress::jsonb is null then progress_at else :now end,
      peak_vram_gb = coalesce(:peakVramGb, peak_vram_gb), samples_per_s = coalesce(:samplesPerS, samples_per_s),
      gpu_tier = coalesce(:gpuTier, gpu_tier), config_key = coalesce(:configKey, config_key),
      scorecard_key = coalesce(:scorecardKey, scorecard_key), gates = coalesce(:gates::json, gates),
      gate_passed = coalesce(:gatePassed, gate_passed), gate_total = coalesce(:gateTotal, gate_total),
      environment = coalesce(environment, :environment::json),
      output_repo_id = coalesce(:outputRepoId, output_repo_id),
        output_repo_name = coalesce(:outputRepoName, output_repo_name),
      ${storedBytesSql},
      cancel_requested_at = coalesce(cancel_requested_at, :stopAt), stop_reason = coalesce(stop_reason, :stopReason)
    where id = :runId`,
})

/** Lines are numbered from `lastSeq` + 1, in the order of the arrays. */
const metricsRows = insertEach('run_metrics', {
  runId: param.text(),
  seq: sql(':lastSeq::bigint + given.place', { lastSeq: param.int8() }),
  attempt: param.int4(),
  step: each('steps', param.float8s<readonly (number | null)[]>()),
  reward: each('rewards', param.float8s<readonly (number | null)[]>()),
  line: each('lines', param.texts(), 'json'),
  at: param.timestamptz(),
})

export const insertMetrics = statement({
  name: 'run-report-metrics',
  params: metricsRows.params,
  text: metricsRows.sql,
})
