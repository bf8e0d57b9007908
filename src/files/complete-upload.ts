/** completeUpload (spec, "POST …/files/complete"; contract, "Uploads" and "Uploads"). */
import { randomUUID } from 'node:crypto'
import { guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { findRepoToWrite, type RepoFacts } from '../repos/get-repo.ts'
import { requireObjects } from '../store/objects/required.ts'
import { claimUploads, keepClaim } from './claim-uploads.ts'
import { assembleAndLink } from './complete-claimed.ts'
import { assertDistinct } from './duplicates.ts'
import type { RepoFileEntry } from './file-entry.ts'
import { assertLive } from './live-files.ts'
import { assertNoClashWithin } from './path-clashes.ts'
import { assertPreconditions, isConditional, liveFiles } from './preconditions.ts'
import type { CompleteUploadInput } from './schemas.ts'

/**
 * Assembles the uploads in the store, checks size, ETags and (up to one part) the digest of each, and links all files
 * in one transaction. If one file fails, nothing is linked and the others stay completable. After a crash at any point
 * the same request can be repeated at once, and after a cut between hub and database when the lease of the first
 * request has expired. Errors: 401, 403, 404, 409 `conflict.terminal`, `conflict.in_progress`, `conflict.unverified`,
 * `conflict.path`, 412, 422 `upload.*`, 503.
 */
export function completeUpload(ctx: RequestContext, input: CompleteUploadInput): Promise<{ files: RepoFileEntry[] }> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => complete(allowed, repo, input),
    ({ files }, repo) => assertLive(ctx, repo, files),
  )
}

async function complete(
  ctx: AllowedContext,
  repo: RepoFacts,
  input: CompleteUploadInput,
): Promise<{ files: RepoFileEntry[] }> {
  const objects = requireObjects(ctx.deps)
  const named = input.uploads
  assertDistinct(
    named.map((upload) => upload.uploadId),
    'upload',
    (index) => ['uploads', index, 'uploadId'],
  )
  const paths = named.map((upload) => upload.path)
  assertDistinct(paths, 'path', (index) => ['uploads', index, 'path'])
  const locOf = (path: string) => ['uploads', paths.indexOf(path), 'path']
  assertNoClashWithin(paths, locOf)
  if (isConditional(named)) {
    assertPreconditions(named, await ctx.deps.db.query(liveFiles, { repoId: repo.id, paths }))
  }
  const attempt = randomUUID()
  const rows = await claimUploads(ctx.deps, { repoId: repo.id, attempt, named }, ctx.signal)
  const release = keepClaim(
    ctx.deps,
    attempt,
    rows.map((row) => row.id),
  )
  try {
    return await assembleAndLink(ctx, { repo, objects, attempt, rows, named, locOf, message: input.message })
  } finally {
    release()
  }
}
