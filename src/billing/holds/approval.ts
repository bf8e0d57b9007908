/** A person's approval of one hold, inside the transaction that creates its job. Spec, approveSpendHold. */
import { assertStillInOrg } from '../../accounts/org-members.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { type Usd, usdLess } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import type { SpendHold } from './hold-shape.ts'
import { lockPendingHold, moveHold } from './move-hold.ts'

/**
 * Given to the operation that creates the job of an approved hold. It lifts the agent's limit for this one job, and
 * nothing else.
 */
export interface Approval {
  /**
   * Moves the hold to `approved` with the job as its result. The caller must already have its locks on repos and jobs,
   * and none on accounts.
   */
  readonly take: (tx: Tx, job: { readonly jobId: string; readonly mostUsd: Usd }) => Promise<void>
}

/**
 * The approval by the person of `ctx`. Errors of `take`: 403 if the person has left the org, 409 `conflict.not_pending`
 * for a hold that is already decided, 409 `conflict.cost_rose` for a job that can cost more than the hold shows.
 */
export function approvalOf(
  ctx: RequestContext,
  { id, account }: Pick<SpendHold, 'id' | 'account'>,
  personId: string,
): Approval {
  return {
    async take(tx, { jobId, mostUsd }) {
      const hold = await lockPendingHold(tx, id, 'approve')
      if (account.kind === 'org') await assertStillInOrg(tx, account, personId)
      if (usdLess(mostUsd, hold.reserveUsd) !== mostUsd) throw costRose(mostUsd, hold.reserveUsd)
      const decision = { trigger: 'approve', personId, reason: null, resultId: jobId } as const
      await moveHold({ deps: ctx.deps, tx, ctx, hold, decision })
    },
  }
}

function costRose(mostUsd: Usd, shownUsd: Usd): HubError {
  const type = 'conflict.cost_rose'
  const detail = `The job can cost up to ${mostUsd} USD now, and the hold shows ${shownUsd} USD.`
  const facts = { cost_usd_max: Number(mostUsd), reserve_usd: Number(shownUsd) }
  return new HubError(type, detail, { items: [{ type, detail, ...facts }] })
}
