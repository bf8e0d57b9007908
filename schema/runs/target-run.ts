/** The guard of operations whose input names a run. */
import type { RequestContext } from '../../src/operation/context.ts'
import { findRun } from '../../src/runs/run-row.ts'

/** The target of an operation whose input has `runId`: 404 if it is not visible to the caller. */
export function targetRun(ctx: RequestContext, input: { runId: string }) {
  return findRun(ctx, input.runId)
}
