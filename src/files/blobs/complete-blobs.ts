/** completeBlobs (contract, "Commits of many files"): bytes that were sent ahead are assembled and checked. */
import { randomUUID } from 'node:crypto'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { findRepoToWrite, type RepoFacts } from '../../repos/get-repo.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { claimUploads, keepClaim } from '../claim-uploads.ts'
import { assembleClaimed } from '../complete-claimed.ts'
import { assertDistinct } from '../duplicates.ts'
import { takenOver } from '../record-parts.ts'
import type { CompleteBlobsInput } from '../schemas.ts'
import { type Content, keepBlobs } from './blob-rows.ts'

/**
 * Assembles the uploads in the store and compares size, ETags and, up to one part, the digest of each: all or none. A
 * commit can do without this call; then it does the same. Errors: 401, 403, 404, 409 `conflict.terminal` and
 * `conflict.in_progress`, 422 `upload.*`, 503.
 */
export function completeBlobs(
  ctx: RequestContext,
  input: CompleteBlobsInput,
): Promise<{ readonly blobs: readonly Content[] }> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => complete(allowed, repo, input),
  )
}

async function complete(ctx: AllowedContext, repo: RepoFacts, { uploads }: CompleteBlobsInput) {
  const objects = requireObjects(ctx.deps)
  assertDistinct(
    uploads.map(({ uploadId }) => uploadId),
    'upload',
    (index) => ['uploads', index, 'uploadId'],
  )
  const named = uploads.map((upload) => ({ ...upload, path: '' }))
  const attempt = randomUUID()
  const rows = await claimUploads(ctx.deps, { repoId: repo.id, attempt, named }, ctx.signal)
  const ids = rows.map(({ id }) => id)
  const release = keepClaim(ctx.deps, attempt, ids)
  try {
    return await assembleClaimed(ctx, { objects, attempt, rows, named }, (checked) =>
      commitVerb(ctx, async (tx) => {
        const [first] = rows
        if (first && !(await keepBlobs(tx, attempt, checked))) throw takenOver(first)
        return { blobs: rows.map(({ sha256, size }) => ({ sha256, size })) }
      }),
    )
  } finally {
    release()
  }
}
