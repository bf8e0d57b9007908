/** The source of the subscription `runUpdated`: the run as it stands, again after each change. */
import { currentViewer } from '../../auth/current-viewer.ts'
import { seenBy } from '../../auth/event-viewer.ts'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { terminalStatuses } from '../../work/job-status.ts'
import { getRunsById } from './get-run.ts'
import type { Run } from './run-shape.ts'

/**
 * The run at once and after every change; changes that fall together may be one. Ends with the run, or when the caller may no longer see it, which is asked
 * again each time. 401, 404 where it is not visible to begin with.
 */
export async function watchRun(ctx: RequestContext, runId: string): Promise<AsyncGenerator<Run>> {
  assertLevel(ctx.viewer, 'read')
  const [first] = isId('run', runId) ? await getRunsById(ctx.deps.db, ctx.viewer, [runId]) : []
  if (!first) throw notFound(`The run ${runId.slice(0, 64)}`)
  return changesOf(ctx, first)
}

async function* changesOf(ctx: RequestContext, first: Run): AsyncGenerator<Run> {
  yield first
  let last = first
  if (isOver(last)) return
  for await (const _hint of ctx.deps.events.watch(first.id, ctx.signal)) {
    const viewer = await currentViewer(ctx.deps.db, ctx.viewer)
    const [run] = viewer === null ? [] : await getRunsById(ctx.deps.db, viewer, [first.id])
    if (!viewer || !run) return
    if (withoutClock(run) === withoutClock(last)) continue
    last = run
    yield seenBy(viewer, run)
    if (isOver(run)) return
  }
}

const isOver = (run: Run) => terminalStatuses.includes(run.status)

/** What is computed from the time of asking changes by itself, and is no news. */
function withoutClock(run: Run): string {
  const progress = run.progress && { ...run.progress, etaS: null, etaAt: null }
  return JSON.stringify({ ...run, progress, spend: null })
}
