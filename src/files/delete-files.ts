/** deleteFiles (spec, "POST …/files/delete"): unlinks rows; unreferenced bytes are collected later. */

import { assertNotJob } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { assertDistinct } from './duplicates.ts'
import { liveFiles } from './preconditions.ts'
import type { DeleteFilesInput } from './schemas.ts'
import { keptBytes, settleKept } from './versions/kept-bytes.ts'
import { closeFiles, recordChange } from './versions/record-change.ts'

export interface DeletedPaths {
  readonly deleted: readonly string[]
  readonly missing: readonly string[]
}

export const unstore = statement({
  name: 'accounts-unstore',
  params: { id: param.text(), bytes: param.int8() },
  text: 'update accounts set storage_bytes = storage_bytes - :bytes::bigint where id = :id',
})

/**
 * Unlinks existing files and lists missing ones, in the order requested. Errors: 401, 403 (also every key of a hosted
 * job), 404, 422. Seven statements, two more if the repo has snapshots; three if no file exists.
 */
export function deleteFiles(ctx: RequestContext, input: DeleteFilesInput): Promise<DeletedPaths> {
  return guarded(
    ctx,
    () => mayDelete(ctx, input),
    async (allowed, repo) => {
      assertDistinct(input.paths, 'path', (index) => ['paths', index])
      return commitVerb(allowed, (tx) => unlink(allowed, tx, repo, input))
    },
  )
}

async function mayDelete(ctx: RequestContext, input: DeleteFilesInput): Promise<RepoFacts> {
  const repo = await findRepoToWrite(ctx, input)
  assertNotJob(ctx.viewer, 'delete files')
  return repo
}

async function unlink(
  ctx: RequestContext,
  tx: Tx,
  facts: { readonly id: string; readonly fullName: string },
  { paths, message }: DeleteFilesInput,
): Promise<DeletedPaths> {
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  const live = await tx.query(liveFiles, { repoId: repo.id, paths })
  const found = new Set(live.map((file) => file.path))
  const result = { deleted: paths.filter((path) => found.has(path)), missing: paths.filter((path) => !found.has(path)) }
  if (live.length === 0) return result
  const bytes = live.reduce((sum, file) => sum + file.size, 0)
  const verified = live.filter((file) => file.sha256 !== null).length
  const seq = repo.seq + 1
  const kept = await keptBytes(tx, repo, result.deleted)
  await tx.query(unstore, { id: repo.ownerId, bytes })
  await tx.query(closeFiles, { repoId: repo.id, seq, paths })
  const none = { added: 0, changed: 0, bytesAdded: 0 }
  const gone = { removed: live.length, bytesRemoved: bytes, verified: -verified }
  await recordChange({ tx, ctx, repoId: repo.id, seq, action: 'delete', message, counts: { ...none, ...gone } })
  await settleKept(tx, repo, result.deleted, kept)
  await audit(tx, ctx, {
    action: 'files.delete',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: { files: live.map(({ path, size, sha256 }) => ({ path, size, sha256 })) },
    after: { seq },
  })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return result
}
