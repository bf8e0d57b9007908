/** commitFiles (contract, "Commits of many files"): many changes of a repo's files as one, all or none of them. */
import { randomUUID } from 'node:crypto'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { inTurns } from '../../platform/slices.ts'
import { currentCommitOf, type RepoFacts } from '../../repos/get-repo.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { requireObjects } from '../../store/objects/required.ts'
import type { AssembledUpload } from '../assemble-upload.ts'
import type { Content } from '../blobs/blob-rows.ts'
import { discardSent, sendAhead } from '../blobs/store-blobs.ts'
import { claimUploads, keepClaim } from '../claim-uploads.ts'
import { assembleClaimed } from '../complete-claimed.ts'
import { MAX_COPIED_STATES } from '../limits.ts'
import { GoneBytes } from '../link-blobs.ts'
import { contentOf } from '../readable-blobs.ts'
import type { CommitFilesInput } from '../schemas.ts'
import type { UploadRow } from '../upload-sql.ts'
import { findState } from '../versions/states.ts'
import { applyCommit } from './apply-commit.ts'
import { broughtByCommit } from './commit-info.ts'
import {
  type Added,
  assertParent,
  type CommitRequest,
  type Committed,
  type Copied,
  checkOperations,
  mayCommit,
  targetsOf,
} from './commit-input.ts'
import { sizesOf } from './sizes.ts'
import { findSources, readableBlobs, type SourceBlob, type Sources } from './sources.ts'

/** No bytes have this size. */
const UNKNOWN_SIZE = -1

/** Bytes that are collected between the search and the commit are searched again. */
const MAX_ATTEMPTS = 3

/** So are uploads that another commit has taken: each time one was made, of as many as bring the same bytes at once. */
const MAX_TAKEN = 32

/**
 * Deletes, adds and copies files in one transaction and as one change. Deletions come first, so a path may be freed and
 * taken. Paths that get the bytes that they have are left as they are; a commit that changes nothing makes no change.
 * Errors: 401, 403, 404 the repo, a deleted path or a copied file, 409 `conflict.path`, `conflict.in_progress`, 412
 * `precondition.failed` if the repo is not at `parentCommit`, 413 `quota.storage` and `too_large`, 422 (also
 * `upload.part_missing` for bytes that were not sent), 429 `quota.uploads`, 503.
 */
export function commitFiles(ctx: RequestContext, input: CommitFilesInput): Promise<Committed> {
  return guarded(
    ctx,
    () => mayCommit(ctx, input),
    (allowed, repo) => commit(allowed, repo, input),
  )
}

async function commit(ctx: AllowedContext, repo: RepoFacts, input: CommitFilesInput): Promise<Committed> {
  const objects = requireObjects(ctx.deps)
  const targets = targetsOf(input)
  await inTurns(checkOperations(input, targets))
  if (input.parentCommit != null)
    assertParent(repo, (await currentCommitOf(ctx.deps.db, repo.id)) ?? '', input.parentCommit)
  const copies = await copiesOf(ctx, repo, input)
  const inline = (input.add ?? []).flatMap(({ content }) => content ?? [])
  const sent = inline.length > 0 ? await sendAhead(ctx, repo, inline) : { blobs: [], ids: [] }
  try {
    const added = await addedOf(ctx, repo, input, sent.blobs)
    return await repeatedly(() => commitOnce(ctx, objects, { repo, input, targets, added, copies }))
  } catch (error) {
    // What the request itself held would else keep its room in the quota until it is collected.
    await discardSent(ctx, repo, objects, sent.ids)
    throw error
  }
}

/** Uploads that another commit has ended since they were found: the repo has their bytes by now. */
class TakenUploads extends Error {
  override readonly cause: HubError

  constructor(cause: HubError) {
    super(cause.message)
    this.cause = cause
  }
}

/** Runs `work` again while bytes that it found are being collected, or uploads taken. */
export async function repeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isTaken = error instanceof TakenUploads
      if (!isTaken && !(error instanceof GoneBytes)) throw error
      if (attempt < (isTaken ? MAX_TAKEN : MAX_ATTEMPTS)) continue
      if (isTaken) throw error.cause
      throw new HubError('conflict.in_progress', 'The bytes of these files are being deleted; try again.')
    }
  }
}

