/** Sends files: presigns a batch, sends its parts, returns the ETags. */
import { batchesOf } from './batches.ts'
import type { ByteGate } from './byte-gate.ts'
import { md5OfRange } from './hash.ts'
import { BATCH, type HubClient } from './hub-client.ts'
import { failureLine, ProblemError, refusedIndexes, TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import type { Outgoing } from './push-plan.ts'
import type { RepoName } from './repo-name.ts'
import { type RetryPolicy, withRetry } from './retry.ts'
import { sendPart } from './send-part.ts'
import type { PresignFile, UploadTarget } from './shapes.ts'
import type { TransferState } from './state.ts'
import { assertUnchanged } from './walk.ts'

/** Maximum signed URLs per presign request, about a megabyte of JSON; a file of more parts has a request of its own. */
const PARTS_PER_BATCH = 2000

const MIB = 1_048_576

/** What an interruption makes a push send again: one part. */
export const PART_BYTES = 8 * MIB

/** From this size on, parts of 16 MiB halve the number of URLs. */
const LARGE_FILE_BYTES = 8192 * MIB
const LARGE_PART_BYTES = 16 * MIB

/** The most parts that a store takes. */
const MAX_PARTS = 10_000

/** The part size to ask for; null for a file of one part. */
export function partSizeFor(size: number): number | null {
  if (size <= PART_BYTES) return null
  const fitting = Math.ceil(size / MAX_PARTS / MIB) * MIB
  return Math.max(size > LARGE_FILE_BYTES ? LARGE_PART_BYTES : PART_BYTES, fitting)
}

/** A URL this close to expiry is renewed before use. */
const EXPIRY_MARGIN_MS = 60_000

export interface Upload {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  readonly progress: Progress
  /** Limits concurrent parts across the whole push. */
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
  /** Limits the bytes that are being sent. */
  readonly gate: ByteGate
  /** A part is in the store, whatever happens to this process. */
  stored(bytes: number): void
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
  return batchesOf(
    files,
    BATCH,
    PARTS_PER_BATCH,
    (file) => Math.ceil(file.size / (partSizeFor(file.size) ?? PART_BYTES)) || 1,
  )
}

/** Upload targets of a batch. Rejected files are reported and left out; the rest is requested again. */
export async function presign(upload: Upload, batch: readonly Outgoing[]): Promise<Array<[Outgoing, LiveTarget]>> {
  if (batch.length === 0) return []
  try {
    const answer = await presignSized(upload, batch)
    const byPath = new Map(answer.uploads.map((target) => [target.path, target]))
    const found: Array<[Outgoing, LiveTarget]> = []
    for (const local of batch) {
      const target = byPath.get(local.path)
      if (target) found.push([local, { target, expiresMs: Date.parse(answer.expires_at), renewal: null }])
      else upload.failed(local, 'the hub returned no upload target for it', null)
    }
    return found
  } catch (error) {
    if (!(error instanceof ProblemError) || !isAboutFiles(error)) throw error
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

/** Another request may have made a file in the way of one of these since the repo was read. */
const isAboutFiles = ({ status, kind }: ProblemError) => [413, 422].includes(status) || kind === 'conflict.path'

/** Asks for small parts; a hub that does not know `part_size` is asked without it. */
async function presignSized(upload: Upload, batch: readonly Outgoing[]) {
  try {
    return await upload.client.presignUpload(upload.repo, batch.map(presignInput))
  } catch (error) {
    const aboutParts = error instanceof ProblemError && error.entries.some(({ loc }) => loc.includes('part_size'))
    if (!aboutParts) throw error
    return upload.client.presignUpload(upload.repo, batch.map(plainInput))
  }
}

const plainInput = ({ path, size, sha256 }: Outgoing): PresignFile => ({ path, size, sha256 })

function presignInput(local: Outgoing): PresignFile {
  const partSize = partSizeFor(local.size)
  return partSize === null ? plainInput(local) : { ...plainInput(local), part_size: partSize }
}

/** Sends the missing parts of one file. Returns the ETags of all its parts, in order. */
export async function sendFile(upload: Upload, local: Outgoing, live: LiveTarget) {
  const stopped = new AbortController()
  const parts = live.target.parts.map(({ part_number: number }) =>
    upload.slot(async () => {
      stopped.signal.throwIfAborted()
      const { start, end } = partRange(local, live.target, number)
      const known = await storedEtag(upload, local, live.target, number)
      if (known !== null) upload.progress.bytes(end - start, 'known')
      else await assertUnchanged(local)
      const etag = known ?? (await sendOne(upload, local, live, number))
      if (known === null) upload.state.rememberPart(live.target.upload_id, number, etag)
      upload.stored(end - start)
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

const bareEtag = (etag: string) => etag.replace(/^"(.*)"$/, '$1')

/**
 * The ETag of a part that the store already has, or null. One that this machine did not see acknowledged, or that
 * another one sent, counts if it is the MD5 of the bytes here.
 */
async function storedEtag(
  upload: Upload,
  local: Outgoing,
  target: UploadTarget,
  number: number,
): Promise<string | null> {
  const at = target.uploaded.indexOf(number)
  if (at < 0) return null
  const known = upload.state.partEtag(target.upload_id, number)
  const listed = target.uploaded_etags[at]
  if (listed === undefined || (known !== null && bareEtag(known) === bareEtag(listed))) return known
  const { start, end } = partRange(local, target, number)
  const md5 = await md5OfRange(local.file, start, end, upload.client.signal)
  return md5 === bareEtag(listed) ? listed : null
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
      const range = partRange(local, live.target, number)
      const release = await upload.gate(range.end - range.start)
      try {
        client.signal.throwIfAborted()
        return await sendPart({
          url,
          part: { file: local.file, ...range },
          progress,
          signal: client.signal,
          handedOver: release,
        })
      } catch (error) {
        client.signal.throwIfAborted()
        if (isStaleUrl(error)) live.expiresMs = Math.min(live.expiresMs, 0)
        throw error
      } finally {
        release()
      }
    },
    (error) =>
      error instanceof TransferError || isStaleUrl(error) || (error instanceof ProblemError && error.status >= 429),
  )
}

function isStaleUrl(error: unknown): boolean {
  return error instanceof TransferError || (error instanceof ProblemError && error.status === 403)
}

/**
 * Presigns the file again: the hub returns the same pending upload with fresh URLs. A different upload id means the
 * sent parts are lost.
 */
function renew(upload: Upload, local: Outgoing, live: LiveTarget): Promise<void> {
  live.renewal ??= (async () => {
    try {
      const answer = await presignSized(upload, [local])
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
