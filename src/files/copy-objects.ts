/**
 * Copies objects of another subject, such as a robot check, into files of a repo. Each copy is an upload whose bytes
 * the hub writes itself. It has the reservation, lease and fence of a completion, so copies of a dead process are
 * collected like abandoned uploads.
 */
import { randomUUID } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { keepRepo } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { isNoSuchObject } from '../store/objects/lost-object.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { asStoreRefusal, requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { removeFromStore } from './abort-upload.ts'
import type { AssembledUpload } from './assemble-upload.ts'
import { keepClaim } from './claim-uploads.ts'
import { hashObject } from './hash-object.ts'
import { insertUploads } from './insert-uploads.ts'
import { HASH_CONCURRENCY, PART_SIZE_BYTES } from './limits.ts'
import { detectMime } from './mime.ts'
import { newStorageKey, settleBounded } from './objects.ts'
import { broughtByUploads } from './read-brought.ts'
import type { Brought } from './read-dataset-info.ts'
import { reserveStorage } from './reservation.ts'
import { claimable, discardUploads, type UploadRow } from './upload-sql.ts'
import { openStates, sqlStates } from './upload-state.ts'

/** An object and the file that it becomes. */
export interface ObjectToLink {
  readonly path: string
  readonly storageKey: string
  /** Bytes. */
  readonly size: number
  /** The digest that the hub computed earlier. */
  readonly sha256: string
  readonly contentType: string | null
}

export interface CopyRequest {
  /**
   * Id of the subject that owns the objects. It is stored in place of the presigning account, so that no client finds
   * the upload and resumes it. Only one request at a time copies for a source.
   */
  readonly sourceId: string
  /** The repo that gets the files; it may be created in the transaction that links them. */
  readonly repoId: string
  readonly ownerId: string
  readonly objects: readonly ObjectToLink[]
}

/**
 * A copy with its digest: `sha256` differs from `upload.sha256` if the bytes changed, and is null if the object does
 * not exist or has another size.
 */
export type CopiedObject = AssembledUpload

export interface Copies extends Pick<Brought, 'readme' | 'body'> {
  /** The fencing token for `linkFiles`. */
  readonly attempt: string
  /** In the order of the requested objects. */
  readonly copied: readonly CopiedObject[]
}

/** No store has a multipart upload with this id, so completing or aborting it there finds nothing. */
const NO_STORE_UPLOAD = 'copy'

const idColumn = columns({ id: column.text('id') })

const leftOver = statement({
  name: 'copies-left-over',
  exact: 'next-batch',
  columns: idColumn,
  params: { sourceId: param.text() },
  text: `select ${idColumn.sql} from uploads where account_id = :sourceId and state in (${sqlStates(openStates)}) and ${claimable}`,
})

const keyColumn = columns({ key: column.text('storage_key') })

const aborted = statement({
  name: 'copies-aborted',
  exact: 'next-batch',
  columns: keyColumn,
  params: { ids: param.texts() },
  text: `select ${keyColumn.sql} from uploads where id = any(:ids::text[]) and state = 'aborted'`,
})

/**
 * Copies the objects and runs `work`, which links the copies with `linkFiles` in a transaction of its own. If `work`
 * throws, the unlinked copies are discarded at once; after a crash, collection discards them. Errors: 409
 * `conflict.in_progress` if another request copies for the same source, 413 `quota.storage`, 429 `quota.uploads`, 503.
 */
export async function withCopies<Result>(
  ctx: RequestContext,
  request: CopyRequest,
  work: (copies: Copies) => Promise<Result>,
): Promise<Result> {
  const { db } = ctx.deps
  const objects = requireObjects(ctx.deps)
  const attempt = randomUUID()
  await discardLeftOver(ctx, objects, request.sourceId)
  const uploads = request.objects.map((object) => uploadOf(request, object))
  const ids = uploads.map(({ id }) => id)
  await db.withTx((tx) => reserve({ ctx, tx, request, attempt, uploads }))
  const release = keepClaim(ctx.deps, attempt, ids)
  try {
    const copied = await copyAll(objects, request.objects, uploads, ctx.signal)
    // They are for a model or a robot; the body of a robot is in its card, whatever is read here.
    const { readme, body } = await broughtByUploads(ctx, objects, 'model', copied)
    return await work({ attempt, copied, readme, body: body ?? null })
  } catch (error) {
    await discardUnlinked(ctx, objects, ids, attempt)
    throw error
  } finally {
    release()
  }
}

