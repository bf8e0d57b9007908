/** Uploads that a completion has claimed: assembled in the store, then linked in one transaction, or released. */
import { commitVerb } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import type { RepoFacts } from '../repos/get-repo.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { asStoreRefusal } from '../store/objects/required.ts'
import { type AssembledUpload, assembleUpload, checkAssembled, RejectedBytes } from './assemble-upload.ts'
import { settleFailure } from './claim-uploads.ts'
import type { RepoFileEntry } from './file-entry.ts'
import { HASH_CONCURRENCY, STORE_CONCURRENCY } from './limits.ts'
import { linkFiles } from './link-files.ts'
import { settleBounded } from './objects.ts'
import type { LocOfPath } from './path-clashes.ts'
import { broughtByUploads } from './read-brought.ts'
import { recordParts, type ToAssemble, takenOver } from './record-parts.ts'
import type { CompletedUpload } from './schemas.ts'
import type { UploadRow } from './upload-sql.ts'
import type { ChangeMessage } from './versions/record-change.ts'

export interface Completion extends ChangeMessage {
  readonly repo: RepoFacts
  readonly objects: ObjectStore
  readonly attempt: string
  readonly rows: readonly UploadRow[]
  readonly named: readonly CompletedUpload[]
  readonly locOf: LocOfPath
}

/** Links all claimed uploads, or releases all of them. */
export function assembleAndLink(ctx: AllowedContext, completion: Completion): Promise<{ files: RepoFileEntry[] }> {
  const { repo, objects, attempt, named, locOf, message } = completion
  return assembleClaimed(ctx, completion, async (assembled) => {
    const brought = await broughtByUploads(ctx, objects, repo.kind, assembled)
    return commitVerb(ctx, (tx) => linkFiles(ctx, tx, { repo, attempt, named, assembled, ...brought, locOf, message }))
  })
}

/** Uploads that an attempt has claimed, and what the request names of each. */
export type Claimed = Pick<Completion, 'objects' | 'attempt' | 'rows' | 'named'>

/** Assembles all claimed uploads and has `work` take them; if one or `work` fails, releases all of them. */
export async function assembleClaimed<T>(
  ctx: AllowedContext,
  { objects, attempt, rows, named }: Claimed,
  work: (assembled: readonly AssembledUpload[]) => Promise<T>,
): Promise<T> {
  const outcomes = await assembleAll(ctx, objects, attempt, { rows, named })
  const assembled = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (assembled.length < rows.length) {
    const lost = await settle({ ctx, objects, attempt, rows, outcomes })
    // Another completion changed the store, so these failures are not faults of this request's bytes.
    throw lost ? takenOver(lost) : firstFailure(outcomes)
  }
  try {
    return await work(assembled)
  } catch (error) {
    await settle({ ctx, objects, attempt, rows, outcomes })
    throw error
  }
}

type Outcome = PromiseSettledResult<AssembledUpload>

async function assembleAll(
  ctx: RequestContext,
  objects: ObjectStore,
  attempt: string,
  { rows, named }: { rows: readonly UploadRow[]; named: readonly CompletedUpload[] },
): Promise<Outcome[]> {
  const tools = { db: ctx.deps.db, objects, signal: ctx.signal, attempt }
  const files = named.map((upload, index): ToAssemble => {
    const row = rows[index]
    if (!row) throw new Error('A claimed upload has no row.')
    return { upload: row, named: upload, loc: ['uploads', index] }
  })
  const recorded = await recordParts(tools, files)
  // All of them before the first is hashed: a disk then flushes a folder for many files at once.
  const heads = await settleBounded(files, STORE_CONCURRENCY, async (file, index) =>
    assembleUpload(tools, file, resultOf(recorded[index])),
  )
  return settleBounded(files, HASH_CONCURRENCY, async (file, index) =>
    checkAssembled(tools, file, resultOf(heads[index])),
  )
}

/** What an earlier step made of a file; throws why it failed. */
function resultOf<T>(outcome: PromiseSettledResult<T> | undefined): T {
  if (outcome?.status === 'fulfilled') return outcome.value
  throw outcome?.reason
}

/**
 * Releases the uploads. Returns one that another completion has taken over. A failure here is only logged: the lease
 * then expires, and the client gets the original error.
 */
async function settle({
  ctx,
  objects,
  attempt,
  rows,
  outcomes,
}: {
  readonly ctx: RequestContext
  readonly objects: ObjectStore
  readonly attempt: string
  readonly rows: readonly UploadRow[]
  readonly outcomes: readonly Outcome[]
}): Promise<UploadRow | null> {
  const where = (holds: (outcome: Outcome | undefined) => boolean) => rows.filter((_, index) => holds(outcomes[index]))
  const isRejected = (outcome?: Outcome) => outcome?.status === 'rejected' && outcome.reason instanceof RejectedBytes
  const isWhole = (outcome?: Outcome) => outcome?.status === 'fulfilled'
  const ids = (found: readonly UploadRow[]) => found.map((row) => row.id)
  const failure = {
    attempt,
    rejectedIds: ids(where(isRejected)),
    assembledIds: ids(where(isWhole)),
    otherIds: ids(where((outcome) => !isWhole(outcome) && !isRejected(outcome))),
  }
  try {
    const { rejected, lostIds } = await ctx.deps.db.withTx((tx) => settleFailure(tx, failure))
    // Their rows are marked doomed, so that collection deletes the objects if this call does not.
    if (rejected.length > 0) await objects.delete(rejected.map((upload) => upload.storageKey))
    return rows.find(({ id }) => lostIds.includes(id)) ?? null
  } catch (error) {
    ctx.deps.log.warn(
      { err: error, requestId: ctx.requestId, uploads: ids(rows) },
      'uploads of a failed completion could not be released',
    )
    return null
  }
}

/** One error that lists the faults of every file; other failures (the store, the database) take precedence. */
function firstFailure(outcomes: readonly Outcome[]): unknown {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [asStoreRefusal(outcome.reason)] : []))
  const refusals = reasons.filter((reason) => reason instanceof HubError)
  const [first] = refusals
  if (!first || refusals.length < reasons.length)
    return reasons.find((reason) => !(reason instanceof HubError)) ?? first
  const items = refusals.flatMap((refusal) => refusal.items)
  return first.reworded(first.message, items)
}
