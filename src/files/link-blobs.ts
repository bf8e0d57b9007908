/** Blobs of new files: equal verified bytes are stored once, also for concurrent uploads by different accounts. */
import { newId } from '@hub/formats/ids'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { each, insertEach, sql } from '../store/insert.ts'
import { type Given, param, statement } from '../store/statement.ts'

export interface NewBlob {
  readonly storageKey: string
  readonly size: number
  readonly etag: string
  /** The digest claimed by the client, lowercase hex. */
  readonly claimed: string
  /** The digest computed by the hub, or null. */
  readonly sha256: string | null
  /** No object was uploaded: the file can only be linked to an equal blob. */
  readonly onlyIfStored: boolean
}

/** Thrown if the equal blob that a file should be linked to no longer exists. */
export class GoneBytes extends Error {}

export interface LinkedBlob {
  readonly id: string
  readonly etag: string | null
  readonly sha256: string | null
}

const equalBlobsColumns = columns({
  id: column.text('id'),
  etag: column.text.orNull('etag'),
  sha256: column.text.orNull('sha256'),
  size: column.int8('size'),
})

/**
 * FOR SHARE: collection takes FOR UPDATE before it dooms a blob, so a blob that is live here stays live until this
 * transaction has linked it. The statement waits for a concurrent transaction that dooms a blob, and then does not find
 * that blob.
 */
const equalBlobs = statement({
  name: 'blobs-equal',
  columns: equalBlobsColumns,
  params: { digests: param.texts() },
  text: `select ${equalBlobsColumns.sql} from blobs
    where sha256 = any(:digests::text[]) and sha256 is not null and state = 'live' order by id for share`,
})

const ofBlobs = {
  id: each('ids', param.texts()),
  storageKey: each('keys', param.texts()),
  size: each('sizes', param.int8s()),
  etag: each('etags', param.texts()),
  claimed: each('claimed', param.texts()),
}

const insertedColumn = columns({ id: column.text('id') })

const blobRows = insertEach('blobs', {
  ...ofBlobs,
  sha256: each('sha256s', param.texts<readonly (string | null)[]>()),
  verifiedAt: sql('case when given.sha256 is not null then now() end'),
})

/** In digest order, so that two transactions with the same digests cannot deadlock. */
const insertBlobs = statement({
  name: 'blobs-insert',
  columns: insertedColumn,
  params: blobRows.params,
  text: `${blobRows.sql} order by given.sha256, given.size, given.id on conflict do nothing
    returning ${insertedColumn.sql}`,
})

const doomedRows = insertEach('blobs', { ...ofBlobs, state: 'doomed', doomedAt: sql('now()') })

const insertDoomed = statement({ name: 'blobs-insert-doomed', params: doomedRows.params, text: doomedRows.sql })
type BlobValues = Given<typeof doomedRows.params>

/** Other transactions can insert and doom an equal blob between the two reads, but not this often. */
const ROUNDS = 5

interface Candidate extends NewBlob {
  readonly id: string
}

/**
 * The blob for each new object, in order: its own row, or the live verified blob with the same bytes; the new object is
 * then doomed. Two statements, three with duplicates. Throws `GoneBytes`.
 */
export async function linkBlobs(tx: Tx, objects: readonly NewBlob[]): Promise<LinkedBlob[]> {
  const candidates = objects.map((object): Candidate => ({ ...object, id: newId('blob') }))
  const linked = new Map<Candidate, LinkedBlob>()
  for (let round = 0; linked.size < candidates.length; round += 1) {
    if (round === ROUNDS) throw new Error('Equal blobs kept being inserted and doomed concurrently.')
    await linkRound(
      tx,
      candidates.filter((candidate) => !linked.has(candidate)),
      linked,
    )
    if (candidates.some((candidate) => candidate.onlyIfStored && !linked.has(candidate))) throw new GoneBytes()
  }
  const spare = candidates.filter((candidate) => !candidate.onlyIfStored && linked.get(candidate)?.id !== candidate.id)
  if (spare.length > 0) await tx.query(insertDoomed, valuesOf(spare))
  return candidates.flatMap((candidate) => linked.get(candidate) ?? [])
}

/** Links to existing blobs, inserts the first object of each new content, and links the rest to those. */
async function linkRound(tx: Tx, candidates: readonly Candidate[], linked: Map<Candidate, LinkedBlob>): Promise<void> {
  const digests = candidates.flatMap((candidate) => candidate.sha256 ?? [])
  const known = digests.length > 0 ? await tx.query(equalBlobs, { digests }) : []
  const byContent = new Map<string, LinkedBlob>(known.map((blob) => [contentKey(blob), blob]))
  const firsts = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const key = contentKey(candidate)
    if (!byContent.has(key) && !firsts.has(key) && !candidate.onlyIfStored) firsts.set(key, candidate)
  }
  const fresh = [...firsts.values()]
  const values = { ...valuesOf(fresh), sha256s: fresh.map((blob) => blob.sha256) }
  const inserted = fresh.length > 0 ? await tx.query(insertBlobs, values) : []
  const insertedIds = new Set(inserted.map((row) => row.id))
  for (const [key, first] of firsts) if (insertedIds.has(first.id)) byContent.set(key, first)
  for (const candidate of candidates) {
    const blob = byContent.get(contentKey(candidate))
    if (blob) linked.set(candidate, { id: blob.id, etag: blob.etag, sha256: blob.sha256 })
  }
}

/** Deduplication key: the verified digest. An unverified object equals only itself. */
function contentKey(blob: { readonly id: string; readonly sha256: string | null; readonly size?: number }): string {
  return blob.sha256 === null ? blob.id : `${blob.sha256}:${blob.size}`
}

const valuesOf = (blobs: readonly Candidate[]): BlobValues => ({
  ids: blobs.map((blob) => blob.id),
  keys: blobs.map((blob) => blob.storageKey),
  sizes: blobs.map((blob) => blob.size),
  etags: blobs.map((blob) => blob.etag),
  claimed: blobs.map((blob) => blob.claimed),
})
