/** The source of the subscription `runUpdated`. */
import type { RequestContext } from '../../operation/context.ts'
import { watchJob } from '../../work/watch-job.ts'
import { runJob } from '../run-job.ts'
import { getRunsById } from './get-run.ts'
import type { Run } from './run-shape.ts'

/**
 * Yields the run at once and after every change, until the run ends or is no longer visible. Errors: 401, 404 if the
 * run is not visible at the start.
 */
export function watchRun(ctx: RequestContext, runId: string): Promise<AsyncGenerator<Run>> {
  return watchJob(ctx, { job: runJob, byId: getRunsById, textOf }, runId)
}

/** The text by which changes are detected, without the values that are computed from the current time. */
function textOf(run: Run): string {
  const progress = run.progress && { ...run.progress, etaS: null, etaAt: null }
  return JSON.stringify({ ...run, progress, spend: null })
}
