/** A kind of job that the hub can have executed on its own backend. */
import type { JobKind } from '../work/job-kind.ts'

/** SQL is about the job's row `u`. */
export interface HostedKind {
  readonly job: JobKind
  /** The name of the function that is deployed for the job. */
  readonly functionSql: string
  /** Ids of the repos that the job's key may write, as a JSON array. */
  readonly repoIdsSql: string
  /** Whether a job that has ended was ended by a report of its function, which then leaves by itself. */
  readonly endReportedSql: string
}
