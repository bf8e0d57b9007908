/** The guard of operations whose input names a check. */
import { findCheck } from '../../src/checks/check-row.ts'
import type { RequestContext } from '../../src/operation/context.ts'

/** What an operation acts on whose input has `checkId`: 404 where the caller does not see it. */
export function targetCheck(ctx: RequestContext, input: { checkId: string }) {
  return findCheck(ctx, input.checkId)
}
