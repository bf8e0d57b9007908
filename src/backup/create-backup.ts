/** Makes a backup of a deployment, whether or not its hubs are running. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import type { Config } from '../platform/config.ts'
import { hubVersion } from '../platform/version.ts'
import { holdDeletions } from '../store/deletion-hold.ts'
import { connect } from '../store/long-connection.ts'
import { isBeingRestored } from '../store/restore-mark.ts'
import { beginSnapshot, dumpDatabase, type Steps } from './dump-database.ts'
import { BackupError, MANIFEST, type Manifest, SECRET, SUMS, writeSums } from './manifest.ts'
import { namedObjectsSql } from './object-keys.ts'
import type { ObjectMode } from './object-modes.ts'
import { copyObjectsOut } from './objects-out.ts'
import { fingerprintOf, keptSecret } from './secret.ts'
import { type BackupSink, isFullAt, openSink } from './sink.ts'

export interface CreateBackup {
  readonly config: Config
  readonly databaseUrl: string
  /** A folder, or a tar file if it ends in `.tar`. */
  readonly to: string
  readonly mode: ObjectMode
  readonly steps: Steps
}

/**
 * The order makes it consistent: deletions of objects are held, the snapshot of the database is opened, its rows are
 * copied, then the objects that it names. The database's snapshot ends with its rows, so the objects of a large store
 * hold up no vacuum.
 */
export async function createBackup({ config, databaseUrl, to, mode, steps }: CreateBackup): Promise<Manifest> {
  const client = await connect(databaseUrl)
  const scratch = await mkdtemp(join(tmpdir(), 'hub-backup-'))
  let sink: BackupSink | undefined
  try {
    if (!(await holdDeletions(client)))
      throw new BackupError('Another backup of this hub is being made. Wait for its end, or end it.')
    if (await isBeingRestored(client))
      throw new BackupError(
        'A restore of this hub did not finish: a backup of it would be incomplete. Run `hub backup ' +
          'restore` again first.',
      )
    sink = await openSink(to)
    const sums = new Map<string, string>()
    await beginSnapshot(client)
    steps.begin('copying the database')
    const dumped = await dumpDatabase(client, sink, sums, steps)
    const keys = join(scratch, 'keys')
    await listObjects(client, keys).catch(isFullAt(scratch))
    await client.query('commit')
    steps.begin('copying the objects')
    const objects = await copyObjectsOut(keys, { config, mode, sink, sums, steps })
    await assertHeld(client)
    const kept = await keptSecret(config)
    if (kept !== null) await addText(sink, sums, SECRET, `${kept}\n`)
    const secret = kept ?? config.secret
    const manifest: Manifest = {
      format: 1,
      hub_version: hubVersion,
      ...dumped,
      secret: { included: kept !== null, fingerprint: secret === null ? null : fingerprintOf(secret) },
      objects,
    }
    await addText(sink, sums, MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
    await addText(sink, new Map(), SUMS, writeSums(sums))
    await sink.finish()
    return manifest
  } catch (error) {
    await sink?.abandon()
    throw error
  } finally {
    await client.end().catch(() => undefined)
    await rm(scratch, { recursive: true, force: true })
  }
}

/** If the connection was lost, so was the hold, and objects may have been deleted before they were copied. */
async function assertHeld(client: pg.Client): Promise<void> {
  await client.query('select 1').catch((cause: unknown) => {
    throw new BackupError('The connection to the database was lost while objects were copied. Try again.', { cause })
  })
}

const KEY_BATCH = 5000

/** The named objects as JSON lines in a file: there may be millions. */
async function listObjects(client: pg.Client, path: string): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `select table_name || '.' || column_name as column from information_schema.columns where table_schema = 'public'`,
  )
  const columns = new Set(rows.map(({ column }) => column))
  await client.query(`declare named no scroll cursor for ${namedObjectsSql((column) => columns.has(column))}`)
  async function* lines() {
    for (;;) {
      const batch = await client.query(`fetch ${KEY_BATCH} from named`)
      if (batch.rows.length === 0) return
      yield batch.rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    }
  }
  await writeFile(path, lines(), { mode: 0o600 })
}

async function addText(sink: BackupSink, sums: Map<string, string>, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const { digest } = await sink.write(name, Readable.from([bytes]), { sizeBytes: bytes.byteLength, digest: 'sha256' })
  sums.set(name, digest)
}
