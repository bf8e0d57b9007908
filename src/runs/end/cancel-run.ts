/** cancelRun (spec, "POST /v1/runs/{run_id}/cancel"): a queued run ends at once, a running one is asked to stop. */

import { assertLevel } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Statement, Tx } from '../../store/db.ts'
import { addNotice } from '../../work/log/notice.ts'
import { runLog } from '../log/run-log.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from '../run-row.ts'

const endQueued: Statement<never> = {
  name: 'run-cancel-queued',
  text: `update runs set status = 'canceled', stop_reason = 'cancel', cancel_requested_at = now(), finished_at = now(), cost_usd = 0, updated_at = now()
    where id = $1 and status = 'queued'`,
}

/** A budget or tripwire may have asked before: that is when it was asked. */
const askRunning: Statement<never> = {
  name: 'run-cancel-running',
  text: `update runs set cancel_requested_at = coalesce(cancel_requested_at, now()), stop_reason = 'cancel', updated_at = now()
    where id = $1 and status = 'running'`,
}

/**
 * The run as it then stands. Everyone who sees it may cancel it; a second cancel changes nothing. Errors: 401, 403, 404, 409 `conflict.terminal`, 501 for a
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
  // A run that was asked to stop at its max_hours ends within a minute, and keeps that reason.
  if (run.stopReason === 'cancel' || run.stopReason === 'max_hours') return
  await tx.query(to === 'canceled' ? endQueued : askRunning, [run.id])
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
  return ended ? `The run was canceled by ${who} before a runner claimed it.` : `The run is asked to stop by ${who}.`
}
