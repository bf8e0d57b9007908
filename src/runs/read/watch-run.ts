/** The source of the subscription `runUpdated`. */
import type { RequestContext } from '../../operation/context.ts'
import { watchJob } from '../../work/watch-job.ts'
import { runJob } from '../run-job.ts'
import { getRunsById } from './get-run.ts'
import type { Run } from './run-shape.ts'

/** The run at once and after every change. Ends with the run, or when it is hidden. 401, 404 where it is not visible to begin with. */
export function watchRun(ctx: RequestContext, runId: string): Promise<AsyncGenerator<Run>> {
  return watchJob(ctx, { job: runJob, byId: getRunsById, textOf }, runId)
}

/** Values computed from the current time are ignored in the comparison. */
function textOf(run: Run): string {
  const progress = run.progress && { ...run.progress, etaS: null, etaAt: null }
  return JSON.stringify({ ...run, progress, spend: null })
}
