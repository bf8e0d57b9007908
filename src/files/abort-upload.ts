/** abortUpload (contract, "Uploads": `DELETE …/files/uploads/{upload_id}`). */

import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, Deps, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { findRepoToWrite, type RepoFacts } from '../repos/get-repo.ts'
import type { Querier } from '../store/db.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { STORE_CONCURRENCY } from './limits.ts'
import { settleBounded } from './objects.ts'
import type { AbortUploadInput } from './schemas.ts'
import { type DiscardedUpload, discardUploads, type UploadRow, uploadColumns } from './upload-sql.ts'
import { uploadRefusal } from './upload-state.ts'

const uploadOfRepo = statement({
  name: 'upload-of-repo',
  exact: 'in-transaction',
  columns: uploadColumns,
  params: { id: param.text(), repoId: param.text() },
  text: `select ${uploadColumns.sql} from uploads where id = :id and repo_id = :repoId`,
})

/**
 * Aborts a pending upload and releases its reservation. Errors: 401, 403, 404, 409 if it is completed, aborted or being
 * completed, 503.
 */
export function abortUpload(ctx: RequestContext, input: AbortUploadInput): Promise<{ uploadId: string }> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    (allowed, repo) => abort(allowed, repo, input),
  )
}

async function abort(ctx: AllowedContext, repo: RepoFacts, input: AbortUploadInput): Promise<{ uploadId: string }> {
  const objects = requireObjects(ctx.deps)
  let gone: readonly DiscardedUpload[] = []
  const result = await commitVerb(ctx, async (tx) => {
    const [row] = await tx.query(uploadOfRepo, { id: input.uploadId, repoId: repo.id })
    if (!row) throw notFound(`The upload ${JSON.stringify(input.uploadId)}`)
    gone = await discardUploads(tx, [row.id])
    if (gone.length === 0) throw await whyNot(tx, row)
    return { uploadId: row.id }
  })
  await removeFromStore(ctx.deps, objects, gone)
  return result
}

async function whyNot(tx: Querier, row: UploadRow): Promise<HubError> {
  const [now] = await tx.query(uploadOfRepo, { id: row.id, repoId: row.repoId })
  const refusal = uploadRefusal('abort', now?.state ?? row.state, now?.leaseHeld ?? row.leaseHeld)
  if (refusal === 'conflict.terminal') return new HubError(refusal, `The upload is already ${now?.state ?? row.state}.`)
  return new HubError('conflict.in_progress', 'The upload is being completed by another request.')
}

/** Removes discarded uploads from the store, after the commit. Collection retries what fails here. */
export async function removeFromStore(
  deps: Pick<Deps, 'log'>,
  objects: ObjectStore,
  uploads: readonly DiscardedUpload[],
): Promise<void> {
  const outcomes = await settleBounded(uploads, STORE_CONCURRENCY, async (upload) => {
    await objects.abortUpload(upload.storageKey, upload.storeUploadId)
    if (upload.assembled) await objects.delete([upload.storageKey])
  })
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      deps.log.warn(
        { err: outcome.reason },
        'an aborted upload could not be removed from the store; collection will remove it',
      )
  }
}
