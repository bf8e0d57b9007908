/** Runs work on bytes that were sent ahead: their uploads are claimed and assembled for it, or released. */
import { randomUUID } from 'node:crypto'
import type { AllowedContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { type AssembledUpload, checkedBefore } from '../assemble-upload.ts'
import { claimUploads, keepClaim } from '../claim-uploads.ts'
import { assembleClaimed } from '../complete-claimed.ts'
import { GoneBytes } from '../link-blobs.ts'
import { GoneUploads } from '../link-files.ts'
import { contentOf } from '../readable-blobs.ts'
import type { UploadRow } from '../upload-sql.ts'
import { findSources, isChecked, readableBlobs, type SourceBlob, type Sources, type Wanted } from './sources.ts'

/** Bytes that are collected between the search and the commit are searched again. */
const MAX_ATTEMPTS = 3

/** So are uploads that another commit has taken: each time one was made, of as many as bring the same bytes at once. */
const MAX_TAKEN = 32

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

/** What the work gets. */
export interface Ready {
  /** Fences the uploads; null where all are checked and none is claimed. */
  readonly attempt: string | null
  readonly uploads: readonly UploadRow[]
  /** The bytes to link, by content. */
  readonly blobs: ReadonlyMap<string, SourceBlob>
}

/**
 * Finds the bytes and runs `work` once they are whole and checked; releases the uploads if it fails. Errors: 409
 * `conflict.in_progress`, 422 `upload.*` at the place of the content.
 */
export async function withSources<T>(
  ctx: AllowedContext,
  objects: ObjectStore,
  wanted: Wanted,
  work: (ready: Ready) => Promise<T>,
): Promise<T> {
  const sources = await findSources(ctx, objects, wanted)
  const readable = await readableBlobs(ctx, objects, sources.readable)
  return withUploads(ctx, objects, wanted, sources, (attempt, assembled) => {
    const sent = assembled.map((one): [string, SourceBlob] => [contentOf(one.upload), toSource(one)])
    return work({ attempt, uploads: sources.uploads, blobs: new Map([...readable, ...sent]) })
  })
}

/**
 * Claims the uploads and assembles those that are not checked; releases all of them if `work` fails. Where all are
 * checked there is nothing to claim them for: whether they are still there is seen when they end.
 */
async function withUploads<T>(
  ctx: AllowedContext,
  objects: ObjectStore,
  wanted: Wanted,
  { uploads, named }: Sources,
  work: (attempt: string | null, assembled: readonly AssembledUpload[]) => Promise<T>,
): Promise<T> {
  if (uploads.every(isChecked)) {
    const checked = uploads.map((upload) => checkedBefore(upload, upload.etag ?? ''))
    return work(null, checked).catch((error: unknown) => {
      throw error instanceof GoneUploads ? new TakenUploads(takenMeanwhile()) : error
    })
  }
  const attempt = randomUUID()
  const claims = { repoId: wanted.repo.id, attempt, named }
  const rows = await claimUploads(ctx.deps, claims, ctx.signal).catch((error: unknown) => {
    throw error instanceof HubError && error.type === 'conflict.terminal' ? new TakenUploads(error) : error
  })
  const ids = rows.map(({ id }) => id)
  const release = keepClaim(ctx.deps, attempt, ids)
  try {
    return await assembleClaimed(ctx, { objects, attempt, rows, named }, (assembled) => work(attempt, assembled))
  } catch (error) {
    throw placed(error, rows, wanted)
  } finally {
    release()
  }
}

const takenMeanwhile = () =>
  new HubError(
    'conflict.in_progress',
    'Other requests keep taking the bytes that were sent for these files; try again.',
  )

/** Faults of uploads, at the places that name them. */
function placed(error: unknown, rows: readonly UploadRow[], { added, locOf }: Wanted): unknown {
  if (!(error instanceof HubError)) return error
  const items = error.items.map((item) => {
    const row = item.loc?.[0] === 'uploads' ? rows[Number(item.loc[1])] : undefined
    if (!row) return item
    return { ...item, loc: locOf(added.findIndex((one) => contentOf(one) === contentOf(row))) }
  })
  return error.reworded(error.message, items)
}

const toSource = ({ upload, etag, sha256, mime }: AssembledUpload): SourceBlob => ({
  blob: { storageKey: upload.storageKey, size: upload.size, etag, claimed: upload.sha256, sha256, onlyIfStored: false },
  mime,
})
