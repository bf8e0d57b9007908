/** cancelRun (spec, "POST /v1/runs/{run_id}/cancel"): a queued run ends at once, a running one is asked to stop. */

import { assertLevel } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Tx } from '../../store/db.ts'
import { addNotice } from '../../work/log/write-chunks.ts'
import { askToStop, cancelQueued } from '../../work/stop.ts'
import { runLog } from '../log/run-log.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from '../run-row.ts'

/**
 * Returns the run after the change. Everyone who can see it may cancel it; idempotent. Errors: 401, 403, 404, 409 `conflict.terminal`, 501 for a
 * run that the hosted backend executes.
 */
export function cancelRun(ctx: RequestContext, input: { readonly runId: string }): Promise<Run> {
  return guarded(
    ctx,
    () => mayCancel(ctx, input.runId),
    (allowed, { id }) =>
      commitVerb(allowed, async (tx) => {
        await applyCancel(allowed, tx, await lockRun(tx, id))
        return readRun(tx, allowed.viewer, id)
      }),
  )
}

async function mayCancel(ctx: RequestContext, runId: string): Promise<HeldRun> {
  const found = await findRun(ctx, runId)
  assertLevel(ctx.viewer, 'write')
  return found
}

async function applyCancel(ctx: RequestContext, tx: Tx, run: HeldRun): Promise<void> {
  const to = nextStatus('cancel', run, { credentialId: null })
  // A run that was asked to stop for max_hours ends within a minute, and keeps that reason.
  if (run.stopReason === 'cancel' || run.stopReason === 'max_hours') return
  if (to === 'canceled') await cancelQueued(tx, runJob, run.id, to)
  else await askToStop(tx, runJob, run.id, 'cancel')
  await addNotice(tx, runLog, run.id, noticeOf(ctx, to === 'canceled'))
  await audit(tx, ctx, {
    action: 'run.cancel',
    accountId: run.ownerId,
    targetId: run.id,
    before: { status: run.status },
    after: { status: to },
  })
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

function noticeOf({ viewer }: RequestContext, ended: boolean): string {
  const who = viewer.kind === 'anonymous' ? 'someone' : viewer.account.handle
  return ended ? `The run was canceled by ${who} before a runner claimed it.` : `${who} requested the run to stop.`
}
