/**
 * approveSpendHold (spec, "POST /v1/spend/holds/{hold_id}/approve"): creates the job of a hold, as the key that asked
 * for it.
 */
import { assertApproves } from '../auth/hold-policy.ts'
import { approvalOf } from '../billing/holds/approval.ts'
import { findHold } from '../billing/holds/get-hold.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'
import { nextHoldStatus } from '../billing/holds/hold-state.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { filingViewer } from './filing-key.ts'
import { holdKinds } from './hold-kinds.ts'
import { holdTarget } from './hold-target.ts'
import { placedInRecord } from './recorded-places.ts'

/**
 * Approves the hold and creates its job in one transaction. Quotas, reservation and spend cap apply at the time of the
 * approval. Errors: 401, 403 for every key, for everyone outside the account and without a recent sign-in, 404, 409
 * `conflict.not_pending`, `conflict.key_gone`, `conflict.cost_rose`, and every error of the create itself (403, 404, 409, 422, 429, 503), whose
 * places are in the recorded request. After an error the hold is unchanged.
 */
export function approveHold(ctx: RequestContext, input: { readonly holdId: string }): Promise<SpendHold> {
  return guarded(
    ctx,
    async () => {
      const hold = await findHold(ctx.deps.db, ctx.viewer, input.holdId)
      return { hold, personId: assertApproves(ctx.viewer, holdTarget(hold)).personId }
    },
    (allowed, { hold, personId }) => approve(allowed, hold, personId),
  )
}

async function approve(ctx: AllowedContext, hold: SpendHold, personId: string): Promise<SpendHold> {
  nextHoldStatus('approve', hold.status)
  const kind = holdKinds[hold.kind]
  const viewer = await filingViewer(ctx.deps.db, hold, kind.scope)
  // The Idempotency-Key of this request stores the hold, not the job.
  const { requestId, signal, deps } = ctx
  try {
    const make = await kind.prepare({ requestId, signal, deps, viewer }, hold.request)
    return await commitVerb(ctx, async (tx) => {
      await make(tx, approvalOf(ctx, hold, personId))
      return findHold(tx, ctx.viewer, hold.id)
    })
  } catch (error) {
    throw placedInRecord(hold.request, error)
  }
}
