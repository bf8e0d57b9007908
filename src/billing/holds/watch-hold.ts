/** The source of `spendHoldUpdated`: sends the hold at once, and again after it is decided. Contract, "Spend holds". */
import { assertLevel } from '../../auth/policy.ts'
import { watchChanges } from '../../auth/watch-changes.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { findHold, getHoldsById } from './get-hold.ts'
import type { SpendHold } from './hold-shape.ts'

/**
 * Ends when the hold is no longer pending, or the caller no longer sees it. Errors before the first event: 401, 404.
 */
export async function watchHold(ctx: RequestContext, holdId: string): Promise<AsyncGenerator<SpendHold>> {
  assertLevel(ctx.viewer, 'read')
  const read = async (viewer: Viewer): Promise<SpendHold | null> => {
    const [found] = await getHoldsById(ctx.deps.db, viewer, [holdId])
    return found ?? null
  }
  const first = await findHold(ctx.deps.db, ctx.viewer, holdId)
  return watchChanges(ctx, first, {
    name: 'hold',
    read,
    textOf: ({ status }) => status,
    isOver: ({ status }) => status !== 'pending',
  })
}
