/** The log of a check, for followers and downloads. */
import { headFinder } from '../../work/log/find-head.ts'
import type { JobLog } from '../../work/log/job-log.ts'
import { checkJob } from '../check-job.ts'

export const checkLog: JobLog = {
  job: checkJob,
  chunks: { table: 'robot_check_log_chunks', jobId: 'check_id' },
  findHead: headFinder({ job: checkJob, metrics: null }),
  metrics: null,
}
