/** storeBlobs (contract, "Commits of many files"): small contents of the request itself, sent ahead of a commit. */

import { randomUUID } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { inTurns } from '../../platform/slices.ts'
import { findRepoToWrite, keepRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { memberKey } from '../../store/objects/member-key.ts'
import type { ObjectHead, ObjectStore } from '../../store/objects/object-store.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { removeFromStore } from '../abort-upload.ts'
import type { AssembledUpload } from '../assemble-upload.ts'
import { keepClaim } from '../claim-uploads.ts'
import { discardUnlinked } from '../copy-objects.ts'
import { insertUploads } from '../insert-uploads.ts'
import { PART_SIZE_BYTES, STORE_CONCURRENCY } from '../limits.ts'
import { sniffMime } from '../mime.ts'
import { newStorageGroup, settleBounded } from '../objects.ts'
import { contentOf } from '../readable-blobs.ts'
import { CONTENT_UPLOAD, reserveStorage } from '../reservation.ts'
import type { StoreBlobsInput } from '../schemas.ts'
import { discardUploads, type UploadRow } from '../upload-sql.ts'
import { type Content, findSentAhead, keepBlobs, lockUnshared, shareContents } from './blob-rows.ts'
import { readArchive } from './read-archive.ts'
import { type HeldContent, readContents } from './read-contents.ts'

/**
 * Stores contents of at most 64 KiB each, whose digests the hub computes. What was sent to the repo ahead is not stored
 * twice. Errors: 401, 403, 404, 413 `quota.storage`, 422, 429 `quota.uploads`, 503.
 */
export function storeBlobs(
  ctx: RequestContext,
  input: StoreBlobsInput,
): Promise<{ readonly blobs: readonly Content[] }> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    async (allowed, repo) => {
      const own = ownContents(ctx)
      const { blobs, ids } = await sendAhead(allowed, repo, input.contents, own)
      for (const id of ids) own.add(id)
      // Objects are left to collection: a request that is undone may have stored a hundred thousand.
      ctx.undo?.push(() => discardSent(ctx, repo, null, ids))
      return commitVerb(allowed, async () => ({ blobs }))
    },
  )
}

/** What a request of several operations has stored itself, by where it leaves what undoes it. */
const storedBy = new WeakMap<object, Set<string>>()

function ownContents({ undo }: RequestContext): Set<string> {
  const own = (undo && storedBy.get(undo)) ?? new Set()
  if (undo) storedBy.set(undo, own)
  return own
}

/** Contents that were sent ahead: the digest and size of each, in order, and the uploads that this began. */
interface Sent {
  readonly blobs: readonly Content[]
  readonly ids: readonly string[]
}

/**
 * The same for the files of a tar archive, at most 1 MiB each. A repeat stores nothing twice, so it needs no key.
 * Errors: besides, 413 `too_large`, 422 `upload.sha256_mismatch`.
 */
export function storeArchive(
  ctx: RequestContext,
  input: Pick<StoreBlobsInput, 'owner' | 'repo'> & { readonly archive: Buffer },
): Promise<{ readonly blobs: readonly Content[] }> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    async (allowed, repo) => {
      const { blobs } = await sendContents(allowed, repo, await inTurns(readArchive(input.archive)))
      return { blobs }
    },
  )
}

/** Sends the contents, in base64, ahead. What the request has stored before, `own`, is not shared with it. */
export async function sendAhead(
  ctx: AllowedContext,
  repo: RepoFacts,
  texts: readonly string[],
  own?: ReadonlySet<string>,
): Promise<Sent> {
  return sendContents(ctx, repo, await inTurns(readContents(texts)), own)
}

async function sendContents(
  ctx: AllowedContext,
  repo: RepoFacts,
  all: readonly HeldContent[],
  own: ReadonlySet<string> = new Set(),
): Promise<Sent> {
  const ahead = (await findSentAhead(ctx, repo.id, all)).filter(({ etag }) => etag !== null)
  const found = await shareContents(
    ctx.deps.db,
    ahead.filter(({ id }) => !own.has(id)),
  )
  const known = new Set([...found, ...ahead.filter(({ id }) => own.has(id))].map(contentOf))
  const fresh = [...new Map(all.map((one) => [contentOf(one), one])).values()].filter(
    (one) => !known.has(contentOf(one)),
  )
  const ids = fresh.length > 0 ? await store(ctx, repo, fresh) : []
  return { blobs: all.map(({ sha256, size }) => ({ sha256, size })), ids }
}

