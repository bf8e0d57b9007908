/** Makes a deployment of a backup. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import type pg from 'pg'
import { pino } from 'pino'
import { discardUploads } from '../files/upload-sql.ts'
import { jobs } from '../jobs/index.ts'
import type { Config } from '../platform/config.ts'
import { column, columns } from '../store/columns.ts'
import { openDb } from '../store/db.ts'
import { connect } from '../store/long-connection.ts'
import { migrateForRestore } from '../store/migrate.ts'
import { openS3Store } from '../store/objects/s3.ts'
import { openQueue } from '../store/queue.ts'
import { statement } from '../store/statement.ts'
import { RESTORE_STATEMENT_MS } from '../store/statement-time.ts'
import { checkFiles } from './check-files.ts'
import type { Steps } from './dump-database.ts'
import { lastMigrationOf, loadDatabase } from './load-database.ts'
import { BackupError, type Manifest, parseQueueLine, QUEUE, SECRET } from './manifest.ts'
import {
  asideOf,
  bringBack,
  diskPutter,
  putObjects,
  type RestoredObjects,
  removeAside,
  setAside,
  storePutter,
} from './objects-in.ts'
import { fingerprintOf, keptSecret, secretPath } from './secret.ts'
import { type BackupSource, linesOf, openSource, textOf } from './source.ts'
import { assertUnused, clearMark, emptyDatabase, readTarget, setMark, type TargetDatabase } from './target.ts'

export interface RestoreBackup {
  readonly config: Config
  readonly databaseUrl: string
  readonly from: string
  /** Whether what is there may be removed. */
  readonly wipe: boolean
  /** Asked once, before anything is changed, if something would be removed. */
  readonly confirm: (target: Target) => Promise<boolean>
  readonly steps: Steps
}

export interface Target extends TargetDatabase {
  /** Objects on the disk of the deployment, in whose place those of the backup come. */
  readonly hasObjects: boolean
}

export interface RestoreReport {
  readonly manifest: Manifest
  /** Migrations that the backup did not have yet. */
  readonly migrated: readonly string[]
  readonly objects: RestoredObjects | null
  /** Uploads that were in progress; their clients begin again. */
  readonly discardedUploads: number
}

/**
 * Checks the backup and the target, then replaces. From the first change to the last the database has a mark, with
 * which no hub starts; a restore that finds it begins again. Objects come last and are not sent twice.
 */
export async function restoreBackup(options: RestoreBackup): Promise<RestoreReport> {
  const { config, databaseUrl, steps } = options
  const source = await openSource(options.from)
  try {
    const { manifest, faults } = await checkFiles(source, steps)
    if (faults.length > 0) throw new BackupError(`The backup is damaged:\n  ${faults.join('\n  ')}`)
    await lastMigrationOf(manifest)
    await assertSecretFits(config, manifest)
    const client = await connect(databaseUrl)
    try {
      await assertUnused(client)
      await makeRoom(client, options, manifest)
      steps.begin('loading the database')
      await loadDatabase(databaseUrl, source, manifest, steps)
      const migrated = await migrateForRestore(databaseUrl, null)
      await sendJobs(databaseUrl, source)
      const discardedUploads = await discardOpenUploads(databaseUrl)
      steps.begin('restoring the objects')
      const objects = await restoreObjects(config, source, manifest, steps)
      if (manifest.secret.included && config.secret === null) await writeSecret(config, source)
      if (config.objectStore.kind === 'disk' && hasBytes(manifest)) await removeAside(config.objectStore.dir)
      await clearMark(client)
      return { manifest, migrated, objects, discardedUploads }
    } finally {
      await client.end().catch(() => undefined)
    }
  } finally {
    await source.close()
  }
}

async function assertSecretFits(config: Config, { secret }: Manifest): Promise<void> {
  if (secret.fingerprint === null) return
  if (config.secret !== null) {
    if (fingerprintOf(config.secret) === secret.fingerprint) return
    const from = secret.included
      ? 'the file `secret` of the backup has it'
      : 'use the one of the hub that was backed up'
    throw new BackupError(`HUB_SECRET is not the secret of this backup, and its keys would not open: ${from}.`)
  }
  if (!secret.included)
    throw new BackupError(
      `The backup has no secret, since its hub had HUB_SECRET. Set HUB_SECRET to that one (fingerprint ${secret.fingerprint}).`,
    )
}

/** Of a backup without them, the store of the deployment is the only one that has the bytes: its objects stay. */
const hasBytes = ({ objects: { mode } }: Manifest) => mode === 'copy' || mode === 'link'

