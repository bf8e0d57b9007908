/**
 * Hashes a large file's bytes after it was linked (contract, "Uploads"): the claimed digest becomes verified, or the
 * file is removed.
 */

import { hashObject } from '../files/hash-object.ts'
import { keptBytes, settleKept } from '../files/versions/kept-bytes.ts'
import { type ChangeCounts, recordChange } from '../files/versions/record-change.ts'
import { withdrawBlob } from '../files/versions/withdraw.ts'
import { audit, noViewer } from '../operation/audit.ts'
import type { Deps } from '../operation/context.ts'
import { rereadCards } from '../repos/readme/kept-cards.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'

const blobColumns = columns({
  id: column.text('id'),
  storageKey: column.text('storage_key'),
  size: column.int8('size'),
  claimed: column.text('claimed'),
})
const lockedColumns = blobColumns.with({ sha256: column.text.orNull('sha256') })
type BlobRow = RowOf<typeof blobColumns>

const unverified = statement({
  name: 'blob-unverified',
  exact: 'next-batch',
  columns: blobColumns,
  params: { blobId: param.text() },
  text: `select ${blobColumns.sql} from blobs where id = :blobId and state = 'live' and sha256 is null`,
})

const repoIdColumn = columns({ repoId: column.text('repo_id') })

/**
 * The repos that have the blob in any state. Only restoring a state of the same repo can link an unverified blob once
 * more, so the set can only shrink between this read and the locks.
 */
const reposOfBlob = statement({
  name: 'blob-repos',
  exact: 'in-transaction',
  columns: repoIdColumn,
  params: { blobId: param.text() },
  text: `select distinct ${repoIdColumn.sql} from files where blob_id = :blobId`,
})

const lockReposColumns = columns({
  id: column.text('id'),
  ownerId: column.text('owner_id'),
  seq: column.int4('seq'),
  snapshotCount: column.int4('snapshot_count'),
})

const lockRepos = statement({
  name: 'repos-lock',
  columns: lockReposColumns,
  params: { repoIds: param.texts() },
  text: `select ${lockReposColumns.sql} from repos where id = any(:repoIds::text[]) order by id for update`,
})

const lockBlobs = statement({
  name: 'blobs-lock-verify',
  columns: lockedColumns,
  params: { id: param.text(), claimed: param.text(), size: param.int8() },
  text: `select ${lockedColumns.sql} from blobs
    where state = 'live' and (id = :id or (sha256 = :claimed and size = :size)) order by id for update`,
})

const markVerified = statement({
  name: 'blob-mark-verified',
  params: { id: param.text(), sha256: param.text() },
  text: 'update blobs set sha256 = :sha256, verified_at = now() where id = :id',
})

const doom = statement({
  name: 'blob-doom',
  params: { id: param.text() },
  text: `update blobs set state = 'doomed', doomed_at = now() where id = :id`,
})

const countVerified = statement({
  name: 'repos-count-verified',
  params: { blobId: param.text() },
  text: `update repos r set verified_count = r.verified_count + n.files
    from (select repo_id, count(*)::int as files from files where blob_id = :blobId and to_seq is null
      group by repo_id) n
    where r.id = n.repo_id`,
})

const repoint = statement({
  name: 'files-repoint',
  params: { from: param.text(), to: param.text() },
  text: 'update files set blob_id = :to where blob_id = :from',
})

/**
 * Streams the object through SHA-256 with the memory of one chunk, then settles it in one transaction. Idempotent: a
 * deleted or verified blob is skipped. A second hub waits for the locks of the first one and finds the blob settled.
 */
export async function verifyBlob(deps: Deps, blobId: string, signal: AbortSignal): Promise<void> {
  const [blob] = await deps.db.query(unverified, { blobId })
  if (!blob) return
  const hashed = await hashObject(requireObjects(deps), blob.storageKey, signal)
  const matches = hashed.sha256 === blob.claimed && hashed.sizeBytes === blob.size
  await deps.db.withTx((tx) => (matches ? settleMatch(tx, blob) : settleMismatch(deps, tx, blob, hashed)))
}

