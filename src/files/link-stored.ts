/** linkFiles (contract, "Uploads"): adds files whose bytes the hub already has, without an upload. */
import { randomUUID } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import type { Tx } from '../store/db.ts'
import { isNoSuchObject } from '../store/objects/lost-object.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { asStoreRefusal, requireObjects } from '../store/objects/required.ts'
import type { AssembledUpload } from './assemble-upload.ts'
import { assertDistinct } from './duplicates.ts'
import type { RepoFileEntry } from './file-entry.ts'
import { readFirstBytes } from './hash-object.ts'
import { insertUploads } from './insert-uploads.ts'
import { PART_SIZE_BYTES, STORE_CONCURRENCY } from './limits.ts'
import { GoneBytes } from './link-blobs.ts'
import { linkFiles } from './link-files.ts'
import { assertLive } from './live-files.ts'
import { detectMime } from './mime.ts'
import { newStorageKey, settleBounded } from './objects.ts'
import { assertNoClash, assertNoClashWithin, type LocOfPath } from './path-clashes.ts'
import { assertPreconditions, liveFiles } from './preconditions.ts'
import { broughtByUploads } from './read-brought.ts'
import type { Brought } from './read-dataset-info.ts'
import { contentOf, findReadable, type ReadableBlob } from './readable-blobs.ts'
import { reserveStorage } from './reservation.ts'
import type { FileToLink, LinkFilesInput } from './schemas.ts'
import type { ChangeMessage } from './versions/record-change.ts'

export interface LinkedFiles {
  readonly files: readonly RepoFileEntry[]
  /** Paths of files to upload. */
  readonly missing: readonly string[]
}

/** The most attempts: bytes that are collected between the search and the link are searched again. */
const MAX_ATTEMPTS = 3

/**
 * Links each file whose bytes, by verified digest and size, are in a live file that the caller can read. Lists all
 * others as missing, even if the hub has their bytes. The found files are linked all or none, with the same effects as
 * a completion: quota, conditions, change number, sums, audit, a dataset's info. Errors: 401, 403, 404, 409
 * `conflict.unverified`, `conflict.path`, 412, 413 `quota.storage`, 422 `validation.duplicate`, 429 `quota.uploads`,
 * 503.
 */
export function linkStored(ctx: RequestContext, input: LinkFilesInput): Promise<LinkedFiles> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => link(allowed, repo, input),
    ({ files }, repo) => assertLive(ctx, repo, files),
  )
}

async function link(ctx: AllowedContext, repo: RepoFacts, input: LinkFilesInput): Promise<LinkedFiles> {
  const objects = requireObjects(ctx.deps)
  const paths = input.files.map((file) => file.path)
  const locOf = (path: string) => ['files', paths.indexOf(path), 'path']
  assertDistinct(paths, 'path', (index) => ['files', index, 'path'])
  assertNoClashWithin(paths, locOf)
  // The missing ones too: they are uploaded next.
  await assertNoClash(ctx.deps.db, repo.id, paths, locOf)
  for (let attempt = 1; ; attempt += 1) {
    const readable = await findReadable(ctx, repo.id, input.files)
    const found = await prepare({ ctx, objects, repo, files: input.files, readable })
    const brought = await broughtByUploads(ctx, objects, repo.kind, found)
    try {
      return await commitVerb(ctx, (tx) =>
        linkAll(ctx, tx, { repo, files: input.files, found, brought, locOf, message: input.message }),
      )
    } catch (error) {
      if (!(error instanceof GoneBytes)) throw error
      if (attempt === MAX_ATTEMPTS)
        throw new HubError('conflict.in_progress', 'The bytes of these files are being deleted; try again.')
    }
  }
}

/**
 * Turns the files whose bytes were found into assembled uploads. Reads the first bytes of each to detect its media
 * type.
 */
async function prepare({
  ctx,
  objects,
  repo,
  files,
  readable,
}: {
  readonly ctx: RequestContext
  readonly objects: ObjectStore
  readonly repo: RepoFacts
  readonly files: readonly FileToLink[]
  readonly readable: ReadonlyMap<string, ReadableBlob>
}): Promise<AssembledUpload[]> {
  const outcomes = await settleBounded(files, STORE_CONCURRENCY, async (file) => {
    const blob = readable.get(contentOf(file))
    return blob ? assembledFrom({ ctx, objects, repo, file, blob }) : null
  })
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? []
    if (isNoSuchObject(outcome.reason)) return []
    throw asStoreRefusal(outcome.reason)
  })
}

async function assembledFrom({
  ctx,
  objects,
  repo,
  file,
  blob,
}: {
  readonly ctx: RequestContext
  readonly objects: ObjectStore
  readonly repo: RepoFacts
  readonly file: FileToLink
  readonly blob: ReadableBlob
}): Promise<AssembledUpload> {
  const { path, size, sha256 } = file
  const contentType = file.contentType ?? null
  const firstBytes = size === 0 ? new Uint8Array(0) : await readFirstBytes(objects, blob.storageKey, ctx.signal)
  return {
    upload: {
      ...{ path, size, sha256, contentType },
      ...{ id: newId('upl'), repoId: repo.id, ownerId: repo.ownerId, partSize: PART_SIZE_BYTES },
      ...{
        storageKey: blob.storageKey,
        storeUploadId: NO_STORE_UPLOAD,
        state: 'completing',
        etag: null,
        parts: [],
        leaseHeld: true,
      },
    },
    etag: blob.etag ?? '',
    sha256,
    mime: await detectMime(path, firstBytes, contentType),
    onlyIfStored: true,
  }
}

/** No store has a multipart upload with this id. */
const NO_STORE_UPLOAD = 'link'

interface Linking extends ChangeMessage {
  readonly repo: RepoFacts
  readonly files: readonly FileToLink[]
  readonly found: readonly AssembledUpload[]
  readonly brought: Brought
  readonly locOf: LocOfPath
}

/**
 * Each file becomes an upload that begins and is completed in this transaction, so that the rules of completions are
 * written only once. Takes the same locks as a completion.
 */
async function linkAll(
  ctx: RequestContext,
  tx: Tx,
  { repo: asked, files, found, brought, locOf, message }: Linking,
): Promise<LinkedFiles> {
  // The owner is that of the lock: the repo may have moved since it was found.
  const repo = await lockRepo(tx, asked.id)
  if (!repo) throw notFound(`The repo ${asked.fullName}`)
  const live = await tx.query(liveFiles, { repoId: repo.id, paths: files.map(({ path }) => path) })
  assertPreconditions(files, live, 'files')
  const paths = new Set(found.map(({ upload }) => upload.path))
  const missing = files.map(({ path }) => path).filter((path) => !paths.has(path))
  if (found.length === 0) return { files: [], missing }
  const attempt = randomUUID()
  const bytes = found.reduce((sum, { upload }) => sum + upload.size, 0)
  await reserveStorage(tx, ctx.deps.config, repo.ownerId, { bytes, uploads: found.length })
  // The attempt takes the place of the account, so that the row does not collide with a pending upload of the same
  // file. The fresh storage key names no object.
  const rows = found.map(({ upload }) => ({ ...upload, storageKey: newStorageKey() }))
  // No one else sees them before they are linked.
  const of = { repoId: repo.id, accountId: attempt, ownerId: repo.ownerId, attempt, instance: null }
  await insertUploads(tx, of, rows)
  const named = found.map(({ upload }) => ({ path: upload.path, uploadId: upload.id, parts: [] }))
  const linked = await linkFiles(ctx, tx, { repo, attempt, named, assembled: found, ...brought, locOf, message })
  return { files: linked.files, missing }
}