async function makeRoom(
  client: pg.Client,
  { config, wipe, confirm, steps }: RestoreBackup,
  manifest: Manifest,
): Promise<void> {
  const found = await readTarget(client)
  const target = { ...found, hasObjects: hasBytes(manifest) && (await hasObjects(config)) }
  const secret = await keptSecret(config)
  const otherSecret = secret !== null && fingerprintOf(secret) !== manifest.secret.fingerprint
  const isNew = target.isEmpty && !target.hasObjects && !otherSecret
  if (!isNew && !target.isUnfinished) {
    if (!wipe)
      throw new BackupError(
        `This deployment is not empty (${describe(target)}). Restore into a new one, or remove what it has with --wipe.`,
      )
    if (!(await confirm(target))) throw new BackupError('Nothing was changed.')
  }
  if (target.isUnfinished) steps.note('An earlier restore did not finish; it starts again.')
  const { objectStore } = config
  const aside = await setMark(
    client,
    objectStore.kind === 'disk' && target.hasObjects ? asideOf(objectStore.dir) : null,
  )
  // The mark keeps new hubs out. One that started while the question waited for its answer is here now.
  await assertUnused(client).catch(async (error: unknown) => {
    if (!target.isUnfinished) await clearMark(client)
    throw error
  })
  await emptyDatabase(client)
  if (objectStore.kind !== 'disk' || aside === null) return
  // What an interrupted restore has restored stays where it is: objects that fit are not sent again.
  if (hasBytes(manifest)) await setAside(objectStore.dir, aside)
  else await bringBack(objectStore.dir, aside)
}

/** What a deployment has, in a few words. */
export function describe({ counts, hasObjects }: Target): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return [...parts, ...(hasObjects ? ['objects on its disk'] : [])].join(', ')
}

async function hasObjects({ objectStore }: Config): Promise<boolean> {
  if (objectStore.kind !== 'disk') return false
  return (await readdir(`${objectStore.dir}/objects`).catch(() => [])).length > 0
}

const openForRestore = (url: string) =>
  openDb({ url, poolMax: 2, isOfRestore: true, statementTimeoutMs: RESTORE_STATEMENT_MS })

/** Sends the waiting jobs again; those of a kind that this version does not have are left out. */
async function sendJobs(url: string, source: BackupSource): Promise<void> {
  const queue = await openQueue({ url, log: pino({ level: 'silent' }), isOfRestore: true })
  const db = openForRestore(url)
  try {
    await queue.declare(jobs)
    const known = new Set(jobs.map(({ name }) => name))
    for await (const line of linesOf(source, QUEUE)) {
      const { name, data, key } = parseQueueLine(line)
      const options = key === null ? {} : { singletonKey: key }
      if (known.has(name)) await db.withTx((tx) => queue.send(tx, name, data, options))
    }
  } finally {
    await db.close()
    await queue.stop()
  }
}

const idColumn = columns({ id: column.text('id') })

const open = statement({
  name: '',
  columns: idColumn,
  text: `update uploads set attempt_at = 'epoch' where id in (select id from uploads where state in ('pending', 'completing', 'assembled') order by id limit 500) returning ${idColumn.sql}`,
})

/** Their parts are not in the backup: a client that resumed one would find nothing. */
async function discardOpenUploads(url: string): Promise<number> {
  const db = openForRestore(url)
  try {
    for (let count = 0; ; ) {
      const ids = (await db.query(open)).map(({ id }) => id)
      if (ids.length === 0) return count
      count += (await db.withTx((tx) => discardUploads(tx, ids))).length
    }
  } finally {
    await db.close()
  }
}

async function restoreObjects(
  { objectStore }: Config,
  source: BackupSource,
  manifest: Manifest,
  steps: Steps,
): Promise<RestoredObjects | null> {
  if (manifest.objects.mode === 'none' || objectStore.kind === 'none') return null
  if (objectStore.kind === 'disk') {
    const { put, close } = await diskPutter(objectStore.dir, source)
    try {
      return await putObjects(source, put, steps)
    } finally {
      await close()
    }
  }
  const store = openS3Store(objectStore.s3)
  try {
    return await putObjects(source, storePutter(store, source), steps)
  } finally {
    await store.close()
  }
}

async function writeSecret({ dataDir }: Config, source: BackupSource): Promise<void> {
  const path = secretPath(dataDir)
  const draft = `${path}.restored`
  await rm(draft, { force: true })
  await writeFile(draft, (await textOf(source, SECRET)) ?? '', { mode: 0o600, flush: true })
  await rename(draft, path)
}
