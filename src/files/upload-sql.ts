/** Rows of `uploads`, and statements that abort them. */

import { newId } from '@hub/formats/ids'
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { each, insertEach, sql } from '../store/insert.ts'
import type { StoredPart } from '../store/objects/object-store.ts'
import { isGone } from '../store/presence.ts'
import { listOf, number, objectOf, text } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { COMPLETE_LEASE_SECONDS } from './limits.ts'
import { sqlStates, uploadTransitions } from './upload-state.ts'

const leaseHeld = `(state = 'completing' and attempt_at > now() - make_interval(secs => ${COMPLETE_LEASE_SECONDS}) and not ${isGone('instance')})`

/** Uploads that a completion or an abort may claim: see `uploadTransitions`. */
export const claimable = `(state in (${sqlStates(uploadTransitions.abort.from)}) or (state = 'completing' and not ${leaseHeld}))`

export const uploadColumns = columns({
  id: column.text('id'),
  repoId: column.text('repo_id'),
  ownerId: column.text('owner_id'),
  /** Empty for bytes that are sent ahead of the commit that names them. */
  path: column.text('path'),
  size: column.int8('size'),
  /** As claimed by the client. */
  sha256: column.text('sha256'),
  contentType: column.text.orNull('content_type'),
  storageKey: column.text('storage_key'),
  storeUploadId: column.text('store_upload_id'),
  partSize: column.int4('part_size'),
  state: column.enum('UploadState', 'state'),
  /** Of an upload without a path that is whole and checked; null for all others. */
  etag: column.text.orNull('etag'),
  /**
   * The parts of a completion, recorded before the store assembles them; empty until then. `assembleUpload` guarantees
   * the type.
   */
  parts: column.jsonb('parts', listOf(objectOf<StoredPart>({ partNumber: number, etag: text, sizeBytes: number }))),
  /** Whether its completion still holds the lease: it has not run out, and the hub that has it is there. */
  leaseHeld: column.bool(leaseHeld),
})

export type UploadRow = RowOf<typeof uploadColumns>

/** What a message calls an upload: its quoted path, or the digest of bytes without one. */
export const nameOfUpload = ({ path, sha256 }: Pick<UploadRow, 'path' | 'sha256'>): string =>
  path === '' ? `The content ${sha256}` : JSON.stringify(path)

/** Number of parts of a file of this size; an empty file has one empty part. */
export function partCount(sizeBytes: number, partSizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / partSizeBytes))
}

const ownerIdColumn = columns({ ownerId: column.text('owner_id') })

const ownersOf = statement({
  name: 'upload-owners',
  exact: 'in-transaction',
  columns: ownerIdColumn,
  params: { ids: param.texts() },
  text: `select ${ownerIdColumn.sql} from uploads where id = any(:ids::text[])`,
})

const discarded = columns({
  id: column.text('u.id'),
  ownerId: column.text('u.owner_id'),
  path: column.text('u.path'),
  size: column.int8('u.size'),
  sha256: column.text('u.sha256'),
  storageKey: column.text('u.storage_key'),
  storeUploadId: column.text('u.store_upload_id'),
  /** Whether the store may already have the whole object. */
  assembled: column.bool("u.parts <> '[]'::jsonb"),
})

export type DiscardedUpload = RowOf<typeof discarded>

/**
 * In id order, so that two requests with the same uploads cannot deadlock. With `:attempt` null it aborts the uploads
 * that are `claimable`, else those of the attempt.
 */
const discard = statement({
  name: 'uploads-discard',
  columns: discarded,
  params: { ids: param.texts(), attempt: param.text.orNull() },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set state = 'aborted', touched_at = now() from locked
    where u.id = locked.id and ((:attempt::text is null
      and ${claimable.replaceAll(/\b(state|attempt_at|instance)\b/g, 'u.$1')})
      or (u.attempt = :attempt and u.state = 'completing'))
    returning ${discarded.sql}`,
})

const release = statement({
  name: 'accounts-release',
  params: { owners: param.texts(), bytes: param.int8s() },
  text: `update accounts a set reserved_bytes = a.reserved_bytes - r.bytes, pending_uploads = a.pending_uploads - r.uploads
    from (select owner, sum(bytes)::bigint as bytes, count(*)::int as uploads
      from unnest(:owners::text[], :bytes::bigint[]) as t(owner, bytes) group by owner) r
    where a.id = r.owner`,
})

const doomedRows = insertEach('blobs', {
  id: each('ids', param.texts()),
  storageKey: each('keys', param.texts()),
  size: each('sizes', param.int8s()),
  claimed: each('claimed', param.texts()),
  state: 'doomed',
  doomedAt: sql('now()'),
})

const doomObjects = statement({
  name: 'blobs-doom-keys',
  params: doomedRows.params,
  text: `${doomedRows.sql} on conflict do nothing`,
})

/**
 * Sets uploads to `aborted`, releases their reservations and dooms objects that the store may already have, so that
 * collection deletes those even if this process dies right after. `attempt` is set by a completion that rejects its own
 * uploads; without it only uploads without a live lease are aborted. Lock order: accounts, then uploads, then blobs.
 * After the commit the caller calls `removeFromStore`.
 */
export async function discardUploads(
  tx: Querier,
  ids: readonly string[],
  attempt: string | null = null,
): Promise<DiscardedUpload[]> {
  const owners = new Set((await tx.query(ownersOf, { ids })).map((row) => row.ownerId))
  await lockAccounts(tx, [...owners])
  const gone = await tx.query(discard, { ids, attempt })
  if (gone.length === 0) return gone
  await tx.query(release, { owners: gone.map((upload) => upload.ownerId), bytes: gone.map((upload) => upload.size) })
  const objects = gone.filter((upload) => upload.assembled)
  if (objects.length > 0) {
    await tx.query(doomObjects, {
      ids: objects.map(() => newId('blob')),
      keys: objects.map((upload) => upload.storageKey),
      sizes: objects.map((upload) => upload.size),
      claimed: objects.map((upload) => upload.sha256),
    })
  }
  return gone
}
