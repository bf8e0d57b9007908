/** The job kind descriptor of runs, and their deadline. */
import { runListedSql } from '../auth/policy.ts'
import type { JobKind } from '../work/job-kind.ts'
import { deadlineSqlOf } from '../work/limits.ts'

/**
 * The bar is in the run's row, so that a claim that waited for the row lock sees the current value. Its reason:
 * `lease/sweep-leases.ts`.
 */
const notBarredSql = (alias: string, place: string) =>
  `(${alias}.barred_credential is distinct from ${place} or ${alias}.barred_until <= now())`

const lostSinceDispatchSql = (alias: string) =>
  `exists (select 1 from run_attempts a where a.run_id = ${alias}.id and a.ended_at > ${alias}.dispatched_at)`

/** The condition of the index `runs_waiting`. */
const forAnyWorkerSql = (alias: string) => `not ${alias}.self_started`

export const runJob: JobKind = {
  name: 'run',
  noun: 'run',
  idPrefix: 'run',
  table: 'runs',
  statusType: 'JobStatus',
  listedSql: runListedSql,
  lease: { notBarredSql, lostSinceDispatchSql, forAnyWorkerSql },
}

/**
 * When the `max_hours` of the run alias `u` are used up; null if it is not running or has none. A worker run has a
 * deadline only if its recipe gives one; the time of lost attempts counts too. Contract, "Deadlines and cost".
 */
export const deadlineSql = deadlineSqlOf(
  `case when u.executor = 'hosted' or u.recipe ->> 'max_hours' is not null then u.max_hours * 3600 - u.used_seconds end`,
)
