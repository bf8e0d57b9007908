/** The guard of operations whose input names a hold. */
import { findHold } from '../../src/billing/holds/get-hold.ts'
import type { RequestContext } from '../../src/operation/context.ts'

/** 404 where the caller does not see it. */
export function targetHold(ctx: RequestContext, { holdId }: { holdId: string }) {
  return findHold(ctx.deps.db, ctx.viewer, holdId)
}
