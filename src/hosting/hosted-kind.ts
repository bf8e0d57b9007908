/** A kind of job that can run on the hub's hosting backend. */
import type { Deps } from '../operation/context.ts'
import type { HostedSettings } from '../platform/config.ts'
import type { Usd } from '../platform/money.ts'
import type { Tx } from '../store/db.ts'
import type { JobKind } from '../work/job-kind.ts'

/** SQL refers to the job's row as `u`. */
export interface HostedKind {
  readonly job: JobKind
  /** The name of the deployed function. */
  readonly functionSql: string
  /** The GPU tier; null for CPU work. */
  readonly tierSql: string
  /** Its `max_hours`; null without one. */
  readonly maxHoursSql: string
  /** The longest that a job with these `max_hours` may take from its claim on, in seconds; null: no limit. */
  readonly maxSeconds: (hosted: HostedSettings, maxHours: number | null) => number | null
  /** Scope of the job's key. */
  readonly keyScope: 'write' | 'train'
  /** Ids of the repos that the job's key may write, as a JSON array. */
  readonly repoIdsSql: string
  /** Whether the function itself reported the end of the job, and so exits by itself. */
  readonly endReportedSql: string
  /**
   * What the end of a job always does, in the transaction that fails it because its call could not be started or did
   * not report, before its row changes: returns what the job costs.
   */
  readonly settle: (deps: Pick<Deps, 'config' | 'queue'>, tx: Tx, jobId: string) => Promise<Usd | null>
}
