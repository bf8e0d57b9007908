/** The log of a check, for followers and downloads. */
import type { JobObjectKind } from '../../work/job-objects.ts'
import { headFinder } from '../../work/log/find-head.ts'
import type { JobLog } from '../../work/log/job-log.ts'
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
  findHead: headFinder({ job: checkJob, metrics: null }),
  metrics: null,
}
