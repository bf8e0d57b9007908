/** The database, the queue in it, the secret that opens its keys, and its clock. */

import { countText, sizeText } from 'hub/client-output'
import type pg from 'pg'
import { SIGNING_KEY_PURPOSE } from '../auth/signing-keys.ts'
import { keptSecret } from '../backup/secret.ts'
import type { Config } from '../platform/config.ts'
import { isWorkedOn } from '../store/failed-queue.ts'
import { connect } from '../store/long-connection.ts'
import { isBeingRestored } from '../store/restore-mark.ts'
import { openSealed } from '../store/seal.ts'
import { type Check, fail, ok, warn } from './doctor-checks.ts'

/** What is asked of a database that answers. */
export interface DatabaseFacts {
  readonly checks: readonly Check[]
  /** The key id that the hub signs with; null before its first start. */
  readonly kid: string | null
}

const PROBES = 5
const SLOW_MS = 50
const FULL_SHARE = 0.8
/** Jobs are fetched every 2 s, and retried after at most an hour. */
const OLD_JOB_S = 300
const CLOCK_WARN_S = 5
const CLOCK_FAIL_S = 60

/** Reads only. */
export async function databaseFacts(url: string, config: Config, pending: readonly string[]): Promise<DatabaseFacts> {
  const client = await connect(url)
  try {
    await client.query(`set statement_timeout = '10s'`)
    const kid = await currentKey(client)
    const checks = [
      await size(client, config),
      await migrations(client, pending),
      await clock(client),
      await queue(client),
      ...(await secret(client, config)),
    ]
    return { checks, kid: kid?.kid ?? null }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function size(client: pg.Client, { databaseUrl }: Config): Promise<Check> {
  const times: number[] = []
  for (let at = 0; at < PROBES; at += 1) {
    const started = performance.now()
    await client.query('select 1')
    times.push(performance.now() - started)
  }
  const latencyMs = times.sort((one, other) => one - other)[Math.floor(PROBES / 2)] ?? 0
  const { rows } = await client.query<{ version: string; bytes: string; used: string; most: string }>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
        current_setting('max_connections') as most`,
  )
  const { version = '', bytes = '0', used = '0', most = '0' } = rows[0] ?? {}
  const kind = databaseUrl === null ? 'embedded' : 'external'
  const detail = `${kind}, PostgreSQL ${version}, ${sizeText(Number(bytes))}, ${used} of ${most} connections, ${latencyMs.toFixed(1)} ms`
  if (Number(used) > FULL_SHARE * Number(most))
    return warn('database', detail, 'lower DATABASE_POOL_MAX of the instances, or raise max_connections of the server')
  if (latencyMs > SLOW_MS) return warn('database', detail, 'move the database closer, or find what keeps it busy')
  return ok('database', detail)
}

async function migrations(client: pg.Client, pending: readonly string[]): Promise<Check> {
  if (await isBeingRestored(client))
    return fail('migrations', 'a restore did not finish', 'run `hub backup restore` again with the same backup')
  if (pending.length === 0) return ok('migrations', 'all applied')
  return fail('migrations', `pending: ${pending.join(', ')}`, 'run `hub migrate`, or start the hub')
}

async function clock(client: pg.Client): Promise<Check> {
  const asked = Date.now()
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const here = (asked + Date.now()) / 2
  return clockCheck('clock', 'the database', ((rows[0]?.now.getTime() ?? here) - here) / 1000)
}

/** Signatures and certificates have times: they fail where two clocks differ. */
export function clockCheck(name: string, other: string, aheadSeconds: number): Check {
  const apart = Math.abs(aheadSeconds)
  const detail = `${other} and this machine differ by ${apart.toFixed(1)} s`
  const fix = 'set both clocks by NTP'
  if (apart > CLOCK_FAIL_S) return fail(name, detail, fix)
  return apart > CLOCK_WARN_S ? warn(name, detail, fix) : ok(name, detail)
}

async function queue(client: pg.Client): Promise<Check> {
  const there = await client.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!there.rows[0]?.there) return ok('queue', 'none yet: no hub has been started')
  const { rows } = await client.query<{ waiting: string; active: string; oldest: number | null }>(
    `select count(*) filter (where state in ('created', 'retry')) as waiting,
      count(*) filter (where state = 'active') as active,
      extract(epoch from now() - min(start_after) filter (where state in ('created', 'retry')
        and start_after <= now()))::float8 as oldest
     from pgboss.job where state in ('created', 'retry', 'active') and ${isWorkedOn('name')}`,
  )
  const { waiting = '0', active = '0', oldest = null } = rows[0] ?? {}
  const due = oldest === null ? 'none is due' : `the oldest is due for ${Math.round(oldest)} s`
  const detail = `${countText(Number(waiting), 'job')} waiting, ${active} running, ${due}`
  if (oldest !== null && oldest > OLD_JOB_S)
    return warn('queue', detail, 'start a hub, or look for failing jobs in its log')
  return ok('queue', detail)
}

async function currentKey(client: pg.Client): Promise<{ kid: string; sealed: Buffer } | null> {
  const there = await client.query<{ there: boolean }>(`select to_regclass('signing_keys') is not null as there`)
  if (!there.rows[0]?.there) return null
  const { rows } = await client.query<{ kid: string; sealed: Buffer }>(
    `select kid, sealed_private as sealed from signing_keys where retired_at is null order by not_before desc, kid
      limit 1`,
  )
  return rows[0] ?? null
}

async function secret(client: pg.Client, config: Config): Promise<Check[]> {
  const key = await currentKey(client)
  if (key === null) return [ok('secret', 'nothing is sealed yet')]
  const found = config.secret ?? (await keptSecret(config))
  const place = config.secret === null ? `${config.dataDir}/secret` : 'HUB_SECRET'
  const fix = 'restore the secret of the backup that the database came from'
  if (found === null)
    return [fail('secret', `${place} is not there, and the keys in the database are sealed with it`, fix)]
  try {
    openSealed(found, SIGNING_KEY_PURPOSE, key.sealed)
    return [ok('secret', `${place} opens the keys in the database`)]
  } catch {
    return [fail('secret', `${place} does not open the keys in the database`, fix)]
  }
}
