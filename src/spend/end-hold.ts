/** denySpendHold and cancelSpendHold (spec, "Spend holds"): end a pending hold without starting its job. */
import { assertCancels, assertDecides } from '../auth/hold-policy.ts'
import { findHold } from '../billing/holds/get-hold.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'
import { type Decision, lockPendingHold, moveHold } from '../billing/holds/move-hold.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { Credentialed, RequestContext } from '../operation/context.ts'
import { holdTarget } from './hold-target.ts'

/**
 * Denies a hold, by a person of the account. The reason is stored in the hold, where the agent reads it. Errors: 401,
 * 403 for every key, 404, 409 `conflict.not_pending`.
 */
export function denyHold(
  ctx: RequestContext,
  { holdId, reason }: { readonly holdId: string; readonly reason: string },
): Promise<SpendHold> {
  return end(ctx, holdId, assertDecides, ({ personId }) => ({ trigger: 'deny', personId, reason, resultId: null }))
}

/**
 * Cancels a hold, by the key that filed it or a person of the account. Errors: 401, 403, 404, 409
 * `conflict.not_pending`.
 */
export function cancelHold(ctx: RequestContext, { holdId }: { readonly holdId: string }): Promise<SpendHold> {
  return end(ctx, holdId, assertCancels, ({ kind, personId }) => ({
    trigger: 'cancel',
    personId: kind === 'session' ? personId : null,
    reason: null,
    resultId: null,
  }))
}

function end(
  ctx: RequestContext,
  holdId: string,
  assertMay: typeof assertCancels,
  decisionOf: (viewer: Credentialed) => Decision,
): Promise<SpendHold> {
  return guarded(
    ctx,
    async () => assertMay(ctx.viewer, holdTarget(await findHold(ctx.deps.db, ctx.viewer, holdId))),
    (allowed, viewer) =>
      commitVerb(allowed, async (tx) => {
        const decision = decisionOf(viewer)
        const hold = await lockPendingHold(tx, holdId, decision.trigger)
        await moveHold({ deps: allowed.deps, tx, ctx: allowed, hold, decision })
        return findHold(tx, viewer, holdId)
      }),
  )
}
