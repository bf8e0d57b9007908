/** What `hub backup` does. */
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { countText, sizeText } from 'hub/client-output'
import type { processIo } from 'hub/process-io'
import { print, printJson } from 'hub/terminal'
import { createBackup } from '../backup/create-backup.ts'
import { BackupError, type Manifest } from '../backup/manifest.ts'
import type { ObjectMode } from '../backup/object-modes.ts'
import { describe, type RestoreReport, restoreBackup, type Target } from '../backup/restore-backup.ts'
import { verifyBackup } from '../backup/verify-backup.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { startFailure } from '../start-failure.ts'
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts'
import { stepsOn } from './backup-steps.ts'
import { missingHub } from './open-deps.ts'

export type BackupIo = typeof processIo

export interface CreateOptions {
  readonly objects?: ObjectMode
  readonly json?: boolean
}

export interface VerifyOptions {
  readonly load?: boolean
  readonly json?: boolean
}

export interface RestoreOptions {
  readonly wipe?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/** `hub backup create`. */
export async function createAt(io: BackupIo, path: string, options: CreateOptions): Promise<void> {
  const to = resolve(io.cwd, path)
  const steps = stepsOn(io.stderr)
  const manifest = await withDatabase(io, 'existing', (config, databaseUrl) =>
    createBackup({ config, databaseUrl, to, mode: options.objects ?? modeFor(config), steps }),
  ).finally(() => steps.end())
  const summary = { path: to, ...summaryOf(manifest) }
  if (options.json) printJson(io.stdout, summary)
  else print(io.stdout, `${linesOf(manifest, to)}\nCheck it: hub backup verify ${path}\n`)
  if (manifest.objects.missing.length > 0) io.exit(1)
}

/** `hub backup verify`. */
export async function verifyAt(io: BackupIo, path: string, options: VerifyOptions): Promise<void> {
  const from = resolve(io.cwd, path)
  const steps = stepsOn(io.stderr)
  const { manifest, faults } = await verifyBackup({ from, load: options.load ?? false, steps }).finally(() =>
    steps.end(),
  )
  const ok = faults.length === 0
  if (options.json)
    printJson(io.stdout, { ok, path: from, loaded: options.load ?? false, faults, ...summaryOf(manifest) })
  else print(io.stdout, ok ? `${linesOf(manifest, from)}\nThe backup is whole.\n` : `${faults.join('\n')}\n`)
  if (!ok) io.exit(1)
}

/** `hub backup restore`. */
export async function restoreFrom(io: BackupIo, path: string, options: RestoreOptions): Promise<void> {
  const from = resolve(io.cwd, path)
  const steps = stepsOn(io.stderr)
  const confirm = async (target: Target) => {
    steps.end()
    return options.yes ?? (await asked(io, target))
  }
  const report = await withDatabase(io, 'any', (config, databaseUrl) =>
    restoreBackup({ config, databaseUrl, from, wipe: options.wipe ?? false, confirm, steps }),
  ).finally(() => steps.end())
  if (options.json) printJson(io.stdout, { path: from, ...restoredOf(report) })
  else print(io.stdout, restoredText(report, from))
  if ((report.objects?.missingCount ?? 0) > 0) io.exit(1)
}

const modeFor = ({ objectStore }: Config): ObjectMode =>
  objectStore.kind === 'disk' ? 'copy' : objectStore.kind === 's3' ? 'list' : 'none'

/** Opens the database without migrating it: a backup is of what is there. */
async function withDatabase<T>(
  io: BackupIo,
  which: 'existing' | 'any',
  work: (config: Config, url: string) => Promise<T>,
): Promise<T> {
  const config = readConfig(io.env)
  const missing = which === 'existing' ? await missingHub(config) : null
  if (missing !== null) throw new Error(missing)
  try {
    const embedded = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
    try {
      return await work(config, config.databaseUrl ?? embedded?.url ?? '')
    } finally {
      await embedded?.stop()
    }
  } catch (cause) {
    const line = startFailure(cause, config)
    throw line === null ? cause : new Error(line, { cause })
  }
}

async function asked(io: BackupIo, target: Target): Promise<boolean> {
  if (!io.stderr.isTTY)
    throw new BackupError(`This would remove what the deployment has (${describe(target)}): add --yes.`)
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  try {
    return (await terminal.question(`Remove ${describe(target)}? Type yes: `)).trim() === 'yes'
  } finally {
    terminal.close()
  }
}

const rowsOf = ({ database }: Manifest) => database.tables.reduce((sum, { rows }) => sum + rows, 0)

function summaryOf(manifest: Manifest) {
  const { hub_version, created_at, database, queue, secret, objects } = manifest
  const { missing, ...counted } = objects
  return {
    hub_version,
    created_at,
    database: {
      tables: database.tables.length,
      rows: rowsOf(manifest),
      bytes: database.tables.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    queue,
    secret,
    objects: { ...counted, missing: missing.length, missing_keys: missing.slice(0, 20) },
  }
}

function linesOf(manifest: Manifest, path: string): string {
  const { database, objects, secret, created_at } = summaryOf(manifest)
  const lines = [
    `backup     ${path}`,
    `of         ${created_at}, hub ${manifest.hub_version}, PostgreSQL ${manifest.database.postgresql}`,
    `database   ${countText(database.rows, 'row')} in ${countText(database.tables, 'table')}, ${sizeText(database.bytes)}`,
    `objects    ${objectsText(objects)}`,
    `secret     ${secretText(secret)}`,
  ]
  if (objects.missing > 0)
    lines.push(
      `missing    ${countText(objects.missing, 'object')} that the database names and the store does not have: ${objects.missing_keys.join(', ')}`,
    )
  return lines.join('\n')
}

function objectsText({ mode, count, bytes }: Pick<Manifest['objects'], 'mode' | 'count' | 'bytes'>): string {
  const amount = `${countText(count, 'object')}, ${sizeText(bytes)}`
  if (mode === 'none') return 'none: they are not part of this backup'
  return mode === 'list'
    ? `${amount}, listed only: back up the store itself`
    : `${amount}, ${mode === 'link' ? 'linked' : 'copied'}`
}

function secretText({ included, fingerprint }: Manifest['secret']): string {
  if (included) return 'included: keep this backup as safe as the hub'
  return fingerprint === null ? 'none yet' : `not included: keep HUB_SECRET yourself (fingerprint ${fingerprint})`
}

function restoredOf({ manifest, migrated, objects, discardedUploads }: RestoreReport) {
  const { missingCount, missing, ...counted } = objects ?? { count: 0, bytes: 0, missing: [], missingCount: 0 }
  return {
    created_at: manifest.created_at,
    database: { tables: manifest.database.tables.length, rows: rowsOf(manifest), migrations_applied: migrated },
    objects: { mode: manifest.objects.mode, ...counted, missing: missingCount, missing_keys: missing },
    discarded_uploads: discardedUploads,
  }
}

function restoredText(report: RestoreReport, from: string): string {
  const { manifest, migrated, objects, discardedUploads } = report
  const lines = [
    `restored   ${from}, of ${manifest.created_at}`,
    `database   ${countText(rowsOf(manifest), 'row')} in ${countText(manifest.database.tables.length, 'table')}`,
  ]
  if (migrated.length > 0) lines.push(`migrated   ${migrated.join(', ')}`)
  lines.push(`objects    ${objects ? `${countText(objects.count, 'object')}, ${sizeText(objects.bytes)}` : 'none'}`)
  if (objects && objects.missingCount > 0)
    lines.push(
      `missing    ${countText(objects.missingCount, 'object')} that the store does not have; restore the store, then run this again: ${objects.missing.join(', ')}`,
    )
  if (discardedUploads > 0) lines.push(`uploads    ${discardedUploads} were in progress and begin again`)
  return `${lines.join('\n')}\n\nStart the hub: npm start. Then: hub doctor\n`
}