/** Lock order: repos, then blobs. */
async function settleMatch(tx: Tx, blob: BlobRow): Promise<void> {
  await lockReposOf(tx, blob.id)
  const locked = await tx.query(lockBlobs, blob)
  const mine = locked.find((row) => row.id === blob.id)
  if (!mine || mine.sha256 !== null) return
  await tx.query(countVerified, { blobId: blob.id })
  const equal = locked.find((row) => row.id !== blob.id)
  if (!equal) {
    // If a verified duplicate commits concurrently, this is a unique violation; the queue retries and finds the
    // duplicate.
    await tx.query(markVerified, { id: blob.id, sha256: blob.claimed })
    return
  }
  await tx.query(repoint, { from: blob.id, to: equal.id })
  await rereadCards(tx, equal.id)
  await tx.query(doom, { id: blob.id })
}

async function lockReposOf(tx: Tx, blobId: string) {
  const repoIds = (await tx.query(reposOfBlob, { blobId })).map((row) => row.repoId)
  return tx.query(lockRepos, { repoIds })
}

const uncountStorage = statement({
  name: 'accounts-uncount-rejected',
  params: { owners: param.texts(), bytes: param.int8s() },
  text: `update accounts a set storage_bytes = a.storage_bytes - n.bytes
    from (select owner, sum(bytes)::bigint as bytes
      from unnest(:owners::text[], :bytes::bigint[]) as t(owner, bytes) group by owner) n
    where a.id = n.owner`,
})

const rowsOfColumns = columns({
  repoId: column.text('repo_id'),
  path: column.text('path'),
  live: column.bool('to_seq is null'),
})

const rowsOf = statement({
  name: 'blob-files',
  exact: 'in-transaction',
  columns: rowsOfColumns,
  params: { blobId: param.text() },
  text: `select ${rowsOfColumns.sql} from files where blob_id = :blobId`,
})

/**
 * Removes the file from every state that had it, since its bytes never had the claimed digest, and records the claimed
 * and the actual digest in the owner's audit log. Lock order: repos, accounts, blobs.
 */
async function settleMismatch(
  deps: Deps,
  tx: Tx,
  blob: BlobRow,
  actual: { readonly sha256: string; readonly sizeBytes: number },
): Promise<void> {
  const repos = await lockReposOf(tx, blob.id)
  const rows = await tx.query(rowsOf, { blobId: blob.id })
  const pathsIn = (repoId: string) => [...new Set(rows.filter((row) => row.repoId === repoId).map(({ path }) => path))]
  const liveIn = (repoId: string) => rows.filter((row) => row.repoId === repoId && row.live).length
  const owners = repos.map((repo) => repo.ownerId)
  const kept = new Map<string, number>()
  for (const repo of repos) kept.set(repo.id, await keptBytes(tx, repo, pathsIn(repo.id)))
  if (repos.length > 0)
    await tx.query(uncountStorage, { owners, bytes: repos.map((repo) => liveIn(repo.id) * blob.size) })
  const locked = await tx.query(lockBlobs, blob)
  const mine = locked.find((row) => row.id === blob.id)
  if (!mine || mine.sha256 !== null) throw new Error('The blob was settled while its repos were being locked.')
  await withdrawBlob(tx, blob.id)
  await tx.query(doom, { id: blob.id })
  for (const repo of repos) {
    const removed = liveIn(repo.id)
    const gone = { removed, bytesRemoved: removed * blob.size }
    if (removed > 0)
      await recordChange({
        tx,
        ctx: noViewer,
        repoId: repo.id,
        seq: repo.seq + 1,
        action: 'reject',
        counts: { ...nothing, ...gone },
      })
    await settleKept(tx, repo, pathsIn(repo.id), kept.get(repo.id) ?? 0)
    await audit(tx, noViewer, {
      action: 'file.rejected',
      accountId: repo.ownerId,
      targetId: repo.id,
      before: { paths: pathsIn(repo.id), size: blob.size, claimed: blob.claimed },
      after: { size: actual.sizeBytes, actual: actual.sha256 },
    })
    tx.afterCommit(() => deps.events.hint(repo.id))
  }
}

const nothing: ChangeCounts = { added: 0, removed: 0, changed: 0, bytesAdded: 0, bytesRemoved: 0, verified: 0 }
