/** How far a run's log and metrics go, for a caller who may see the run. */
import { runViewerParams, runVisibleSql } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import type { Statement } from '../../store/db.ts'
import type { RunHead } from './log-batch.ts'
import { headColumns } from './read-chunks.ts'

const visibleHead: Statement<RunHead> = {
  name: 'run-log-head-visible',
  text: `select ${headColumns} from runs u where u.id = $5 and ${runVisibleSql('u')}`,
}

/** How far the run goes now. 404 where the caller may not see the run. */
export async function findHead(ctx: RequestContext, viewer: Viewer, runId: string): Promise<RunHead> {
  const params = [...runViewerParams(viewer), runId]
  const [head] = isId('run', runId) ? await ctx.deps.db.query(visibleHead, params) : []
  if (!head) throw notFound(`The run ${runId.slice(0, 64)}`)
  return head
}
