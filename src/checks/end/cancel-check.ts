/**
 * cancelRobotCheck (spec, "POST /v1/robot-checks/{check_id}/cancel"): ends the call of a hosted check first, then the
 * check at once. A worker learns of the cancel from its next report.
 */
import { cancelStopped } from '../../hosting/stop-call.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Tx } from '../../store/db.ts'
import { type CancelKind, cancelJob } from '../../work/cancel.ts'
import { endCanceled } from '../../work/stop.ts'
import { checkJob } from '../check-job.ts'
import { findCheck, type HeldCheck, lockCheck, nextStatus } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { readCheck } from '../read/get-check.ts'
import { settleCheck } from './settle-check.ts'

const cancelKind: CancelKind<HeldCheck, RobotCheck> = {
  job: checkJob,
  verb: 'cancel',
  scope: 'write',
  find: findCheck,
  lock: lockCheck,
  next: (check) => nextStatus('cancel', check, { credentialId: null }),
  apply,
  read: readCheck,
  stopFirst: (ctx, check, cancel) => cancelStopped(ctx.deps, check, () => findCheck(ctx, check.id), cancel),
}

/**
 * Returns the canceled check. Everyone who sees it may cancel it. Errors: 401, 403, 404, 409 `conflict.terminal`, 502
 * if its call could not be ended.
 */
export function cancelCheck(ctx: RequestContext, input: { readonly checkId: string }): Promise<RobotCheck> {
  return cancelJob(ctx, cancelKind, input.checkId)
}

async function apply(ctx: RequestContext, tx: Tx, check: HeldCheck, status: string): Promise<boolean> {
  const costUsd = await settleCheck(ctx.deps, tx, check, false)
  await endCanceled(tx, checkJob, check.id, { status, costUsd })
  return true
}
