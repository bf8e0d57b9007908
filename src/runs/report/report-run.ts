/**
 * reportRun (spec, "POST /v1/runs/{run_id}/report"): the runner reports log, metrics, artifacts and the end of its run,
 * and renews its lease.
 */
import { takeBytes } from '../../files/storage-spares.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { replaceReference } from '../../repos/references.ts'
import type { Tx } from '../../store/db.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import { addNotice, appendChunk } from '../../work/log/write-chunks.ts'
import { numberAfter, type ReportKind, type ReportToApply, reportJob } from '../../work/report.ts'
import { recordFinish } from '../../work/stop.ts'
import { addMeasurements, settleRun, stampOutput } from '../end/settle-run.ts'
import { endOverdueRun, limitOfRun, noteStaleReport } from '../lease/sweep-leases.ts'
import { runLog } from '../log/run-log.ts'
import { iterationOf, type MetricsBatch, rewardsOf } from '../metrics/metrics-line.ts'
import { readRun } from '../read/get-run.ts'
import { paceAfter } from '../read/pace.ts'
import type { Run } from '../read/run-shape.ts'
import { addRewards } from '../read/sparkline.ts'
import { runJob } from '../run-job.ts'
import { countReported } from '../summary/keep-summaries.ts'
import { readSummaries, type SummaryRow } from '../summary/summary-rows.ts'
import {
  bytesOf,
  lockOutputRepo,
  nextOf,
  numbersOf,
  type ReadRunReport,
  type ReportRunInput,
  type RunPart,
  readReport,
} from './judge-report.ts'
import {
  findRunToReport,
  insertMetrics,
  type LockedRun,
  lockRunToReport,
  type ReportedRun,
  updateReportedRun,
} from './report-rows.ts'
import { artifactValues } from './run-storage.ts'

const runReport: ReportKind<ReportRunInput, ReportedRun, RunToChange, RunPart, ReadRunReport, Run> = {
  find: (ctx, { runId }) => findRunToReport(ctx, runId),
  endOverdue: endOverdueRun,
  numbersOf,
  next: nextOf,
  read: readReport,
  lock: lockReported,
  apply: applyReport,
  show: readRun,
  isShownByOne: true,
  noteRefusal: noteStaleReport,
}

/**
 * Returns the run. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413
 * `too_large`, `quota.storage`, 422 also for a `canceled` without a request to stop, 503.
 */
export function reportRun(ctx: RequestContext, input: ReportRunInput): Promise<Run> {
  return reportJob(ctx, runReport, input)
}

/** The locked run, with its output repo where the report changes that, and the summaries where it has metrics. */
interface RunToChange extends LockedRun {
  readonly repo: RepoFacts | null
  readonly summaries: readonly SummaryRow[]
}

/** Lock order: the output repo, which a report of success writes too, then the run. */
async function lockReported(tx: Tx, input: ReportRunInput, read: ReadRunReport): Promise<RunToChange> {
  const repoId = read.output?.id ?? (input.status === 'succeeded' ? read.outputRepoId : null)
  const repo = repoId === null ? null : await lockOutputRepo(tx, repoId, read.output !== null)
  const { runId: id } = input
  // A statement of its own sees what was committed before the row was locked.
  const locked = read.metrics && tx.later(lockRunToReport, { id })
  const summaries = locked ? await readSummaries(tx, [id], null) : []
  const [run] = locked ? locked.rows : await tx.query(lockRunToReport, { id })
  if (!run) throw notFound(`The run ${id}`)
  return { ...run, repo, summaries }
}

/**
 * Writes log, metrics and the run's columns; a report of an end also settles the run, and one of success its model and
 * what it measured.
 */
