/** presignBlobs (contract, "Commits of many files"): uploads of bytes that a later commit gives their paths. */

import { requireCredential } from '../../auth/policy.ts'
import { guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { findRepoToWrite, type RepoFacts } from '../../repos/get-repo.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { assertDistinct } from '../duplicates.ts'
import type { UploadTicket } from '../part-urls.ts'
import { assertKept, assertSizes, openOrResume } from '../presign-upload.ts'
import { contentOf, findReadable } from '../readable-blobs.ts'
import type { PresignBlob, PresignBlobsInput } from '../schemas.ts'
import { findSentAhead } from './blob-rows.ts'

export interface PresignedBlob {
  readonly sha256: string
  readonly size: number
  /** Null if the bytes need not be sent: a commit by this caller may name them. */
  readonly upload: UploadTicket | null
}

export interface PresignedBlobs {
  readonly blobs: readonly PresignedBlob[]
}

/**
 * Opens an upload for each content that has to be sent, or finds the pending one. Bytes that were sent to this repo
 * ahead, and bytes in a file that the caller can read, need no upload; other bytes of the hub are asked for like new
 * ones. Errors: those of `presignUpload`, without those of paths.
 */
export function presignBlobs(ctx: RequestContext, input: PresignBlobsInput): Promise<PresignedBlobs> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => open(allowed, repo, input.blobs),
    ({ blobs }, repo) =>
      assertKept(
        ctx,
        repo,
        blobs.flatMap(({ upload }) => upload ?? []),
      ),
  )
}

async function open(ctx: AllowedContext, repo: RepoFacts, blobs: readonly PresignBlob[]): Promise<PresignedBlobs> {
  const { account } = requireCredential(ctx.viewer)
  const objects = requireObjects(ctx.deps)
  assertDistinct(blobs.map(contentOf), 'content', (index) => ['blobs', index, 'sha256'])
  const files = blobs.map((blob) => ({ ...blob, path: '' }))
  assertSizes(files, 'blobs')
  const readable = await findReadable(ctx, repo.id, blobs)
  const ahead = (await findSentAhead(ctx, repo.id, blobs)).filter(({ etag }) => etag !== null)
  const known = new Set([...readable.keys(), ...ahead.map(contentOf)])
  const request = { repo, accountId: account.id, files: files.filter((file) => !known.has(contentOf(file))) }
  return openOrResume(ctx, objects, request, (byKey) => ({
    blobs: blobs.map(({ sha256, size }) => ({ sha256, size, upload: byKey.get(contentOf({ sha256, size })) ?? null })),
  }))
}
