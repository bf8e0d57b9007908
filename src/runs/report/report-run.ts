/** reportRun (spec, "POST /v1/runs/{run_id}/report"): the runner's one way to write after its claim. */
import { assertLevel, assertRunsFor, requireCredential, visibleRuns } from '../../auth/policy.ts'
import { assertRoom } from '../../files/reservation.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { forgetRefused, putJobObject } from '../../work/job-objects.ts'
import { isGraceOver } from '../../work/limits.ts'
import { withStaleReportNoted } from '../lease/lost-lease.ts'
import { endOverdue } from '../lease/sweep-leases.ts'
import { runObjects } from '../log/run-objects.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { applyReport, type StoredReport } from './apply-report.ts'
import { findOutputRepo } from './output-repo.ts'
import { assertMoves, isRepeat, withoutStored } from './report-guards.ts'
import { type ReadReport, type ReportRunInput, readReport } from './report-input.ts'
import { type ReportedRun, visibleRunToReport } from './report-rows.ts'
import { bytesOfReport, growthOf } from './run-storage.ts'

/**
 * Objects first, then one transaction under the run's row lock that holds everything else. A report that was stored already, by the runner's own numbers,
 * changes nothing. Errors: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413 `too_large`, `quota.storage`, 422, 503; nothing is stored.
 */
export function reportRun(ctx: RequestContext, input: ReportRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => mayReport(ctx, input.runId),
    (allowed, run) => withStaleReportNoted(allowed, input, () => storeReport(allowed, run, input)),
  )
}

async function storeReport(ctx: AllowedContext, found: ReportedRun, input: ReportRunInput): Promise<Run> {
  const viewer = requireCredential(ctx.viewer)
  const run = await inTime(ctx, found)
  const fence = input.attempt ?? run.attempt
  if (isRepeat(viewer, run, input, fence)) return commitVerb(ctx, (tx) => readRun(tx, ctx.viewer, run.id))
  assertMoves(viewer, run, input, fence)
  const read = withoutStored(run, input, readReport(ctx.deps.config, input))
  const output = input.outputModelRepo ? await findOutputRepo(ctx, input.outputModelRepo) : null
  const bytes = growthOf(bytesOfReport(read), run)
  if (bytes > 0) await assertRoom(ctx.deps.db, ctx.deps.config, run.ownerId, { bytes, uploads: 0 })
  const kept: string[] = []
  try {
    const stored = await storeObjects(ctx, run.id, read, kept)
    return await commitVerb(ctx, async (tx) => {
      await applyReport(ctx, tx, { viewer, fence, input, read, stored, output, outputRepoId: run.outputRepoId })
      return readRun(tx, ctx.viewer, run.id)
    })
  } catch (error) {
    await forgetRefused(ctx, kept, error)
    throw error
  }
}

/** A run past its deadline is ended before it is read, whether or not a sweep has run. */
async function inTime(ctx: RequestContext, run: ReportedRun): Promise<ReportedRun> {
  if (run.status !== 'running' || !isGraceOver(run)) return run
  await endOverdue(ctx.deps, run.id)
  return findReported(ctx, run.id)
}

/** A user who has left the billed account can no longer report, even with a claim. */
async function mayReport(ctx: RequestContext, runId: string): Promise<ReportedRun> {
  const run = await findReported(ctx, runId)
  assertRunsFor(ctx.viewer, run.ownerId)
  return run
}

async function findReported(ctx: RequestContext, runId: string): Promise<ReportedRun> {
  assertLevel(ctx.viewer, 'train')
  const given = { ...visibleRuns(ctx.viewer), runId }
  const [run] = isId('run', runId) ? await ctx.deps.db.query(visibleRunToReport, given) : []
  if (!run) throw notFound(`The run ${runId.slice(0, 64)}`)
  return run
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
