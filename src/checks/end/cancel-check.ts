/** cancelRobotCheck (spec, "POST /v1/robot-checks/{check_id}/cancel"): ends a check at once; its worker learns of it on its next report. */
import { assertLevel } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { findCheck, type HeldCheck, lockCheck, nextStatus } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { readCheck } from '../read/get-check.ts'
import { endCheck } from './end-check.ts'

const cancel = statement({
  name: 'robot-check-cancel',
  params: { checkId: param<string>(), costUsd: param<Usd | null>() },
  text: `update robot_checks set status = 'canceled', stop_reason = 'cancel', cancel_requested_at = now(), finished_at = now(),
      cost_usd = coalesce(:costUsd::numeric, cost_usd), updated_at = now()
    where id = :checkId and status in ('queued', 'running')`,
})

/** The canceled check. Everyone who sees it may cancel it. Errors: 401, 403, 404, 409 `conflict.terminal`. */
export function cancelCheck(ctx: RequestContext, input: { readonly checkId: string }): Promise<RobotCheck> {
  return guarded(
    ctx,
    () => mayCancel(ctx, input.checkId),
    (allowed, { id }) =>
      commitVerb(allowed, async (tx) => {
        await apply(allowed, tx, await lockCheck(tx, id))
        return readCheck(tx, allowed.viewer, id)
      }),
  )
}

async function mayCancel(ctx: RequestContext, checkId: string): Promise<HeldCheck> {
  const check = await findCheck(ctx, checkId)
  assertLevel(ctx.viewer, 'write')
  return check
}

async function apply(ctx: RequestContext, tx: Tx, check: HeldCheck): Promise<void> {
  const to = nextStatus('cancel', check, { credentialId: null })
  const costUsd = await endCheck(ctx.deps, tx, check, false)
  await tx.query(cancel, { checkId: check.id, costUsd })
  await audit(tx, ctx, {
    action: 'robot_check.cancel',
    accountId: check.ownerId,
    targetId: check.id,
    before: { status: check.status },
    after: { status: to },
  })
  tx.afterCommit(() => ctx.deps.events.hint(check.id))
}
