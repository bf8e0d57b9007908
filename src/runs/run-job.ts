/** The job kind descriptor of runs. */
import { runListedSql } from '../auth/policy.ts'
import type { JobKind } from '../work/job-kind.ts'

/**
 * The bar is in the run's row, so that a claim that waited for the row lock sees the current value. Its reason:
 * `lease/lost-lease.ts`.
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
