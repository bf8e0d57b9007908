/** The source of the subscription `runUpdated`: the current run, then the run after each change. */
import { assertLevel } from '../../auth/policy.ts'
import { watchChanges } from '../../auth/watch-changes.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { terminalStatuses } from '../../work/job-status.ts'
import { getRunsById } from './get-run.ts'
import type { Run } from './run-shape.ts'

/** The run at once and after every change. Ends with the run, or when it is hidden. 401, 404 where it is not visible to begin with. */
export async function watchRun(ctx: RequestContext, runId: string): Promise<AsyncGenerator<Run>> {
  assertLevel(ctx.viewer, 'read')
  const read = async (viewer: Viewer): Promise<Run | null> => {
    const [run] = await getRunsById(ctx.deps.db, viewer, [runId])
    return run ?? null
  }
  const first = isId('run', runId) ? await read(ctx.viewer) : null
  if (!first) throw notFound(`The run ${runId.slice(0, 64)}`)
  return watchChanges(ctx, first, { read, textOf, isOver: ({ status }) => terminalStatuses.includes(status) })
}

/** Values computed from the current time are ignored in the comparison. */
function textOf(run: Run): string {
  const progress = run.progress && { ...run.progress, etaS: null, etaAt: null }
  return JSON.stringify({ ...run, progress, spend: null })
}
