/** The log of a check, for followers and downloads. */
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobObjectKind } from '../../work/job-objects.ts'
import { headColumns, type JobLog, type LogHead } from '../../work/log/job-log.ts'
import { checkJob } from '../check-job.ts'

/** Under `robot-checks/{check_id}/logs/`. */
export const checkLogObjects: JobObjectKind = {
  prefix: 'robot-checks/',
  folder: 'logs',
  extension: 'log',
  contentType: 'text/plain; charset=utf-8',
}

export const checkLog: JobLog = {
  job: checkJob,
  chunks: { table: 'robot_check_log_chunks', jobId: 'check_id' },
  findHead: findCheckHead,
  metrics: null,
}

const head = headColumns({ metrics: null })
const visibleHead = statement({
  name: 'robot-check-log-head-visible',
  columns: head,
  params: { ...runViewer, checkId: param<string>() },
  text: `select ${head.sql} from robot_checks u where u.id = :checkId and ${runVisibleSql('u')}`,
})

async function findCheckHead(ctx: RequestContext, viewer: Viewer, checkId: string): Promise<LogHead> {
  const values = { ...visibleRuns(viewer), checkId }
  const [found] = isId('check', checkId) ? await ctx.deps.db.query(visibleHead, values) : []
  if (!found) throw notFound(`The check ${checkId.slice(0, 64)}`)
  return found
}
