/**
 * cancelRun (spec, "POST /v1/runs/{run_id}/cancel"): a queued run ends at once, a running one is asked to stop. The
 * request is a column of the run, so a hub that dies after it loses nothing: any hub's sweep ends a hosted run that
 * does not stop (`isHostedStopOver`), and the hub that reaches its call ends that (`tendCalls`).
 */
import { releaseSpend } from '../../billing/reservations.ts'
import { isCallReachable } from '../../hosting/stop-call.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { type CancelKind, cancelJob } from '../../work/cancel.ts'
import { addNotice } from '../../work/log/write-chunks.ts'
import { askToStop, endCanceled } from '../../work/stop.ts'
import { runLog } from '../log/run-log.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from '../run-row.ts'

type CancelableRun = HeldRun & { readonly canBeEnded: boolean }

const withBackend = async ({ deps }: RequestContext, querier: Querier, run: HeldRun): Promise<CancelableRun> => ({
  ...run,
  canBeEnded: run.hostedCallId === null || (await isCallReachable(deps, querier, run.hostedCallId)),
})

const cancelKind: CancelKind<CancelableRun, Run> = {
  job: runJob,
  verb: 'cancel',
  scope: 'write',
  find: async (ctx, runId) => withBackend(ctx, ctx.deps.db, await findRun(ctx, runId)),
  lock: async (tx, runId, ctx) => withBackend(ctx, tx, await lockRun(tx, runId)),
  next: (run) => nextStatus('cancel', run, { credentialId: null, canBeEnded: run.canBeEnded }),
  apply,
  read: readRun,
}

/**
 * Returns the run after the change. Everyone who can see the run may cancel it; idempotent. Errors: 401, 403, 404, 409
 * `conflict.terminal`, 501 for a running run on a hosted backend that this deployment no longer has.
 */
export function cancelRun(ctx: RequestContext, input: { readonly runId: string }): Promise<Run> {
  return cancelJob(ctx, cancelKind, input.runId)
}

async function apply(ctx: RequestContext, tx: Tx, run: HeldRun, to: HeldRun['status']): Promise<boolean> {
  // A run that was asked to stop for max_hours ends within a minute, and keeps that reason.
  if (run.stopReason === 'cancel' || run.stopReason === 'max_hours') return false
  if (to === 'canceled') {
    if (run.priced) await releaseSpend(tx, run.id)
    await endCanceled(tx, runJob, run.id, { status: to, costUsd: '0.0000' })
  } else await askToStop(tx, runJob, run.id, 'cancel')
  await addNotice(tx, runLog, run.id, noticeOf(ctx, to === 'canceled'))
  return true
}

function noticeOf({ viewer }: RequestContext, ended: boolean): string {
  const who = viewer.kind === 'anonymous' ? 'someone' : viewer.account.handle
  return ended ? `The run was canceled by ${who} before a runner claimed it.` : `${who} requested the run to stop.`
}
