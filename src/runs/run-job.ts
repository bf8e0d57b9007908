/** What the kernel of leased work has to know of runs. */
import { runListedSql } from '../auth/policy.ts'
import type { JobKind } from '../work/job-kind.ts'

/** In the row itself, so that a claim that waited for the row's lock looks again. Why: `lease/lost-lease.ts`. */
const notBarredSql = (alias: string, place: string) =>
  `(${alias}.barred_credential is distinct from ${place} or ${alias}.barred_until <= now())`

export const runJob: JobKind = { name: 'run', table: 'runs', listedSql: runListedSql, lease: { notBarredSql } }
