/** Collection in the object store: doomed objects, abandoned uploads, and store uploads without a row. */

import { CHECK_PREFIX } from '../checks/log/check-objects.ts'
import { removeFromStore } from '../files/abort-upload.ts'
import { BLOB_PREFIX } from '../files/objects.ts'
import { claimable, discardUploads } from '../files/upload-sql.ts'
import { openStates, sqlStates } from '../files/upload-state.ts'
import { FILM_PREFIX } from '../films/film-objects.ts'
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { inBatches, turnOf } from './batches.ts'

const BATCH = 500

/** A doomed object outlives every URL signed before: twice the one-hour lifetime of a URL. */
const MAX_DOOMED_SECONDS = 7200

const doomedBlobsColumns = columns({ id: column.text('b.id'), key: column.text('b.storage_key') })

/** `offset 0`: each doomed blob is looked up in the index of files, where a join may read the whole of it. */
const doomedBlobs = statement({
  name: 'blobs-doomed',
  exact: 'next-batch',
  columns: doomedBlobsColumns,
  params: { waitSeconds: param.float8() },
  text: `select ${doomedBlobsColumns.sql} from blobs b
    where b.state = 'doomed' and b.doomed_at <= now() - make_interval(secs => :waitSeconds)
      and not exists (select 1 from files f where f.blob_id = b.id offset 0)
      and not exists (select 1 from rollout_episodes e where e.blob_id = b.id offset 0)
    order by b.doomed_at limit ${BATCH}`,
})

const dropBlobs = statement({
  name: 'blobs-drop',
  params: { ids: param.texts() },
  text: `delete from blobs where id = any(:ids::text[]) and state = 'doomed'`,
})

/**
 * Deletes each object before its row: after a crash in between, the next collection repeats the deletion. Doomed blobs
 * never become live again, so no lock is needed.
 */
export async function deleteDoomed(deps: Deps, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  const waitSeconds = Math.min(deps.config.gcGraceSeconds, MAX_DOOMED_SECONDS)
  await inBatches(turnOf(signal), BATCH, async () => {
    const blobs = await deps.db.query(doomedBlobs, { waitSeconds })
    if (blobs.length === 0 || (await areDeletionsHeld(deps.db))) return 0
    await objects.delete(
      blobs.map((blob) => blob.key),
      signal,
    )
    await deps.db.query(dropBlobs, { ids: blobs.map((blob) => blob.id) })
    return blobs.length
  })
}

const idColumn = columns({ id: column.text('id') })

const abandoned = statement({
  name: 'uploads-abandoned',
  exact: 'next-batch',
  columns: idColumn,
  params: { uploadTtlSeconds: param.float8() },
  text: `select ${idColumn.sql} from uploads where state in (${sqlStates(openStates)}) and touched_at < now() - make_interval(secs => :uploadTtlSeconds) and ${claimable}
    order by touched_at limit ${BATCH}`,
})

/** Aborts uploads that were idle for `uploadTtlSeconds` and releases their reservations. */
export async function abortAbandoned(deps: Deps, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  await inBatches(turnOf(signal), BATCH, async () => {
    const rows = await deps.db.query(abandoned, { uploadTtlSeconds: deps.config.uploadTtlSeconds })
    if (rows.length === 0) return 0
    const gone = await deps.db.withTx((tx) =>
      discardUploads(
        tx,
        rows.map((row) => row.id),
      ),
    )
    await removeFromStore(deps, objects, gone)
    return rows.length
  })
}

const knownColumns = columns({ key: column.text('storage_key') })

/** The keys among `:keys` whose store upload an open row still needs. */
const knownKeys = statement({
  name: 'uploads-known-keys',
  exact: 'next-batch',
  columns: knownColumns,
  params: { keys: param.texts() },
  text: `select ${knownColumns.sql} from uploads where storage_key = any(:keys::text[]) and state in (${sqlStates(openStates)})
    union all select storage_key from robot_check_artifacts where storage_key = any(:keys::text[]) and sha256 is null
    union all select coalesce(storage_key, '') from episode_films where storage_key = any(:keys::text[])
      and status = 'running'`,
})

/**
 * The prefixes under which the hub creates uploads: files, artifacts of checks, and films. Uploads with other keys are
 * left alone.
 */
const uploadPrefixes = [BLOB_PREFIX, CHECK_PREFIX, FILM_PREFIX]

interface StoreUpload {
  readonly key: string
  readonly uploadId: string
}

/** An address of an upload of a job is valid for an hour: twice that. */
const MAX_STRAY_JOB_SECONDS = 7200

/**
 * Aborts store uploads without an open row, as left by a crash between the store call and the transaction, or by a repo
 * that was deleted with its films. Aborts only those older than `uploadTtlSeconds`, of artifacts and films than two
 * hours, since presign calls the store before it writes the row.
 */
export async function abortStrays(deps: Deps, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  const { uploadTtlSeconds } = deps.config
  const jobSeconds = Math.min(uploadTtlSeconds, MAX_STRAY_JOB_SECONDS)
  const [clock] = await deps.db.query(agesAgo, { uploadTtlSeconds, jobSeconds })
  if (!clock) return
  const fileBefore = new Date(clock.before)
  let batch: StoreUpload[] = []
  for await (const upload of objects.listUploads(new Date(clock.jobsBefore), signal)) {
    if (!uploadPrefixes.some((prefix) => upload.key.startsWith(prefix))) continue
    if (upload.key.startsWith(BLOB_PREFIX) && upload.startedAt > fileBefore) continue
    batch.push(upload)
    if (batch.length < BATCH) continue
    await abortUnknown(deps, objects, batch, signal)
    batch = []
  }
  await abortUnknown(deps, objects, batch, signal)
}

const agesColumns = columns({
  before: column.timestamptz('now() - make_interval(secs => :uploadTtlSeconds)'),
  jobsBefore: column.timestamptz('now() - make_interval(secs => :jobSeconds)'),
})

const agesAgo = statement({
  name: 'clock-ago',
  exact: 'server',
  columns: agesColumns,
  params: { uploadTtlSeconds: param.float8(), jobSeconds: param.float8() },
  text: `select ${agesColumns.sql}`,
})

async function abortUnknown(
  deps: Deps,
  objects: ObjectStore,
  batch: readonly StoreUpload[],
  signal: AbortSignal,
): Promise<void> {
  if (batch.length === 0) return
  const known = new Set(
    (await deps.db.query(knownKeys, { keys: batch.map((upload) => upload.key) })).map((row) => row.key),
  )
  for (const upload of batch) {
    if (!known.has(upload.key)) await objects.abortUpload(upload.key, upload.uploadId, signal)
  }
}