async function commitOnce(ctx: AllowedContext, objects: ObjectStore, request: CommitRequest): Promise<Committed> {
  const sources = await findSources(ctx, objects, request.repo, request.added)
  const readable = await readableBlobs(ctx, objects, sources.readable)
  return withUploads(ctx, objects, request, sources, async (attempt, assembled) => {
    const sent = assembled.map((one): [string, SourceBlob] => [contentOf(one.upload), toSource(one)])
    const blobs = new Map([...readable, ...sent])
    const brought = await broughtByCommit(ctx, objects, request, blobs)
    const work = { ...request, attempt, blobs, ...brought, uploads: sources.uploads }
    return commitVerb(ctx, (tx) => applyCommit(ctx, tx, work))
  })
}

/** Claims the uploads and assembles those that are not checked; releases all of them if `work` fails. */
async function withUploads<T>(
  ctx: AllowedContext,
  objects: ObjectStore,
  { repo, added }: CommitRequest,
  { uploads, named }: Sources,
  work: (attempt: string, assembled: readonly AssembledUpload[]) => Promise<T>,
): Promise<T> {
  const attempt = randomUUID()
  if (uploads.length === 0) return work(attempt, [])
  const rows = await claimUploads(ctx.deps, { repoId: repo.id, attempt, named }, ctx.signal).catch((error: unknown) => {
    throw error instanceof HubError && error.type === 'conflict.terminal' ? new TakenUploads(error) : error
  })
  const ids = rows.map(({ id }) => id)
  const release = keepClaim(ctx.deps, attempt, ids)
  try {
    return await assembleClaimed(ctx, { objects, attempt, rows, named }, (assembled) => work(attempt, assembled))
  } catch (error) {
    throw placed(error, rows, added)
  } finally {
    release()
  }
}

/** Faults of uploads, at the files that name them. */
function placed(error: unknown, rows: readonly UploadRow[], added: readonly Added[]): unknown {
  if (!(error instanceof HubError)) return error
  const items = error.items.map((item) => {
    const row = item.loc?.[0] === 'uploads' ? rows[Number(item.loc[1])] : undefined
    if (!row) return item
    return { ...item, loc: ['add', added.findIndex((one) => contentOf(one) === contentOf(row)), 'sha256'] }
  })
  return error.reworded(error.message, items)
}

const toSource = ({ upload, etag, sha256, mime }: AssembledUpload): SourceBlob => ({
  blob: { storageKey: upload.storageKey, size: upload.size, etag, claimed: upload.sha256, sha256, onlyIfStored: false },
  mime,
})

/** The files to add, each by its digest; `inline` are the contents of the request, which were sent ahead. */
async function addedOf(
  ctx: AllowedContext,
  repo: RepoFacts,
  { add }: CommitFilesInput,
  inline: readonly Content[],
): Promise<Added[]> {
  const given = add ?? []
  const sent = inline.values()
  const sizes = await sizesOf(
    ctx.deps.db,
    repo.id,
    given.flatMap(({ sha256, size }) => (size == null ? (sha256 ?? []) : [])),
  )
  return given.map(({ path, sha256, size, content }, index) => {
    const named = content == null ? null : sent.next().value
    if (named) return { path, ...named }
    if (sha256 != null) return { path, sha256, size: size ?? sizes.get(sha256) ?? UNKNOWN_SIZE }
    throw invalid('validation.required', 'A file needs its content, or the digest of bytes that were sent.', [
      'add',
      index,
      'sha256',
    ])
  })
}

async function copiesOf(ctx: AllowedContext, repo: RepoFacts, { copy }: CommitFilesInput): Promise<Copied[]> {
  const names = [...new Set((copy ?? []).flatMap(({ at }) => at ?? []))]
  if (names.length > MAX_COPIED_STATES)
    throw invalid('validation.value', `A commit copies from at most ${MAX_COPIED_STATES} versions.`, ['copy'])
  const seqs = new Map<string, number>()
  for (const name of names) seqs.set(name, (await findState(ctx, repo, name, ['copy'])).seq)
  return (copy ?? []).map(({ path, from, at }) => ({ path, from, seq: at == null ? null : (seqs.get(at) ?? null) }))
}
