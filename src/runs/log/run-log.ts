/** The log of a run with its metrics, for followers and downloads. The log of an imported run is empty. */
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { param, statement } from '../../store/statement.ts'
import { headColumns, type JobLog, type JobMetrics, type LogHead } from '../../work/log/job-log.ts'
import { readMetrics } from '../metrics/read-metrics.ts'
import { runJob } from '../run-job.ts'

const metrics: JobMetrics = {
  seqSql: 'u.metrics_seq',
  epochSql: `u.attempt || '.' || u.lost_leases`,
  read: readMetrics,
}

export const runLog: JobLog = {
  job: runJob,
  chunks: { table: 'run_log_chunks', jobId: 'run_id' },
  findHead: findRunHead,
  metrics,
}

const head = headColumns({ metrics })
const visibleHead = statement({
  name: 'run-log-head-visible',
  columns: head,
  params: { ...runViewer, runId: param<string>() },
  text: `select ${head.sql} from runs u where u.id = :runId and ${runVisibleSql('u')}`,
})

async function findRunHead(ctx: RequestContext, viewer: Viewer, runId: string): Promise<LogHead> {
  const [found] = isId('run', runId) ? await ctx.deps.db.query(visibleHead, { ...visibleRuns(viewer), runId }) : []
  if (!found) throw notFound(`The run ${runId.slice(0, 64)}`)
  return found
}
