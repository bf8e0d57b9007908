/** The log of a run with its metrics, for followers and downloads. The log of an imported run is empty. */
import { headFinder } from '../../work/log/find-head.ts'
import type { JobLog, JobMetrics } from '../../work/log/job-log.ts'
import { readRunMetrics } from '../metrics/read-metrics.ts'
import { runJob } from '../run-job.ts'

const metrics: JobMetrics = {
  seqSql: 'u.metrics_seq',
  epochSql: `u.attempt || '.' || u.lost_leases`,
  read: readRunMetrics,
}

export const runLog: JobLog = {
  job: runJob,
  chunks: { table: 'run_log_chunks', jobId: 'run_id' },
  findHead: headFinder({ job: runJob, metrics }),
  metrics,
}
