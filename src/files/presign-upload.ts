/** presignUpload (spec, "POST …/files/presign-upload"; contract, "Uploads"). */

import { newId } from '@hub/formats/ids'
import { requireCredential } from '../auth/policy.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { findRepoToWrite, keepRepo, type RepoFacts } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { asStoreRefusal, requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { removeFromStore } from './abort-upload.ts'
import { assertDistinct } from './duplicates.ts'
import { insertUploads, type UploadToInsert } from './insert-uploads.ts'
import { MAX_ASKED_PARTS, MAX_FILE_BYTES, PART_SIZE_BYTES, STORE_CONCURRENCY } from './limits.ts'
import { settleBounded, storageKeys } from './objects.ts'
import type { UploadTicket } from './part-urls.ts'
import { assertNoClash, assertNoClashWithin } from './path-clashes.ts'
import { assertRoom, type Room, reserveStorage } from './reservation.ts'
import { fileKey, findResumable } from './resume-uploads.ts'
import type { PresignUploadFile, PresignUploadInput } from './schemas.ts'
import { type DiscardedUpload, discardUploads, partCount } from './upload-sql.ts'

export { partUrlsExpireAt, signParts, type UploadTicket } from './part-urls.ts'

export interface PresignUploadResult {
  readonly uploads: readonly UploadTicket[]
}

type NewUpload = UploadTicket & { readonly file: PresignUploadFile }

