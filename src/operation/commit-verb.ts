/**
 * Runs a verb: authorization first, then its work in one transaction with the audit row and, if an Idempotency-Key was
 * sent, the stored result.
 */

import type { Querier, Tx } from '../store/db.ts'
import type { AllowedContext, RequestContext } from './context.ts'

/**
 * Runs `guard` (401, 403, 404), then `work` with the guard's result. On a replayed Idempotency-Key the guard runs
 * against the current state, and the stored result replaces the work. It is 404 if the `id` of the guard's result is
 * another one now. `stillHolds` rejects the replay if something else must still be valid: a verb that makes something
 * throws 404 if that is gone or hidden now. Only `work` gets a context that `commitVerb` accepts, so a verb without a
 * guard cannot store a result.
 */
export async function guarded<Grant, Result>(
  ctx: RequestContext,
  guard: () => Grant,
  work: (ctx: AllowedContext, grant: Awaited<Grant>) => Promise<Result>,
  stillHolds?: (stored: Result, grant: Awaited<Grant>) => Promise<void>,
): Promise<Result> {
  const grant = await guard()
  if (!ctx.replay) {
    ctx.idempotency?.begin(idOf(grant))
    return work(ctx as AllowedContext, grant)
  }
  const stored = ctx.replay.take(idOf(grant)) as Result
  await stillHolds?.(stored, grant)
  return stored
}

/** The id of what a request names: most guards return that thing. */
function idOf(grant: unknown): string | null {
  if (typeof grant !== 'object' || grant === null || !('id' in grant)) return null
  return typeof grant.id === 'string' ? grant.id : null
}

/**
 * Runs `work` in one transaction and stores its result for replays in the same transaction, so a crash keeps both or
 * neither.
 */
export function commitVerb<T>(ctx: AllowedContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  return ctx.deps.db.withTx(async (tx) => {
    const result = await work(tx)
    await ctx.idempotency?.record(tx, result)
    return result
  })
}

/**
 * The same for a verb whose result is read by one statement: that goes with the commit, unless the result is stored for
 * replays. A result that is not visible any more is an error after the commit.
 */
export function commitAndShow<T>(
  ctx: AllowedContext,
  work: (tx: Tx) => Promise<void>,
  show: (querier: Querier) => Promise<T>,
): Promise<T> {
  if (ctx.idempotency)
    return commitVerb(ctx, async (tx) => {
      await work(tx)
      return show(tx)
    })
  return ctx.deps.db.withTx(async (tx) => {
    await work(tx)
    return show(tx.last)
  })
}
