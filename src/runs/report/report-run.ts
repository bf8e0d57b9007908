/** reportRun (spec, "POST /v1/runs/{run_id}/report"): the runner reports log, metrics, artifacts and the end of its run, and renews its lease. */
import { requireCredential } from '../../auth/policy.ts'
import { assertRoom } from '../../files/reservation.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { forgetRefused, putJobObject } from '../../work/job-objects.ts'
import { isStopOverdue } from '../lease/deadline.ts'
import { noteStaleReport } from '../lease/lost-lease.ts'
import { endOverdue } from '../lease/sweep-leases.ts'
import { runObjects } from '../log/run-objects.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { applyReport } from './apply-report.ts'
import { findOutputRepo } from './find-output-repo.ts'
import { freshParts } from './report-guards.ts'
import { type ReadReport, type ReportRunInput, readReport } from './report-input.ts'
import { findRunToReport, type ReportedRun } from './report-rows.ts'
import { bytesOfReport, growthOf } from './run-storage.ts'
import type { StoredReport } from './write-report.ts'

/**
 * Writes the objects first, then everything else in one transaction under the run's row lock. A report that is already stored, by the runner's own numbers,
 * changes nothing. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413 `too_large`, `quota.storage`, 422, 503.
 */
export function reportRun(ctx: RequestContext, input: ReportRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => findRunToReport(ctx, input.runId),
    (allowed, run) =>
      storeReport(allowed, run, input).catch((error: unknown) => noteStaleReport(allowed, input, error)),
  )
}

async function storeReport(ctx: AllowedContext, found: ReportedRun, input: ReportRunInput): Promise<Run> {
  const run = await inTime(ctx, found)
  const { credentialId } = requireCredential(ctx.viewer)
  const actor = { credentialId, attempt: input.attempt ?? run.attempt }
  const fresh = freshParts(run, input, actor)
  if (!fresh) return commitVerb(ctx, (tx) => readRun(tx, ctx.viewer, run.id))
  const read = readReport(ctx.deps.config, input, fresh)
  const output = input.outputModelRepo ? await findOutputRepo(ctx, input.outputModelRepo) : null
  const bytes = growthOf(bytesOfReport(read), run)
  if (bytes > 0) await assertRoom(ctx.deps.db, ctx.deps.config, run.ownerId, { bytes, uploads: 0 })
  const kept: string[] = []
  try {
    const stored = await storeObjects(ctx, run.id, read, kept)
    return await commitVerb(ctx, async (tx) => {
      await applyReport(ctx, tx, { actor, input, read, stored, output, outputRepoId: run.outputRepoId })
      return readRun(tx, ctx.viewer, run.id)
    })
  } catch (error) {
    await forgetRefused(ctx, kept, error)
    throw error
  }
}

/** Ends a run that was asked to stop and has not in its time, without waiting for a sweep; returns the run's current row. */
async function inTime(ctx: RequestContext, run: ReportedRun): Promise<ReportedRun> {
  if (run.status !== 'running' || !isStopOverdue(run)) return run
  await endOverdue(ctx.deps, run.id)
  return findRunToReport(ctx, run.id)
}

async function storeObjects(
  ctx: RequestContext,
  runId: string,
  { log, config, scorecard }: ReadReport,
  kept: string[],
): Promise<StoredReport> {
  const put = async (kind: 'logs' | 'config' | 'scorecard', bytes: Uint8Array | undefined | null) => {
    if (!bytes) return null
    const key = await putJobObject(ctx.deps, runObjects[kind], runId, bytes, ctx.signal)
    kept.push(key)
    return key
  }
  const [logKey, configKey, scorecardKey] = await Promise.all([
    put('logs', log?.bytes),
    put('config', config),
    put('scorecard', scorecard?.bytes),
  ])
  return { logKey, configKey, scorecardKey }
}
