/** Writes the rows of a report: a chunk of the log, metrics, and the columns of the run. */
import type { RequestContext } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import { openLineOf } from '../../work/log/job-log.ts'
import { linesAfter } from '../../work/log/log-lines.ts'
import { addNotice, appendChunk } from '../../work/log/write-chunks.ts'
import { withNumber } from '../../work/report-numbers.ts'
import { announceEnd } from '../../work/stop.ts'
import { limitOfRun } from '../lease/deadline.ts'
import { runLog } from '../log/run-log.ts'
import { type MetricsBatch, rewardsOf } from '../metrics/metrics-batch.ts'
import { iterationOf } from '../metrics/metrics-line.ts'
import { paceAfter } from '../read/pace.ts'
import { addRewards } from '../read/sparkline.ts'
import { runJob } from '../run-job.ts'
import type { ReadReport, ReportRunInput } from './report-input.ts'
import { insertMetrics, type LockedRun, updateReportedRun } from './report-rows.ts'

/** Keys of objects written before the transaction that refers to them. */
export interface StoredReport {
  readonly logKey: string | null
  readonly configKey: string | null
  readonly scorecardKey: string | null
}

export interface WrittenReport {
  readonly input: ReportRunInput
  readonly read: ReadReport
  readonly stored: StoredReport
  /** The output repo that the report names. */
  readonly output: RepoFacts | null
}

/** Writes log, metrics and the run's columns. `costUsd` is what the run cost if the report ends it. */
export async function writeReport(
  ctx: RequestContext,
  tx: Tx,
  { input, read, stored, output }: WrittenReport,
  run: LockedRun,
  costUsd: Usd | null,
): Promise<void> {
  const { log, metrics } = read
  const lines = log ? linesAfter(openLineOf(run), run.logSeq + 1, log.shape) : null
  if (log && lines) {
    await appendChunk(tx, runLog, {
      jobId: run.id,
      seq: run.logSeq + 1,
      attempt: run.attempt,
      storageKey: stored.logKey,
      byteCount: log.bytes.byteLength,
      lineCount: lines.lineCount,
      firstLine: run.logLines,
      lineFrom: lines.lineFrom,
      at: run.now,
    })
  }
  const open = lines ? lines.open : openLineOf(run)
  if (metrics) {
    await tx.query(insertMetrics, {
      runId: run.id,
      attempt: run.attempt,
      lastSeq: run.metricsSeq,
      steps: metrics.steps,
      rewards: metrics.rewards,
      lines: metrics.lines,
      at: run.now,
    })
  }
  const end = input.status ? run.now : null
  const limit = end === null ? limitOfRun(run) : null
  const gates = read.scorecard?.gates
  await tx.query(updateReportedRun, {
    runId: run.id,
    status: input.status ?? 'running',
    now: run.now,
    endedAt: end,
    leaseSeconds: ctx.deps.config.runs.leaseSeconds,
    costUsd,
    error: input.error ?? null,
    logSeq: run.logSeq + (log ? 1 : 0),
    logLines: run.logLines + (lines?.lineCount ?? 0),
    logBytes: run.logBytes + (log?.bytes.byteLength ?? 0),
    logOpenFrom: open?.from ?? null,
    logOpenBytes: open?.bytes ?? null,
    metricsSeq: run.metricsSeq + (metrics?.lines.length ?? 0),
    ...numbersAfter(run, input),
    ...metricColumns(run, input, metrics),
    progress: input.progress ? JSON.stringify(input.progress) : null,
    peakVramGb: input.peakVramGb ?? null,
    samplesPerS: input.samplesPerS ?? null,
    gpuTier: input.gpuTier ?? null,
    configKey: stored.configKey,
    scorecardKey: stored.scorecardKey,
    gates: gates ? JSON.stringify(gates.rows) : null,
    gatePassed: gates?.passed ?? null,
    gateTotal: gates?.total ?? null,
    outputRepoId: output?.id ?? null,
    outputRepoName: output?.fullName ?? null,
    stopAt: limit ? run.now : null,
    stopReason: limit?.reason ?? null,
  })
  if (input.status) announceEnd(tx, runJob, input.status)
  if (limit) await addNotice(tx, runLog, run.id, limit.notice)
  // Objects that are replaced.
  deleteAfterCommit(ctx.deps, tx, [stored.configKey && run.configKey, stored.scorecardKey && run.scorecardKey])
}

/** The columns of the runner's own numbers, including those of this report. */
function numbersAfter(run: LockedRun, { logSeq, metricsSeq }: ReportRunInput) {
  const log = { last: run.clientLogSeq, gaps: run.clientLogGaps }
  const metrics = { last: run.clientMetricsSeq, gaps: run.clientMetricsGaps }
  const logAfter = typeof logSeq === 'number' ? withNumber(log, logSeq) : log
  const metricsAfter = typeof metricsSeq === 'number' ? withNumber(metrics, metricsSeq) : metrics
  return {
    clientLogSeq: logAfter.last,
    clientLogGaps: logAfter.gaps,
    clientMetricsSeq: metricsAfter.last,
    clientMetricsGaps: metricsAfter.gaps,
  }
}

/** The columns that metrics change, as JSON; null leaves a column unchanged. */
function metricColumns(run: LockedRun, input: ReportRunInput, metrics: MetricsBatch | null) {
  if (!metrics) return { latestMetrics: null, pace: null, rewardCurve: null }
  const points = rewardsOf(metrics, run.metricsSeq + 1)
  const curve = metrics.rewardKey === null ? null : addRewards(run.rewardCurve, metrics.rewardKey, points)
  return {
    latestMetrics: metrics.lines.at(-1) ?? null,
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