async function applyReport(
  ctx: RequestContext,
  tx: Tx,
  { input, job: run, fresh, read: given, keys }: ReportToApply<ReportRunInput, RunToChange, RunPart, ReadRunReport>,
): Promise<void> {
  const { config } = ctx.deps
  const { status = null } = input
  const chunk = fresh.log ? given.chunk : null
  const metrics = fresh.metrics ? given.metrics : null
  const logEnd = appendChunk(tx, runLog, run, { chunk, storageKey: keys.log })
  if (metrics) insertLines(tx, run, metrics)
  const summarySeq = metrics ? await countReported(tx, run, run.summaries, metrics.lines) : run.summarySeq
  const costUsd = status && (await settleRun(ctx.deps, tx, run, 'reported'))
  const limit = status === null ? limitOfRun(run) : null
  const { gates, output } = given
  // Another report may have come since this one was read.
  const environment = run.hasEnvironment ? null : given.environment
  const sizes = artifactValues(bytesOf({ ...given, chunk, metrics, environment }), run)
  tx.later(updateReportedRun, {
    runId: run.id,
    status: status ?? 'running',
    now: run.now,
    endedAt: status && run.now,
    leaseSeconds: config.runs.leaseSeconds,
    costUsd,
    error: input.error ?? null,
    ...logEnd,
    ...numbersAfter(run, input),
    ...metricColumns(run, input, metrics),
    summarySeq,
    progress: input.progress ? JSON.stringify(input.progress) : null,
    peakVramGb: input.peakVramGb ?? null,
    samplesPerS: input.samplesPerS ?? null,
    gpuTier: input.gpuTier ?? null,
    configKey: keys.config,
    scorecardKey: keys.scorecard,
    gates: gates && JSON.stringify(gates.rows),
    gatePassed: gates?.passed ?? null,
    gateTotal: gates?.total ?? null,
    environment,
    outputRepoId: output?.id ?? null,
    outputRepoName: output?.fullName ?? null,
    ...sizes,
    stopAt: limit && run.now,
    stopReason: limit?.reason ?? null,
  })
  if (limit) await addNotice(tx, runLog, run.id, limit.notice)
  if (status === 'succeeded' && input.error) await addNotice(tx, runLog, run.id, input.error)
  // Objects that are replaced.
  deleteAfterCommit(ctx.deps, tx, [keys.config && run.configKey, keys.scorecard && run.scorecardKey])
  // The reference protects the repo from deletion, instead of the repo that an earlier report named.
  if (output)
    await replaceReference(
      tx,
      { kind: 'run', id: run.id, ownerId: run.ownerId },
      { repoId: output.id, reason: 'output' },
    )
  if (status) {
    const change = { before: { status: run.status, attempt: run.attempt }, after: { status, costUsd } }
    await recordFinish(ctx, tx, runJob, { id: run.id, ownerId: run.ownerId, ...change })
  }
  if (status === 'succeeded' && run.repo) await stampOutput(ctx, tx, run, run.repo)
  takeBytes(tx, config, run, sizes.storedBytes)
  if (status === 'succeeded') await addMeasurements(tx, config, run, input)
}

function insertLines(tx: Tx, run: LockedRun, { steps, rewards, lines }: MetricsBatch): void {
  const { id: runId, attempt, metricsSeq: lastSeq, now: at } = run
  tx.later(insertMetrics, { runId, attempt, lastSeq, steps, rewards, lines, at })
}

/** The columns of the runner's own numbers, including those of this report. */
function numbersAfter(run: LockedRun, input: ReportRunInput) {
  const { log, metrics } = numbersOf(run, input)
  const [logAfter, metricsAfter] = [numberAfter(log), numberAfter(metrics)]
  return {
    clientLogSeq: logAfter.last,
    clientLogGaps: logAfter.gaps,
    clientMetricsSeq: metricsAfter.last,
    clientMetricsGaps: metricsAfter.gaps,
  }
}

/** The columns that metrics change, as JSON; null leaves a column unchanged. */
function metricColumns(run: LockedRun, input: ReportRunInput, metrics: MetricsBatch | null) {
  const { metricsSeq } = run
  if (!metrics) return { metricsSeq, latestMetrics: null, lastLine: null, pace: null, rewardCurve: null }
  const points = rewardsOf(metrics, metricsSeq + 1)
  const curve = metrics.rewardKey === null ? null : addRewards(run.rewardCurve, metrics.rewardKey, points)
  return {
    metricsSeq: metricsSeq + metrics.lines.length,
    latestMetrics: metrics.latest,
    // Where the run has no other line yet.
    lastLine: metrics.lines.at(-1) ?? null,
    pace: paceColumn(run, input, metrics),
    rewardCurve: curve && JSON.stringify(curve),
  }
}

/** The column `pace`. The iteration of a line is the value under the trainer's `step_key`, else the line's step. */
function paceColumn(run: LockedRun, input: ReportRunInput, metrics: MetricsBatch): string | null {
  const stepKey = (input.progress ?? run.progress)?.step_key ?? null
  const iterationAt = (place: number) => iterationOf(metrics.lines[place], stepKey) ?? metrics.steps[place] ?? null
  const atMs = Date.parse(run.now)
  const sinceMs = run.heartbeatAt === null ? atMs : Math.min(atMs, Date.parse(run.heartbeatAt))
  const pace = paceAfter(run.pace ?? [], metrics.lines.length, iterationAt, { sinceMs, atMs })
  return pace && JSON.stringify(pace)
}
