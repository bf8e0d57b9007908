/** How a verb commits: one transaction holds its change, its audit row and, where an Idempotency-Key was sent, its answer. */
import type { RequestContext } from './context.ts'
import type { Tx } from './store/db.ts'

/** Runs `work` in one transaction; its result is stored for replays in that same transaction, so a crash can lose neither or both. */
export function commitVerb<T>(ctx: RequestContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  return ctx.deps.db.withTx(async (tx) => {
    const result = await work(tx)
    await ctx.idempotency?.record(tx, result)
    return result
  })
}