/** In id order, like every statement that locks several uploads. */
const touch = statement({
  name: 'uploads-touch',
  params: { ids: param.texts() },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set touched_at = now() from locked where u.id = locked.id`,
})

/** A concurrent request already created this upload. */
class LostRace extends Error {}

const MAX_ATTEMPTS = 3

/**
 * Opens an upload for each file, or finds the pending one of the same file. The result contains uploads, not URLs:
 * `signParts` creates those. Errors: 401, 403, 404, 409 `conflict.path`, 413 `too_large` (over 50 GiB) and
 * `quota.storage`, 422 `validation.duplicate` and too many small parts, 429 `quota.uploads`,
 * 503. A rejected request leaves nothing behind.
 */
export function presignUpload(ctx: RequestContext, input: PresignUploadInput): Promise<PresignUploadResult> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => openPaths(allowed, repo, input),
    ({ uploads }, repo) => assertKept(ctx, repo, uploads),
  )
}

const keptColumn = columns({ id: column.text('id') })
const keptUploads = statement({
  name: 'uploads-kept',
  exact: 'hot',
  columns: keptColumn,
  params: { repoId: param.text(), ids: param.texts() },
  text: `select ${keptColumn.sql} from uploads where repo_id = :repoId and id = any(:ids::text[])
    and state <> 'aborted'`,
})

/** 404 if an upload of the first response was aborted since: URLs of it would take no bytes. */
export async function assertKept(
  ctx: RequestContext,
  repo: RepoFacts,
  uploads: readonly UploadTicket[],
): Promise<void> {
  const kept = await ctx.deps.db.query(keptUploads, { repoId: repo.id, ids: idsOf(uploads) })
  const ids = new Set(kept.map(({ id }) => id))
  const gone = uploads.find(({ uploadId }) => !ids.has(uploadId))
  if (gone) throw notFound(`The upload ${gone.uploadId} of ${repo.fullName}`)
}

async function openPaths(
  ctx: AllowedContext,
  repo: RepoFacts,
  input: PresignUploadInput,
): Promise<PresignUploadResult> {
  const { account } = requireCredential(ctx.viewer)
  const objects = requireObjects(ctx.deps)
  assertSizes(input.files, 'files')
  const paths = input.files.map((file) => file.path)
  const locOf = (path: string) => ['files', paths.indexOf(path), 'path']
  assertDistinct(paths, 'path', (index) => ['files', index, 'path'])
  assertNoClashWithin(paths, locOf)
  // The completion decides; this keeps bytes from being sent in vain.
  await assertNoClash(ctx.deps.db, repo.id, paths, locOf)
  return openOrResume(ctx, objects, { repo, accountId: account.id, files: input.files }, (byKey) => ({
    uploads: input.files.map((file) => byKey.get(file.path)).filter((upload) => upload !== undefined),
  }))
}

/**
 * Opens or resumes an upload for each file, and has `toResult` make the answer of them, by `fileKey`, which is what a
 * replay returns.
 */
export async function openOrResume<Result>(
  ctx: AllowedContext,
  objects: ObjectStore,
  request: Request,
  toResult: (byKey: ReadonlyMap<string, UploadTicket>) => Result,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openUploads(ctx, objects, request, toResult)
    } catch (error) {
      if (!(error instanceof LostRace)) throw asStoreRefusal(error)
      if (attempt === MAX_ATTEMPTS)
        throw new HubError('conflict.in_progress', 'The same files are being presigned by another request; try again.')
    }
  }
}

interface Request {
  readonly repo: RepoFacts
  readonly accountId: string
  readonly files: readonly PresignUploadFile[]
}

async function openUploads<Result>(
  ctx: AllowedContext,
  objects: ObjectStore,
  request: Request,
  toResult: (byKey: ReadonlyMap<string, UploadTicket>) => Result,
): Promise<Result> {
  const who = { accountId: request.accountId, repoId: request.repo.id, signal: ctx.signal }
  const resumed = await findResumable(ctx.deps.db, objects, who, request.files)
  assertParts(request.files, resumed.byKey)
  const fresh = request.files.filter((file) => !resumed.byKey.has(fileKey(file)))
  if (fresh.length > 0 && resumed.endedIds.length === 0) {
    await assertRoom(ctx.deps.db, ctx.deps.config, request.repo.ownerId, roomFor(fresh))
  }
  const made = await createInStore(ctx, objects, fresh)
  let ended: readonly DiscardedUpload[] = []
  try {
    const result = await commitVerb(ctx, async (tx) => {
      ended = await recordUploads({
        ctx,
        tx,
        request,
        made,
        known: {
          touchedIds: idsOf(resumed.byKey.values()),
          endedIds: resumed.endedIds,
        },
      })
      return toResult(
        new Map([...resumed.byKey, ...made.map(({ file, ...upload }) => [fileKey(file), upload] as const)]),
      )
    })
    await removeFromStore(ctx.deps, objects, ended)
    return result
  } catch (error) {
    await abortInStore(objects, made)
    throw error
  }
}

const idsOf = (uploads: Iterable<UploadTicket>) => Array.from(uploads, (upload) => upload.uploadId)

/**
 * Inserts the new uploads, touches the resumed ones, and returns the uploads that it ended. Locks in order: repo,
 * account, uploads.
 */
async function recordUploads({
  ctx,
  tx,
  request: { repo, accountId },
  made,
  known,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly request: Request
  readonly made: readonly NewUpload[]
  readonly known: { touchedIds: readonly string[]; endedIds: readonly string[] }
}): Promise<DiscardedUpload[]> {
  const kept = await keepRepo(tx, repo.id)
  if (!kept) throw notFound(`The repo ${repo.fullName}`)
  const ended = known.endedIds.length > 0 ? await discardUploads(tx, known.endedIds) : []
  if (made.length > 0) {
    await reserveStorage(tx, ctx.deps.config, kept.ownerId, roomFor(made))
    const of = { repoId: repo.id, accountId, ownerId: kept.ownerId, attempt: null, instance: null }
    if (!(await insertUploads(tx, of, made.map(rowOf)))) throw new LostRace()
  }
  if (known.touchedIds.length > 0) await tx.query(touch, { ids: known.touchedIds })
  return ended
}

const rowOf = ({ uploadId, partSize, path, size, storageKey, storeUploadId, file }: NewUpload): UploadToInsert => ({
  id: uploadId,
  partSize,
  path,
  size,
  sha256: file.sha256,
  contentType: file.contentType ?? null,
  storageKey,
  storeUploadId,
})

/** Creates one multipart upload in the store per file; if one fails, aborts all of them. */
async function createInStore(
  ctx: RequestContext,
  objects: ObjectStore,
  files: readonly PresignUploadFile[],
): Promise<NewUpload[]> {
  const newKey = storageKeys()
  const outcomes = await settleBounded(files, STORE_CONCURRENCY, async (file): Promise<NewUpload> => {
    const storageKey = newKey()
    const options = { contentType: file.contentType ?? undefined, signal: ctx.signal }
    const storeUploadId = await objects.createUpload(storageKey, options)
    const { path, size } = file
    return {
      file,
      path,
      size,
      uploadId: newId('upl'),
      partSize: file.partSize ?? PART_SIZE_BYTES,
      uploaded: [],
      uploadedEtags: [],
      storageKey,
      storeUploadId,
    }
  })
  const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return made
  await abortInStore(objects, made)
  throw failed.reason
}

/** Best effort: collection aborts store uploads without a row. */
async function abortInStore(objects: ObjectStore, uploads: readonly NewUpload[]): Promise<void> {
  await settleBounded(uploads, STORE_CONCURRENCY, (upload) =>
    objects.abortUpload(upload.storageKey, upload.storeUploadId),
  )
}

const roomFor = (files: readonly { readonly size: number }[]): Room => ({
  bytes: files.reduce((sum, file) => sum + file.size, 0),
  uploads: files.length,
})

/** 413 for a file over 50 GiB, as the spec says. */
export function assertSizes(files: readonly PresignUploadFile[], member: 'files' | 'blobs'): void {
  const items = files.flatMap((file, index) => {
    if (file.size <= MAX_FILE_BYTES) return []
    const detail = `${JSON.stringify(file.path || file.sha256)} has ${file.size} bytes; a file has at most ${MAX_FILE_BYTES}.`
    return [{ type: 'too_large', detail, loc: [member, index, 'size'] }]
  })
  const [first] = items
  const used = Math.max(...files.map(({ size }) => size))
  if (first)
    throw new HubError('too_large', first.detail, { items, facts: { unit: 'bytes', limit: MAX_FILE_BYTES, used } })
}

/** A request for smaller parts has a limited number of URLs; resumed uploads keep the parts that they have. */
function assertParts(files: readonly PresignUploadFile[], resumed: ReadonlyMap<string, UploadTicket>): void {
  if (!files.some((file) => file.partSize)) return
  const partsOf = (file: PresignUploadFile) =>
    partCount(file.size, resumed.get(fileKey(file))?.partSize ?? file.partSize ?? PART_SIZE_BYTES)
  const parts = files.reduce((sum, file) => sum + partsOf(file), 0)
  if (parts <= MAX_ASKED_PARTS) return
  const detail = `The files have ${parts} parts; a request that asks for a part size has at most ${MAX_ASKED_PARTS}. Ask for larger parts or fewer files.`
  throw new HubError('validation.value', detail, { items: [{ type: 'validation.value', detail, loc: ['files'] }] })
}
