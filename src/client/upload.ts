/** Sends files: presigns a batch, sends its parts, returns the ETags. */
import { batchesOf } from './batches.ts'
import { BATCH, type HubClient, type RepoName } from './hub-client.ts'
import { failureLine, ProblemError, refusedIndexes, TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import type { Outgoing } from './push-plan.ts'
import { type RetryPolicy, withRetry } from './retry.ts'
import { sendPart } from './send-part.ts'
import type { PresignFile, UploadTarget } from './shapes.ts'
import type { TransferState } from './state.ts'
import { assertUnchanged } from './walk.ts'

/** Maximum signed URLs per presign request: 2,000 parts are 200 GB and about a megabyte of JSON. */
const PARTS_PER_BATCH = 2000
const PART_GUESS_BYTES = 104_857_600

/** A URL this close to expiry is renewed before use. */
const EXPIRY_MARGIN_MS = 60_000

export interface Upload {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  readonly progress: Progress
  /** Limits concurrent parts across the whole push. */
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
  failed(local: Outgoing, why: string, error: unknown): void
}

/** A target with the expiry of its URLs; shared by the parts of a file, so that one renewal serves them all. */
interface LiveTarget {
  target: UploadTarget
  expiresMs: number
  renewal: Promise<void> | null
}

/** Splits files into batches small enough for one presign request. */
export function presignBatches(files: readonly Outgoing[]): Generator<Outgoing[]> {
  return batchesOf(files, BATCH, PARTS_PER_BATCH, (file) => Math.ceil(file.size / PART_GUESS_BYTES) || 1)
}

/** Upload targets of a batch. Rejected files are reported and left out; the rest is requested again. */
export async function presign(upload: Upload, batch: readonly Outgoing[]): Promise<Array<[Outgoing, LiveTarget]>> {
  if (batch.length === 0) return []
  try {
    const answer = await upload.client.presignUpload(upload.repo, batch.map(presignInput))
    const byPath = new Map(answer.uploads.map((target) => [target.path, target]))
    const found: Array<[Outgoing, LiveTarget]> = []
    for (const local of batch) {
      const target = byPath.get(local.path)
      if (target) found.push([local, { target, expiresMs: Date.parse(answer.expires_at), renewal: null }])
      else upload.failed(local, 'the hub returned no upload target for it', null)
    }
    return found
  } catch (error) {
    if (!(error instanceof ProblemError) || ![413, 422].includes(error.status)) throw error
    const refused = refusedIndexes(error, 'files', batch.length)
    for (const [index, local] of batch.entries()) {
      if (refused.size === 0 || refused.has(index))
        upload.failed(local, refused.get(index) ?? failureLine(error), error)
    }
    return refused.size === 0
      ? []
      : presign(
          upload,
          batch.filter((_, index) => !refused.has(index)),
        )
  }
}

function presignInput(local: Outgoing): PresignFile {
  return { path: local.path, size: local.size, sha256: local.sha256 }
}

/** Sends the missing parts of one file. Returns the ETags of all its parts, in order. */
export async function sendFile(upload: Upload, local: Outgoing, live: LiveTarget) {
  const stored = new Set(live.target.uploaded)
  const stopped = new AbortController()
  const parts = live.target.parts.map(({ part_number: number }) =>
    upload.slot(async () => {
      stopped.signal.throwIfAborted()
      const known = stored.has(number) ? upload.state.partEtag(live.target.upload_id, number) : null
      if (known !== null) {
        const { start, end } = partRange(local, live.target, number)
        upload.progress.bytes(end - start)
        return { part_number: number, etag: known }
      }
      await assertUnchanged(local)
      const etag = await sendOne(upload, local, live, number)
      upload.state.rememberPart(live.target.upload_id, number, etag)
      return { part_number: number, etag }
    }),
  )
  // One failed part fails the file: no further parts start, but parts in flight are awaited first.
  for (const part of parts) part.catch((error: unknown) => stopped.abort(error))
  const settled = await Promise.allSettled(parts)
  if (stopped.signal.aborted) throw stopped.signal.reason
  await assertUnchanged(local)
  return {
    path: local.path,
    upload_id: live.target.upload_id,
    parts: settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : [])),
  }
}

function partRange(local: Outgoing, target: UploadTarget, number: number): { start: number; end: number } {
  const start = (number - 1) * target.part_size
  return { start, end: Math.min(start + target.part_size, local.size) }
}

/** A 403 from the store means an expired URL, and a cut connection may hide one: both retry with a fresh URL. */
async function sendOne(upload: Upload, local: Outgoing, live: LiveTarget, number: number): Promise<string> {
  const { client, progress } = upload
  const policy: RetryPolicy = client.retry
  return withRetry(
    policy,
    client.signal,
    async () => {
      if (live.expiresMs - Date.now() < EXPIRY_MARGIN_MS) await renew(upload, local, live)
      const url = live.target.parts.find((part) => part.part_number === number)?.url
      if (url === undefined) throw new Error(`The hub returned no URL for part ${number} of ${local.path}.`)
      try {
        return await sendPart(
          url,
          { file: local.file, ...partRange(local, live.target, number) },
          progress,
          client.signal,
        )
      } catch (error) {
        client.signal.throwIfAborted()
        if (isStaleUrl(error)) live.expiresMs = Math.min(live.expiresMs, 0)
        throw error
      }
    },
    (error) =>
      error instanceof TransferError || isStaleUrl(error) || (error instanceof ProblemError && error.status >= 429),
  )
}

function isStaleUrl(error: unknown): boolean {
  return error instanceof TransferError || (error instanceof ProblemError && error.status === 403)
}

/** Presigns the file again: the hub returns the same pending upload with fresh URLs. A different upload id means the sent parts are lost. */
function renew(upload: Upload, local: Outgoing, live: LiveTarget): Promise<void> {
  live.renewal ??= (async () => {
    try {
      const answer = await upload.client.presignUpload(upload.repo, [presignInput(local)])
      const target = answer.uploads[0]
      if (target?.upload_id !== live.target.upload_id) throw new Error('the hub has ended this upload; push again')
      live.target = target
      live.expiresMs = Math.max(Date.parse(answer.expires_at), Date.now() + 2 * EXPIRY_MARGIN_MS)
    } finally {
      live.renewal = null
    }
  })()
  return live.renewal
}
