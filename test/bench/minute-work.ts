/** The work of each minute, and a database in which nothing of it is due. */
import type pg from 'pg'
import { expireHolds } from '../../src/billing/holds/expire-holds.ts'
import { sweepChecks } from '../../src/checks/end/sweep-checks.ts'
import { renewReservations } from '../../src/endpoints/end/renew-reservations.ts'
import { sweepEndpoints } from '../../src/endpoints/end/sweep-endpoints.ts'
import { sweepSessions } from '../../src/endpoints/sessions/sweep-sessions.ts'
import { jobs } from '../../src/jobs/index.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import type { Db } from '../../src/store/db.ts'
import type { World } from '../support/world.ts'

/**
 * A hub with nothing left to do: rows in an index of what is open, due or left are deleted, but for one in a thousand
 * of the runs.
 */
export async function settle(client: pg.Client, runs: number): Promise<void> {
  const { rows: found } = await client.query<{ table: string; condition: string }>(
    `select indrelid::regclass::text as table, pg_get_expr(indpred, indrelid) as condition from pg_index
      where indpred is not null and indexrelid::regclass::text ~
        '_(running|waiting|open|pending|left|dropped|doomed|unverified|unfinished|to_dispatch|unmeasured|closed|pinned|check_due)$'`,
  )
  for (const { table, condition } of found) await client.query(`delete from ${table} where ${condition}`)
  await client.query('delete from deleted_repos')
  await client.query(`update runs set status = 'running', lease_expires_at = now() + interval '1 hour'
    where id in (select id from runs order by id limit ${Math.ceil(runs / 1000)})`)
}

const sweeps = {
  'run leases': sweepLeases,
  'check limits': sweepChecks,
  'spend holds': expireHolds,
  'endpoint limits': sweepEndpoints,
  'endpoint reservations': renewReservations,
  'endpoint sessions': sweepSessions,
} as const

/** All that a hub does each minute; `of` gives each part its database. */
export async function minuteWork(world: World, of: (subject: string) => Db): Promise<void> {
  const { signal } = new AbortController()
  const { log } = world.deps
  for (const job of jobs.filter(({ cron }) => cron === '* * * * *'))
    await job.handler({}, { deps: { ...world.deps, db: of(job.name) }, signal, log })
  for (const [name, sweep] of Object.entries(sweeps)) await sweep({ ...world.deps, db: of(name) })
  await sweepCalls({ ...world.deps, db: of('hosted calls') })
}
