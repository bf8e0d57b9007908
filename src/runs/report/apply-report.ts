/** The transaction of a report: everything that it changes, under the run's row lock and fenced by the claim. */
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import type { JobActor } from '../../work/held-job.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import { endClaimedRun } from '../end/end-claimed-run.ts'
import { addMeasurements, type MeasuredValues } from './measure.ts'
import { lockOutputRepo, referToOutput, stampOutput } from './output-repo.ts'
import { freshParts } from './report-guards.ts'
import type { ReportRunInput } from './report-input.ts'
import { type LockedRun, lockRunToReport } from './report-rows.ts'
import { bytesOfReport, countRunBytes } from './run-storage.ts'
import { type WrittenReport, writeReport } from './write-report.ts'

export interface Report extends WrittenReport {
  /** The reporting credential and its attempt, which the fencing check compares with the claim. */
  readonly actor: JobActor
  /** The run's output repo when the report arrived. */
  readonly outputRepoId: string | null
}

/** Locks the run, repeats the checks made before the objects were written, and writes. */
export async function applyReport(ctx: RequestContext, tx: Tx, report: Report): Promise<void> {
  const { input, stored, output } = report
  const repoId = output?.id ?? (input.status === 'succeeded' ? report.outputRepoId : null)
  const repo = repoId === null ? null : await lockOutputRepo(tx, repoId, output !== null)
  const [run] = await tx.query(lockRunToReport, [input.runId])
  if (!run) throw notFound(`The run ${input.runId}`)
  // A concurrent duplicate may have been stored first. No row refers to the objects of this one.
  const fresh = freshParts(run, input, report.actor)
  if (!fresh?.log) deleteAfterCommit(ctx.deps, tx, fresh ? [stored.logKey] : Object.values(stored))
  if (!fresh) return
  const read = {
    ...report.read,
    log: fresh.log ? report.read.log : null,
    metrics: fresh.metrics ? report.read.metrics : null,
  }
  const costUsd = input.status ? await endClaimedRun(ctx.deps, tx, run, 'reported') : null
  await writeReport(ctx, tx, { ...report, read }, run, costUsd)
  if (output) await referToOutput(tx, run, output.id)
  if (costUsd !== null) await writeEnd(ctx, tx, run, input, costUsd, repo)
  await countRunBytes(tx, ctx.deps.config, run, bytesOfReport(read))
  if (input.status === 'succeeded') await addMeasurements(tx, ctx.deps.config, run, valuesAfter(run, input))
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

/** Further effects of a reported end: the audit entry and the model's meta block. */
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
  if (input.status === 'succeeded' && repo) await stampOutput(ctx, tx, run, repo)
}

/** What the run has measured, with this report. */
const valuesAfter = (run: LockedRun, input: ReportRunInput): MeasuredValues => ({
  peakVramGb: input.peakVramGb ?? run.peakVramGb,
  samplesPerS: input.samplesPerS ?? run.samplesPerS,
  gpuTier: input.gpuTier ?? run.gpuTier,
})
