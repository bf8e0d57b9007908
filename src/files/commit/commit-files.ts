/** commitFiles (contract, "Commits of many files"): many changes of a repo's files as one, all or none of them. */
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import { inTurns } from '../../platform/slices.ts'
import { currentCommitOf, type RepoFacts } from '../../repos/get-repo.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { requireObjects } from '../../store/objects/required.ts'
import type { Content } from '../blobs/blob-rows.ts'
import { discardSent, sendAhead } from '../blobs/store-blobs.ts'
import { MAX_COPIED_STATES } from '../limits.ts'
import type { CommitAdded, CommitFilesInput } from '../schemas.ts'
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
import { assertRunOfCommit } from './run-of-commit.ts'
import { sizesOf } from './sizes.ts'
import { repeatedly, withSources } from './with-sources.ts'

/** No bytes have this size. */
const UNKNOWN_SIZE = -1

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
  // Not in the guard: a retry gets its stored answer also where the run was deleted meanwhile.
  if (input.runId != null) await assertRunOfCommit(ctx, repo, input.runId)
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

function commitOnce(ctx: AllowedContext, objects: ObjectStore, request: CommitRequest): Promise<Committed> {
  const { repo, added } = request
  const locOf = (index: number) => ['add', index, 'sha256']
  return withSources(ctx, objects, { repo, added, locOf }, async ({ attempt, uploads, blobs }) => {
    const brought = await broughtByCommit(ctx, objects, request, blobs)
    const work = { ...request, attempt, blobs, ...brought, uploads }
    return commitVerb(ctx, (tx) => applyCommit(ctx, tx, work))
  })
}

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
    if (named) return { path, ...agreed(named, { sha256, size }, index) }
    if (sha256 != null) return { path, sha256, size: size ?? sizes.get(sha256) ?? UNKNOWN_SIZE }
    throw invalid('validation.required', 'A file needs its content, or the digest of bytes that were sent.', [
      'add',
      index,
      'sha256',
    ])
  })
}

/** The content of a request itself. 422 if a digest or size that is given beside it is of other bytes. */
function agreed(
  content: Content,
  { sha256, size }: Pick<CommitAdded, 'sha256' | 'size'>,
  index: number,
): Pick<Content, 'sha256' | 'size'> {
  if (sha256 != null && sha256 !== content.sha256)
    throw invalid('upload.sha256_mismatch', `The content has the digest ${content.sha256}.`, ['add', index, 'sha256'])
  if (size != null && size !== content.size)
    throw invalid('upload.size_mismatch', `The content has ${content.size} bytes.`, ['add', index, 'size'])
  return content
}

async function copiesOf(ctx: AllowedContext, repo: RepoFacts, { copy }: CommitFilesInput): Promise<Copied[]> {
  const names = [...new Set((copy ?? []).flatMap(({ at }) => at ?? []))]
  if (names.length > MAX_COPIED_STATES)
    throw invalid('validation.value', `A commit copies from at most ${MAX_COPIED_STATES} versions.`, ['copy'])
  const seqs = new Map<string, number>()
  for (const name of names) seqs.set(name, (await findState(ctx, repo, name, ['copy'])).seq)
  return (copy ?? []).map(({ path, from, at }) => ({ path, from, seq: at == null ? null : (seqs.get(at) ?? null) }))
}