/**
 * Ends uploads that were sent ahead in vain, but not those that another request has found since. Without `objects` their
 * rows alone: collection deletes the bytes. A failure is only logged: collection ends them later. Lock order: accounts,
 * uploads.
 */
export async function discardSent(
  ctx: RequestContext,
  { ownerId }: RepoFacts,
  objects: ObjectStore | null,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  try {
    const gone = await ctx.deps.db.withTx(async (tx) => {
      await lockAccounts(tx, [ownerId])
      return discardUploads(tx, await lockUnshared(tx, ids))
    })
    if (objects) await removeFromStore(ctx.deps, objects, gone)
  } catch (error) {
    ctx.deps.log.warn({ err: error, requestId: ctx.requestId }, 'contents of a failed commit are left for collection')
  }
}

/**
 * The rows are there before the objects, so that no object exists without a row. Lock order: repos, accounts, uploads.
 */
async function store(ctx: AllowedContext, repo: RepoFacts, fresh: readonly HeldContent[]): Promise<readonly string[]> {
  const { db, config, events } = ctx.deps
  const objects = requireObjects(ctx.deps)
  const attempt = randomUUID()
  const group = newStorageGroup()
  const rows = fresh.map((one, index) => rowOf(repo, one, memberKey(group, index)))
  const ids = rows.map(({ id }) => id)
  // The attempt takes the place of the account, so that a row does not collide with a pending upload of the same bytes.
  const of = { repoId: repo.id, accountId: attempt, attempt, instance: events.instance }
  await db.withTx(async (tx) => {
    const kept = await keepRepo(tx, repo.id)
    if (!kept) throw notFound(`The repo ${repo.fullName}`)
    const { ownerId } = kept
    const bytes = fresh.reduce((sum, { size }) => sum + size, 0)
    await reserveStorage(tx, config, ownerId, { bytes, uploads: fresh.length, areContents: true })
    await insertUploads(tx, { ...of, ownerId }, rows)
  })
  const release = keepClaim(ctx.deps, attempt, ids)
  try {
    const put = await putAll(objects, { group, rows, fresh }, ctx.signal)
    if (!(await db.withTx((tx) => keepBlobs(tx, attempt, put))))
      throw new HubError('conflict.in_progress', 'The hub took too long to store these bytes; try again.')
    return ids
  } catch (error) {
    await discardUnlinked(ctx, objects, ids, attempt)
    throw error
  } finally {
    release()
  }
}

const rowOf = ({ id: repoId, ownerId }: RepoFacts, { sha256, size }: Content, storageKey: string): UploadRow => ({
  ...{ id: newId('upl'), repoId, ownerId, path: '', size, sha256, contentType: null, etag: null },
  ...{ storageKey, storeUploadId: CONTENT_UPLOAD, partSize: PART_SIZE_BYTES },
  ...{ state: 'completing', parts: [], leaseHeld: true },
})

interface Group {
  readonly group: string
  /** In the order of their keys. */
  readonly rows: readonly UploadRow[]
  readonly fresh: readonly HeldContent[]
}

async function putAll(
  objects: ObjectStore,
  { group, rows, fresh }: Group,
  signal: AbortSignal,
): Promise<AssembledUpload[]> {
  const bodies = fresh.map(({ bytes }) => bytes)
  const heads = objects.putTogether
    ? await objects.putTogether(group, bodies, { signal }).catch((error: unknown) => {
        throw asStoreRefusal(error)
      })
    : await putEach(objects, rows, bodies, signal)
  return Promise.all(
    rows.map(async (upload, index): Promise<AssembledUpload> => {
      const [bytes, head] = [bodies[index], heads[index]]
      if (!bytes || !head) throw new Error('Each upload has its bytes and its object.')
      return { upload, etag: head.etag, sha256: upload.sha256, mime: await sniffMime(bytes) }
    }),
  )
}

async function putEach(
  objects: ObjectStore,
  rows: readonly UploadRow[],
  bodies: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<ObjectHead[]> {
  const outcomes = await settleBounded(rows, STORE_CONCURRENCY, ({ storageKey, size }, index) =>
    objects.put(storageKey, bodies[index] ?? new Uint8Array(0), { sizeBytes: size, signal }),
  )
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw asStoreRefusal(outcome.reason)
    return outcome.value
  })
}
