/** How a verb runs: first who may, then what it does, in one transaction with its audit row and, where an Idempotency-Key was sent, its answer. */

import type { Tx } from '../store/db.ts'
import type { AllowedContext, RequestContext } from './context.ts'

/**
 * Asks `guard` who may see and do it (401, 403, 404), then runs `work` with what it found. On a replayed Idempotency-Key the guard is asked as things are
 * now, and the stored answer stands in for the work; `stillHolds` may refuse it where more than a right has to last. Only the work gets a context that
 * `commitVerb` takes, so a verb without a guard stores nothing to replay.
 */
export async function guarded<Grant, Result>(
  ctx: RequestContext,
  guard: () => Grant,
  work: (ctx: AllowedContext, grant: Awaited<Grant>) => Promise<Result>,
  stillHolds?: (stored: Result, grant: Awaited<Grant>) => Promise<void>,
): Promise<Result> {
  const grant = await guard()
  if (!ctx.replay) {
    ctx.idempotency?.begin()
    return work(ctx as AllowedContext, grant)
  }
  const stored = ctx.replay.take() as Result
  await stillHolds?.(stored, grant)
  return stored
}

/** Runs `work` in one transaction; its result is stored for replays in that same transaction, so a crash can lose neither or both. */
export function commitVerb<T>(ctx: AllowedContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  return ctx.deps.db.withTx(async (tx) => {
    const result = await work(tx)
    await ctx.idempotency?.record(tx, result)
    return result
  })
}
