/** Loads the rows of a backup into a database, at the schema that they had, and brings it to the newest one. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { BASELINE, baselineCatalogue, historyFault, isBeforeBaseline, sinceBaseline } from '../store/baseline.ts'
import type { Catalogue } from '../store/catalogue.ts'
import { connect } from '../store/long-connection.ts'
import { knownMigrations, migrateForRestore } from '../store/migrate.ts'
import type { Steps } from './dump-database.ts'
import { BackupError, type Manifest, tableFile } from './manifest.ts'
import type { BackupSource } from './source.ts'
import { copySql, type TableShape } from './tables.ts'

/**
 * The last migration of a backup, of those that there are now: one from before the baseline is at the baseline if it
 * has exactly the migrations that the baseline stands for, and its tables. A `BackupError` if it is neither that nor a
 * beginning of the migrations that this version has.
 */
export async function lastMigrationOf({ database, hub_version }: Manifest): Promise<string> {
  if (database.migrations.length === 0) throw new BackupError('The backup is of a database without migrations.')
  if (isBeforeBaseline(database.migrations)) return baselineOf(database)
  const known = await knownMigrations()
  const migrations = await sinceBaseline(database.migrations)
  for (const [index, { name, sha256 }] of migrations.entries()) {
    if (known[index]?.name === name && known[index].sha256 === sha256) continue
    throw new BackupError(
      `The backup is of hub ${hub_version}, whose migration ${name} this hub does not have. Use that version or a newer one.`,
    )
  }
  return migrations.at(-1)?.name ?? BASELINE
}

async function baselineOf({ migrations, tables }: Manifest['database']): Promise<string> {
  const fault = await historyFault(migrations)
  const what = fault?.what ?? tablesFault(tables, await baselineCatalogue())
  if (what === null) return BASELINE
  throw new BackupError(
    `The backup is from before the migration ${BASELINE}, and cannot be loaded: ${what}. Restore it with the version of the hub that made it${fault?.remedy === 'older version first' ? `, start the last version before ${BASELINE} on it once, and back it up again` : ''}.`,
  )
}

/**
 * A table or column that the backup has and the baseline has not, or the other way round; `changes` is in no backup.
 */
function tablesFault(tables: readonly TableShape[], catalogue: Catalogue): string | null {
  const expected = new Set(catalogue.map((line) => /^column (\S+): /.exec(line)?.[1]).filter((at) => at !== undefined))
  const found = new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)))
  const added = [...found].find((column) => !expected.has(column))
  if (added !== undefined) return `its column ${added} is unexpected`
  const lacking = [...expected].find((column) => !found.has(column) && !column.startsWith('changes.'))
  return lacking === undefined ? null : `its column ${lacking} is missing`
}

/**
 * Fills an empty database: all rows in one transaction, so that it has all of them or none. It stays at the schema of
 * the backup.
 */
export async function loadDatabase(url: string, source: BackupSource, manifest: Manifest, steps: Steps): Promise<void> {
  await migrateForRestore(url, await lastMigrationOf(manifest))
  const client = await connect(url)
  try {
    await client.query('begin')
    // No row is a change that someone follows.
    await client.query(`set local hub.loading = 'on'`)
    // What triggers made of the rows of others is in rows of the backup, as it was then.
    const tables = manifest.database.tables.map(({ name }) => client.escapeIdentifier(name))
    for (const table of tables) await client.query(`alter table public.${table} disable trigger user`)
    let bytes = 0
    for (const [index, table] of manifest.database.tables.entries()) {
      const file = await source.find(tableFile(table.name))
      if (!file) throw new BackupError(`${tableFile(table.name)} is missing.`)
      const into = client.query(copyFrom(copySql(client, table, 'from stdin')))
      await pipeline(Readable.from(file.read(), { objectMode: false }), into)
      if (into.rowCount !== table.rows)
        throw new BackupError(`${table.name} has ${into.rowCount} rows, and the backup says ${table.rows}.`)
      bytes += file.sizeBytes
      steps.at({ count: index + 1, bytes, of: table.name })
    }
    await setSequences(client, manifest)
    await client.query('set constraints all immediate')
    for (const table of tables) await client.query(`alter table public.${table} enable trigger user`)
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function setSequences(client: pg.Client, { database }: Manifest): Promise<void> {
  for (const { name, value } of database.sequences) {
    await client.query('select setval($1::regclass, $2)', [`public.${client.escapeIdentifier(name)}`, value])
  }
}

/**
 * Compares the rows of a database that was just loaded with the files that they came from, byte by byte. Returns the
 * tables that differ.
 */
export async function differingTables(
  url: string,
  sums: ReadonlyMap<string, string>,
  manifest: Manifest,
): Promise<string[]> {
  const client = await connect(url)
  try {
    const differing: string[] = []
    for (const table of manifest.database.tables) {
      const hash = createHash('sha256')
      for await (const chunk of client.query(copyTo(copySql(client, table, 'to stdout')))) hash.update(chunk as Buffer)
      if (hash.digest('hex') !== sums.get(tableFile(table.name))) differing.push(table.name)
    }
    return differing
  } finally {
    await client.end().catch(() => undefined)
  }
}
