/** Finds the current end of a job's log, for a viewer who can see the job. */

import { isId } from '@hub/formats/ids'
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import { notFound } from '../../platform/errors.ts'
import { param, statement } from '../../store/statement.ts'
import { headColumns, type JobLog } from './job-log.ts'

/**
 * `findHead` of a kind whose jobs have the visibility of runs. One statement; 404 `The run run_…` if the job is not
 * visible.
 */
export function headFinder({ job, metrics }: Pick<JobLog, 'job' | 'metrics'>): JobLog['findHead'] {
  const head = headColumns({ metrics })
  const visibleHead = statement({
    name: `${job.name}-log-head-visible`,
    exact: 'followed',
    columns: head,
    params: { ...runViewer, jobId: param.text() },
    text: `select ${head.sql} from ${job.table} u where u.id = :jobId and ${runVisibleSql('u')}`,
  })
  return async ({ deps }, viewer, jobId) => {
    const values = { ...visibleRuns(viewer), jobId }
    const [found] = isId(job.idPrefix, jobId) ? await deps.db.query(visibleHead, values) : []
    if (!found) throw notFound(`The ${job.noun} ${jobId.slice(0, 64)}`)
    return found
  }
}
