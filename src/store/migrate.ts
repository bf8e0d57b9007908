/** Migrations at startup, in Prisma's layout and with its migrations table, by one instance at a time. */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { MigrationList } from '@prisma/schema-engine-wasm'
import type pg from 'pg'
import { adoptBaseline } from './adopt-baseline.ts'
import { asUnavailable } from './db-errors.ts'
import { refuseOldPostgres } from './postgres-version.ts'
import { refuseDuringRestore } from './restore-mark.ts'
import { noFilter, openSchemaEngine, readMigrations } from './schema-engine.ts'
import { SILENT_MS, watchedClients } from './watched-clients.ts'

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url))

/** Advisory lock number, unique on this database: "hub1" in ASCII. */
const MIGRATION_LOCK = 0x68756231

/**
 * Applies all pending migrations and returns their names; a database from before the baseline gets the baseline's row
 * first, or is refused. Instances that start together wait for each other on an advisory lock, so that only one
 * migrates. A database newer than the code is left alone: expand-then-contract migrations keep older code working. One
 * that is being restored is refused.
 */
export async function migrate(url: string): Promise<string[]> {
  return migrateUnder(url, async (client) => {
    await refuseDuringRestore(client)
    return (list) => list
  })
}

/** The same for a restore: applies the migrations up to and including `last`, or all. */
export async function migrateForRestore(url: string, last: string | null): Promise<string[]> {
  return migrateUnder(url, async () => (list) => {
    const at = list.migrationDirectories.findIndex(({ path }) => path === last)
    return last === null ? list : { ...list, migrationDirectories: list.migrationDirectories.slice(0, at + 1) }
  })
}

/** The migrations of this version, in order, with the digests of their scripts. */
export async function knownMigrations(): Promise<{ name: string; sha256: string }[]> {
  const { migrationDirectories } = await readMigrations(MIGRATIONS_DIR)
  return migrationDirectories.map(({ path, migrationFile: { content } }) => ({
    name: path,
    sha256: content.tag === 'ok' ? digestOf(content.value) : '',
  }))
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function migrateUnder(
  url: string,
  choose: (client: pg.Client) => Promise<(list: MigrationList) => MigrationList>,
): Promise<string[]> {
  const client = clientOf(url)
  try {
    await client.connect()
  } catch (error) {
    throw asUnavailable(error)
  }
  try {
    await refuseOldPostgres(client)
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const chosen = await choose(client)
    const migrations = chosen(await readMigrations(MIGRATIONS_DIR))
    const adopted = await adoptBaseline(client)
    const applied = (await isCurrent(client, migrations)) ? [] : await applyMigrations(url, migrations)
    return adopted === null ? applied : [adopted, ...applied]
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end()
  }
}

/**
 * It may wait for another instance's migrations. A connection lost between two statements emits an error event; it is
 * handled when the next statement rejects.
 */
function clientOf(url: string): pg.Client {
  const Client = watchedClients(url, { silentMs: SILENT_MS, stuckMs: null })
  const client = new Client({ connectionString: url, application_name: 'hub-migrate' })
  client.on('error', () => {})
  return client
}

/** Names of pending migrations. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const client = clientOf(url)
  try {
    await client.connect()
    const done = await finished(client)
    const { migrationDirectories } = await readMigrations(MIGRATIONS_DIR)
    return migrationDirectories.map(({ path }) => path).filter((name) => !done.has(name))
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end()
  }
}

/**
 * Whether the migrations table lists each migration as finished with the same checksum; then the engine need not be
 * loaded (0.3 s).
 */
async function isCurrent(client: pg.Client, migrations: MigrationList): Promise<boolean> {
  const done = await finished(client)
  return migrations.migrationDirectories.every(({ path, migrationFile }) => {
    const { content } = migrationFile
    return content.tag === 'ok' && done.get(path) === digestOf(content.value)
  })
}

async function finished(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists`,
  )
  if (!rows[0]?.exists) return new Map()
  const done = await client.query<{ migration_name: string; checksum: string }>(
    'select migration_name, checksum from _prisma_migrations where finished_at is not null and rolled_back_at is null',
  )
  return new Map(done.rows.map((row) => [row.migration_name, row.checksum]))
}

async function applyMigrations(url: string, migrationsList: MigrationList): Promise<string[]> {
  const { engine, close } = await openSchemaEngine(url)
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: noFilter })
    return appliedMigrationNames
  } finally {
    await close()
  }
}
