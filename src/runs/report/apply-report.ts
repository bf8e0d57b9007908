/** The transaction of a report: everything that it changes, under the run's row lock and fenced by the claim. */
import { audit } from '../../operation/audit.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import { addNotice, appendChunk } from '../../work/log/write-chunks.ts'
import { withNumber } from '../../work/report-numbers.ts'
import { announceEnd } from '../../work/stop.ts'
import { endClaimedRun } from '../end/end-claimed-run.ts'
import { limitOfRun } from '../lease/deadline.ts'
import { runLog } from '../log/run-log.ts'
import { iterationOf } from '../metrics/metrics-line.ts'
import { paceAfter } from '../read/pace.ts'
import { addRewards } from '../read/sparkline.ts'
import { runJob } from '../run-job.ts'
import { addMeasurements } from './measure.ts'
import { lockOutputRepo, referToOutput, stampOutput } from './output-repo.ts'
import { assertMoves, isRepeat, withoutStored } from './report-guards.ts'
import { type MetricsBatch, type ReadReport, type ReportRunInput, rewardsOf } from './report-input.ts'
import { insertMetrics, type LockedRun, lockRunToReport, updateReportedRun } from './report-rows.ts'
import { bytesOfReport, countRunBytes } from './run-storage.ts'

/** Keys of objects written before the transaction that refers to them. */
export interface StoredReport {
  readonly logKey: string | null
  readonly configKey: string | null
  readonly scorecardKey: string | null
}

export interface Report {
  readonly viewer: Credentialed
  /** The attempt that the report belongs to. */
  readonly fence: number
  readonly input: ReportRunInput
  readonly read: ReadReport
  readonly stored: StoredReport
  /** The output repo that the report names. */
  readonly output: RepoFacts | null
  /** The one that the run had when the report came. */
  readonly outputRepoId: string | null
}

/** Locks the run, repeats the checks made before the objects were written, and writes. */
export async function applyReport(ctx: RequestContext, tx: Tx, report: Report): Promise<void> {
  const { viewer, fence, input, output } = report
  const repoId = output?.id ?? (input.status === 'succeeded' ? report.outputRepoId : null)
  const repo = repoId === null ? null : await lockOutputRepo(tx, repoId, output !== null)
  const [run] = await tx.query(lockRunToReport, [input.runId])
  if (!run) throw notFound(`The run ${input.runId}`)
  // A concurrent duplicate was stored first: no row refers to this report's objects.
  if (isRepeat(viewer, run, input, fence)) return deleteAfterCommit(ctx.deps, tx, Object.values(report.stored))
  assertMoves(viewer, run, input, fence)
  const read = withoutStored(run, input, report.read)
  if (!read.log) deleteAfterCommit(ctx.deps, tx, [report.stored.logKey])
  const costUsd = input.status ? await endClaimedRun(ctx.deps, tx, run, 'reported') : null
  await writeReport(ctx, tx, { ...report, read }, run, costUsd)
  if (output) await referToOutput(tx, run, output.id)
  if (costUsd !== null) await writeEnd(ctx, tx, run, input, costUsd, repo)
  await countRunBytes(tx, ctx.deps.config, run, bytesOfReport(read))
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

async function writeReport(
  ctx: RequestContext,
  tx: Tx,
  report: Report,
  run: LockedRun,
  costUsd: Usd | null,
): Promise<void> {
  const { input, read, stored } = report
  const { log, metrics } = read
  if (log) {
    await appendChunk(tx, runLog, {
      jobId: run.id,
      seq: run.logSeq + 1,
      attempt: run.attempt,
      storageKey: stored.logKey,
      byteCount: log.bytes.byteLength,
      lineCount: log.lineCount,
      firstLine: run.logLines,
      at: run.now,
    })
  }
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
    logLines: run.logLines + (log?.lineCount ?? 0),
    logBytes: run.logBytes + (log?.bytes.byteLength ?? 0),
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
    outputRepoId: report.output?.id ?? null,
    outputRepoName: report.output?.fullName ?? null,
    stopAt: limit ? run.now : null,
    stopReason: limit?.reason ?? null,
  })
  if (input.status) announceEnd(tx, runJob, input.status)
  if (limit) await addNotice(tx, runLog, run.id, limit.notice)
  // What a new one takes the place of.
  deleteAfterCommit(ctx.deps, tx, [stored.configKey && run.configKey, stored.scorecardKey && run.scorecardKey])
}

/** The runner's own numbers of the batches that it has sent. */
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

/** What metrics change in the run's row, as JSON; null where it stays. */
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

/** The iteration of each line, by the key that the trainer says counts its steps. */
function paceColumn(run: LockedRun, input: ReportRunInput, metrics: MetricsBatch): string | null {
  const stepKey = (input.progress ?? run.progress)?.step_key ?? null
  const iterationAt = (place: number) => iterationOf(metrics.lines[place], stepKey) ?? metrics.steps[place] ?? null
  const atMs = Date.parse(run.now)
  const sinceMs = run.heartbeatAt === null ? atMs : Math.min(atMs, Date.parse(run.heartbeatAt))
  const pace = paceAfter(run.pace ?? [], metrics.lines.length, iterationAt, { sinceMs, atMs })
  return pace && JSON.stringify(pace)
}

/** Further effects of a reported end: the audit entry, the measurements and the model's meta block. */
async function writeEnd(
  ctx: RequestContext,
  tx: Tx,
  run: LockedRun,
  input: ReportRunInput,
  costUsd: Usd,
  repo: RepoFacts | null,
): Promise<void> {
  await audit(tx, ctx, {
    action: 'run.finish',
    accountId: run.ownerId,
    targetId: run.id,
    before: { status: run.status, attempt: run.attempt },
    after: { status: input.status, costUsd },
  })
  if (input.status !== 'succeeded') return
  await addMeasurements(tx, ctx.deps.config, run, {
    peakVramGb: input.peakVramGb ?? run.peakVramGb,
    samplesPerS: input.samplesPerS ?? run.samplesPerS,
    gpuTier: input.gpuTier ?? run.gpuTier,
  })
  if (repo) await stampOutput(ctx, tx, run, repo)
}
