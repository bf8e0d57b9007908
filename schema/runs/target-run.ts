/** The guard of operations whose input names a run. */
import type { RequestContext } from '../../src/operation/context.ts'
import { findRun } from '../../src/runs/run-row.ts'

/** What an operation acts on whose input has `runId`: 404 where the caller does not see it. */
export function targetRun(ctx: RequestContext, input: { runId: string }) {
  return findRun(ctx, input.runId)
}