const uploadOf = ({ repoId, ownerId }: CopyRequest, object: ObjectToLink): UploadRow => ({
  ...object,
  id: newId('upl'),
  repoId,
  ownerId,
  storageKey: newStorageKey(),
  storeUploadId: NO_STORE_UPLOAD,
  partSize: PART_SIZE_BYTES,
  state: 'completing',
  etag: null,
  parts: [],
  leaseHeld: true,
})

/** Discards the copies of an earlier request for the source that died: their bytes still count against the quota. */
async function discardLeftOver(ctx: RequestContext, objects: ObjectStore, sourceId: string): Promise<void> {
  const left = await ctx.deps.db.query(leftOver, { sourceId })
  if (left.length === 0) return
  const ids = left.map(({ id }) => id)
  await removeFromStore(ctx.deps, objects, await ctx.deps.db.withTx((tx) => discardUploads(tx, ids)))
}

/**
 * Inserts the rows before the objects are copied, so that no object exists without a row. Lock order: repos, accounts,
 * uploads.
 */
async function reserve({
  ctx,
  tx,
  request: { sourceId, repoId, ownerId: askedOwnerId },
  attempt,
  uploads,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly request: CopyRequest
  readonly attempt: string
  readonly uploads: readonly UploadRow[]
}): Promise<void> {
  if (uploads.length === 0) return
  // It may have moved since it was found; one that is still to be made has the owner that was asked for.
  const { ownerId } = (await keepRepo(tx, repoId)) ?? { ownerId: askedOwnerId }
  const bytes = uploads.reduce((sum, { size }) => sum + size, 0)
  await reserveStorage(tx, ctx.deps.config, ownerId, { bytes, uploads: uploads.length })
  if (
    !(await insertUploads(
      tx,
      { repoId, accountId: sourceId, ownerId, attempt, instance: ctx.deps.events.instance },
      uploads,
    ))
  )
    throw new HubError('conflict.in_progress', 'Another request is copying the same objects; try again.')
}

async function copyAll(
  objects: ObjectStore,
  sources: readonly ObjectToLink[],
  uploads: readonly UploadRow[],
  signal: AbortSignal,
): Promise<CopiedObject[]> {
  const outcomes = await settleBounded(uploads, HASH_CONCURRENCY, (upload, index) => {
    const source = sources[index]
    if (!source) throw new Error('Each copy has its source.')
    return copyOne(objects, source, upload, signal)
  })
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw asStoreRefusal(outcome.reason)
    return outcome.value
  })
}

/** Hashes the copy, not the source: the copy has the bytes that are linked, even if the source changes later. */
async function copyOne(
  objects: ObjectStore,
  source: ObjectToLink,
  upload: UploadRow,
  signal: AbortSignal,
): Promise<CopiedObject> {
  signal.throwIfAborted()
  try {
    const { etag } = await objects.copy(source.storageKey, upload.storageKey, signal)
    const { sha256, firstBytes, sizeBytes } = await hashObject(objects, upload.storageKey, signal)
    const mime = await detectMime(upload.path, firstBytes, upload.contentType)
    return { upload, etag, mime, sha256: sizeBytes === upload.size ? sha256 : null }
  } catch (error) {
    if (!isNoSuchObject(error)) throw error
    return { upload, etag: '', mime: null, sha256: null }
  }
}

/**
 * Discards copies that were not linked. A failure here is only logged: the lease then expires, and the client gets the
 * original error. Also deletes objects that this request copied after it had lost its lease and collection had aborted
 * their rows.
 */
export async function discardUnlinked(
  ctx: RequestContext,
  objects: ObjectStore,
  ids: readonly string[],
  attempt: string,
): Promise<void> {
  if (ids.length === 0) return
  try {
    await ctx.deps.db.withTx((tx) => discardUploads(tx, ids, attempt))
    const keys = (await ctx.deps.db.query(aborted, { ids })).map(({ key }) => key)
    if (keys.length > 0) await objects.delete(keys)
  } catch (error) {
    ctx.deps.log.warn({ err: error, requestId: ctx.requestId }, 'copies that were not linked are left for collection')
  }
}
