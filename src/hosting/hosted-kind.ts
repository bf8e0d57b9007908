/** A kind of job that can run on the hub's hosting backend. */
import type { JobKind } from '../work/job-kind.ts'

/** SQL refers to the job's row as `u`. */
export interface HostedKind {
  readonly job: JobKind
  /** The name of the deployed function. */
  readonly functionSql: string
  /** Ids of the repos that the job's key may write, as a JSON array. */
  readonly repoIdsSql: string
  /** Whether the function itself reported the end of the job, and so exits by itself. */
  readonly endReportedSql: string
}
