/** The one transaction in which completed uploads become files. */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { audit } from '../operation/audit.ts'
import type { RequestContext } from '../operation/context.ts'
import { type ErrorType, HubError, notFound } from '../platform/errors.ts'
import type { DatasetInfo } from '../repos/dataset-info.ts'
import { lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import { upsertDatasetMeta } from '../repos/put-meta.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { each, insertEach } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import type { AssembledUpload } from './assemble-upload.ts'
import type { RepoFileEntry } from './file-entry.ts'
import { type LinkedBlob, linkBlobs } from './link-blobs.ts'
import { assertNoClash, type LocOfPath } from './path-clashes.ts'
import { assertPreconditions, liveFiles } from './preconditions.ts'
import type { Brought } from './read-dataset-info.ts'
import type { CompletedUpload } from './schemas.ts'
import { keptBytes, settleKept } from './versions/kept-bytes.ts'
import { type ChangeMessage, closeFiles, recordChange } from './versions/record-change.ts'

export const moveReservation = statement({
  name: 'accounts-store',
  params: {
    ownerId: param.text(),
    /**
     * `reservedBytes` is the released reservation, `netBytes` the growth of the owner's storage, which is smaller if
     * files are replaced.
     */
    reservedBytes: param.int8(),
    netBytes: param.int8(),
    uploads: param.int4(),
  },
  text: `update accounts set reserved_bytes = reserved_bytes - :reservedBytes::bigint,
    storage_bytes = storage_bytes + :netBytes::bigint,
      pending_uploads = pending_uploads - :uploads::int where id = :ownerId`,
})

const idColumn = columns({ id: column.text('u.id') })

/**
 * Fenced by the attempt; those that no attempt has claimed are checked ones. In id order, like every statement that
 * locks several uploads. `coalesce` has each row looked up by its id: where the database expects hardly any open upload,
 * it would compare each open one with each that is locked.
 */
const finish = statement({
  name: 'uploads-finish',
  columns: idColumn,
  params: { ids: param.texts(), attempt: param.text.orNull() },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set state = 'completed', touched_at = now() from locked
    where u.id = locked.id and coalesce((u.attempt = :attempt and u.state = 'completing')
      or (:attempt::text is null and u.state = 'assembled' and u.etag is not null), false) returning ${idColumn.sql}`,
})

const linked = columns({ path: column.text('path'), updatedAt: column.timestamptz('updated_at') })

const fileRows = insertEach('files', {
  repoId: param.text(),
  fromSeq: param.int4(),
  path: each('paths', param.texts()),
  blobId: each('blobIds', param.texts()),
  mime: each('mimes', param.texts<readonly (string | null)[]>()),
})

export const insertFiles = statement({
  name: 'files-insert',
  columns: linked,
  params: fileRows.params,
  text: `${fileRows.sql} returning ${linked.sql}`,
})

export interface LinkRequest extends ChangeMessage, Brought {
  readonly repo: RepoFacts
  readonly attempt: string
  /** `named` and `assembled` have the same order. */
  readonly named: readonly CompletedUpload[]
  readonly assembled: readonly AssembledUpload[]
  readonly locOf: LocOfPath
}

/**
 * Links every file or none. Locks in order: repo, account, uploads, blobs. At most twelve statements for any number of
 * files; one more with duplicate bytes, one with a README.md, two with a dataset's info, two to five with a body, two
 * if the repo has snapshots, one if a job has to hash files. Errors: 404 the repo is gone, 409 another completion took
 * over, 409 `conflict.path`, 409 `conflict.unverified` and 412 from the conditions.
 */
export async function linkFiles(
  ctx: RequestContext,
  tx: Tx,
  request: LinkRequest,
): Promise<{ files: RepoFileEntry[] }> {
  const repo = await lockRepo(tx, request.repo.id)
  if (!repo) throw notFound(`The repo ${request.repo.fullName}`)
  const paths = request.assembled.map(({ upload }) => upload.path)
  const replaced = await tx.query(liveFiles, { repoId: repo.id, paths })
  assertPreconditions(request.named, replaced)
  await assertNoClash(tx, repo.id, paths, request.locOf)
  const kept = await keptBytes(tx, repo, paths)
  const addedBytes = sum(request.assembled.map(({ upload }) => upload.size))
  const replacedBytes = sum(replaced.map((file) => file.size))
  await lockAccounts(tx, [repo.ownerId])
  // Before the reservation is released: a completion that was taken over no longer has one.
  await finishUploads(tx, { ids: request.assembled.map(({ upload }) => upload.id), attempt: request.attempt })
  await tx.query(moveReservation, {
    ownerId: repo.ownerId,
    reservedBytes: addedBytes,
    netBytes: addedBytes - replacedBytes,
    uploads: request.assembled.length,
  })
  const blobs = await linkBlobs(tx, request.assembled.map(toBlob))
  const seq = repo.seq + 1
  if (replaced.length > 0) await tx.query(closeFiles, { repoId: repo.id, seq, paths })
  const mimes = request.assembled.map(({ mime }) => mime)
  const rows = await tx.query(insertFiles, {
    repoId: repo.id,
    fromSeq: seq,
    paths,
    blobIds: blobs.map((blob) => blob.id),
    mimes,
  })
  const verified =
    blobs.filter((blob) => blob.sha256 !== null).length - replaced.filter((file) => file.sha256 !== null).length
  await recordChange({
    tx,
    ctx,
    repoId: repo.id,
    seq,
    action: 'complete',
    message: request.message,
    readme: request.readme,
    body: request.body ?? null,
    counts: {
      added: paths.length - replaced.length,
      removed: 0,
      changed: replaced.length,
      bytesAdded: addedBytes,
      bytesRemoved: replacedBytes,
      verified,
    },
  })
  await settleKept(tx, repo, paths, kept)
  await audit(tx, ctx, {
    action: 'files.complete',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: { files: replaced.map(({ path, size, sha256 }) => ({ path, size, sha256 })) },
    after: {
      seq,
      files: request.assembled.map(({ upload, sha256 }) => ({ path: upload.path, size: upload.size, sha256 })),
    },
  })
  if (request.datasetInfo) await setDatasetMeta(ctx, tx, repo, request.datasetInfo)
  await hashLater(ctx, tx, blobs)
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return { files: entries(request.assembled, blobs, rows) }
}

/** Enqueues a job for each blob whose bytes the hub has not hashed: one statement, none without such blobs. */
export function hashLater(
  { deps: { queue } }: RequestContext,
  tx: Tx,
  blobs: readonly { readonly id: string; readonly sha256: string | null }[],
): Promise<void> {
  const ids = new Set(blobs.flatMap(({ id, sha256 }) => (sha256 === null ? [id] : [])))
  const jobs = Array.from(ids, (blobId) => ({ input: { blobId }, singletonKey: blobId }))
  return queue.sendAll(tx, 'blob-verify', jobs)
}

/** Stores the facts of a dataset's `meta/info.json`, audited. */
export async function setDatasetMeta(ctx: RequestContext, tx: Tx, repo: RepoFacts, info: DatasetInfo): Promise<void> {
  await tx.query(upsertDatasetMeta, { repoId: repo.id, ...info, isFromFile: true })
  await audit(tx, ctx, { action: 'repo.meta', accountId: repo.ownerId, targetId: repo.id, after: { ...info } })
}

/** A checked upload that no attempt had claimed is another's by now, or has ended. */
export class GoneUploads extends Error {}

/**
 * Ends the uploads of an attempt, or, without one, checked uploads. 409 `conflict.in_progress`, and `GoneUploads`, if
 * another request has taken one over.
 */
export async function finishUploads(
  tx: Tx,
  { ids, attempt }: { readonly ids: readonly string[]; readonly attempt: string | null },
): Promise<void> {
  const finished = await tx.query(finish, { ids, attempt })
  if (finished.length === ids.length) return
  if (attempt === null) throw new GoneUploads()
  const type: ErrorType = 'conflict.in_progress'
  throw new HubError(type, 'Another request took over the completion of these uploads.')
}

function toBlob({ upload, etag, sha256, onlyIfStored = false }: AssembledUpload) {
  return { storageKey: upload.storageKey, size: upload.size, etag, claimed: upload.sha256, sha256, onlyIfStored }
}

function entries(
  assembled: readonly AssembledUpload[],
  blobs: readonly LinkedBlob[],
  rows: readonly { path: string; updatedAt: string }[],
): RepoFileEntry[] {
  const updatedAt = new Map(rows.map((row) => [row.path, row.updatedAt]))
  return assembled.map(({ upload, mime }, index) => ({
    path: upload.path,
    size: upload.size,
    etag: blobs[index]?.etag ?? null,
    sha256: blobs[index]?.sha256 ?? null,
    mime,
    updatedAt: updatedAt.get(upload.path) ?? '',
  }))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
