/** The rows of a database, as they were at one moment. */
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { isWorkedOn } from '../store/failed-queue.ts'
import { BackupError, type Manifest, QUEUE, type QueueLine, type TableEntry, tableFile } from './manifest.ts'
import type { BackupSink } from './sink.ts'
import { copySql, readSequences, readTables } from './tables.ts'

/** Told what is being done, for a person who waits. */
export interface Steps {
  /** A step begins: `copying the database`. */
  begin(title: string): void
  /** So much of it is done. */
  at(done: { readonly count: number; readonly bytes: number; readonly of?: string }): void
  /** What should be known though nothing failed. */
  note(line: string): void
}

/** Rows that are waited for by nothing but a lock of a migration. */
const LOCK_TIMEOUT = `set lock_timeout = '30s'`

/** Opens the snapshot that the whole backup is of. Migrations wait for its end; all other work continues. */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query(LOCK_TIMEOUT)
  const before = await readTables(client)
  if (before.length === 0) throw new BackupError('The database has no tables: there is nothing to back up.')
  await client.query('begin isolation level repeatable read read only')
  const names = before.map(({ name }) => `public.${client.escapeIdentifier(name)}`)
  await client.query(`lock table ${names.join(', ')} in access share mode`)
}

export type DumpedDatabase = Pick<Manifest, 'database' | 'queue' | 'created_at'>

/** Writes every table and the waiting jobs of the queue, in the open snapshot. */
export async function dumpDatabase(
  client: pg.Client,
  sink: BackupSink,
  sums: Map<string, string>,
  steps: Steps,
): Promise<DumpedDatabase> {
  const { rows } = await client.query<{ now: Date; version: string }>(
    `select now(), current_setting('server_version') as version`,
  )
  const tables: TableEntry[] = []
  let bytes = 0
  for (const shape of await readTables(client)) {
    const stream = client.query(copyTo(copySql(client, shape, 'to stdout')))
    const written = await sink.write(tableFile(shape.name), stream, { sizeBytes: null, digest: 'sha256' })
    sums.set(tableFile(shape.name), written.digest)
    tables.push({ name: shape.name, columns: [...shape.columns], rows: stream.rowCount ?? 0, bytes: written.bytes })
    bytes += written.bytes
    steps.at({ count: tables.length, bytes, of: shape.name })
  }
  const queue = { jobs: await dumpQueue(client, sink, sums) }
  // Numbers are given out regardless of transactions: read last, they are past every row of the snapshot.
  const sequences = await readSequences(client)
  const migrations = await readApplied(client)
  return {
    created_at: (rows[0]?.now ?? new Date()).toISOString(),
    database: { postgresql: rows[0]?.version ?? '', migrations, tables, sequences },
    queue,
  }
}

async function readApplied(client: pg.Client): Promise<{ name: string; sha256: string }[]> {
  const applied = await client.query<{ name: string; sha256: string }>(
    `select migration_name as name, checksum as sha256 from _prisma_migrations
     where finished_at is not null and rolled_back_at is null order by migration_name`,
  )
  return applied.rows
}

const QUEUE_BATCH = 1000

/**
 * The queue's tables belong to pg-boss, which may change them. Kept is what was sent, of jobs that have not ended: a
 * restore sends it again. A job that runs twice does no harm, and scheduled ones are scheduled by each start.
 */
async function dumpQueue(client: pg.Client, sink: BackupSink, sums: Map<string, string>): Promise<number> {
  const there = await client.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  let jobs = 0
  async function* lines() {
    if (!there.rows[0]?.there) return
    await client.query(
      `declare jobs no scroll cursor for select name, coalesce(data, '{}') as data, singleton_key as key from pgboss.job
       where state in ('created', 'retry', 'active') and ${isWorkedOn('name')}
         and singleton_key is distinct from 'cron'
       order by created_on, id`,
    )
    for (;;) {
      const { rows } = await client.query<QueueLine>(`fetch ${QUEUE_BATCH} from jobs`)
      if (rows.length === 0) break
      jobs += rows.length
      yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    }
    await client.query('close jobs')
  }
  const { digest } = await sink.write(QUEUE, lines(), { sizeBytes: null, digest: 'sha256' })
  sums.set(QUEUE, digest)
  return jobs
}
