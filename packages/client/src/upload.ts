/** Sends contents to the store ahead of a commit: presigns a batch, sends its parts, returns the ETags. */
import type { ByteGate } from './byte-gate.ts'
import type { Content } from './contents.ts'
import { md5OfRange } from './hash.ts'
import type { HubClient } from './hub-client.ts'
import { failureLine, ProblemError, refusedIndexes, TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import type { RepoName } from './repo-name.ts'
import { type RetryPolicy, withRetry } from './retry.ts'
import { sendPart } from './send-part.ts'
import type { BlobToPresign, CompletedBlob, UploadTarget } from './shapes.ts'
import { goodUntilMs, lastsFor } from './signed-life.ts'
import type { TransferState } from './state.ts'
import { bareEtag, partSizeFor } from './upload-parts.ts'
import { assertUnchanged } from './walk.ts'

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
  failed(content: Content, why: string, error: unknown): void
}

/** A target with the expiry of its URLs; shared by the parts of a content, so that one renewal serves them all. */
interface LiveTarget {
  target: UploadTarget
  /** By `performance.now()`. */
  untilMs: number
  renewal: Promise<void> | null
}

/** Where to send a content; null if a commit can name it as it is. */
type Presigned = readonly [Content, LiveTarget | null]

/** Upload targets of a batch. Rejected contents are reported and left out; the rest is requested again. */
export async function presign(upload: Upload, batch: readonly Content[]): Promise<Presigned[]> {
  if (batch.length === 0) return []
  try {
    const { blobs, expires_at } = await upload.client.presignBlobs(upload.repo, batch.map(presignInput))
    return batch.flatMap((content, index): Presigned[] => {
      const found = blobs[index]
      if (found?.sha256 === content.sha256)
        return [[content, found.upload && { target: found.upload, untilMs: goodUntilMs(expires_at), renewal: null }]]
      upload.failed(content, 'the hub returned no upload target for it', null)
      return []
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || ![413, 422].includes(error.status)) throw error
    const refused = refusedIndexes(error, 'blobs', batch.length)
    for (const [index, content] of batch.entries()) {
      if (refused.size === 0 || refused.has(index))
        upload.failed(content, refused.get(index) ?? failureLine(error), error)
    }
    return refused.size === 0
      ? []
      : presign(
          upload,
          batch.filter((_, index) => !refused.has(index)),
        )
  }
}

function presignInput({ sha256, size }: Content): BlobToPresign {
  const partSize = partSizeFor(size)
  return partSize === null ? { sha256, size } : { sha256, size, part_size: partSize }
}

/** Sends the missing parts of one content. Returns the ETags of all its parts, in order. */
export async function sendContent(upload: Upload, content: Content, live: LiveTarget): Promise<CompletedBlob> {
  const local = content.source
  const stopped = new AbortController()
  const parts = live.target.parts.map(({ part_number: number }) =>
    upload.slot(async () => {
      stopped.signal.throwIfAborted()
      const { start, end } = partRange(content, live.target, number)
      const known = await storedEtag(upload, content, live.target, number)
      if (known !== null) upload.progress.bytes(end - start, 'known')
      else await assertUnchanged(local)
      const etag = known ?? (await sendOne(upload, content, live, number))
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
    upload_id: live.target.upload_id,
    parts: settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : [])),
  }
}

/**
 * The ETag of a part that the store already has, or null. One that this machine did not see acknowledged, or that
 * another one sent, counts if it is the MD5 of the bytes here.
 */
async function storedEtag(
  upload: Upload,
  content: Content,
  target: UploadTarget,
  number: number,
): Promise<string | null> {
  const at = target.uploaded.indexOf(number)
  if (at < 0) return null
  const known = upload.state.partEtag(target.upload_id, number)
  const listed = target.uploaded_etags[at]
  if (listed === undefined || (known !== null && bareEtag(known) === bareEtag(listed))) return known
  const { start, end } = partRange(content, target, number)
  const md5 = await md5OfRange(content.source.file, start, end, upload.client.signal)
  return md5 === bareEtag(listed) ? listed : null
}

function partRange({ size }: Content, target: UploadTarget, number: number): { start: number; end: number } {
  const start = (number - 1) * target.part_size
  return { start, end: Math.min(start + target.part_size, size) }
}

/** A 403 from the store means an expired URL, and a cut connection may hide one: both retry with a fresh URL. */
async function sendOne(upload: Upload, content: Content, live: LiveTarget, number: number): Promise<string> {
  const { client, progress } = upload
  const policy: RetryPolicy = client.retry
  return withRetry(
    policy,
    client.signal,
    async () => {
      if (!lastsFor(live.untilMs, EXPIRY_MARGIN_MS)) await renew(upload, content, live)
      const url = live.target.parts.find((part) => part.part_number === number)?.url
      if (url === undefined) throw new Error(`The hub returned no URL for part ${number} of ${content.source.path}.`)
      const range = partRange(content, live.target, number)
      const release = await upload.gate(range.end - range.start)
      try {
        client.signal.throwIfAborted()
        return await sendPart({
          url,
          part: { file: content.source.file, ...range },
          progress,
          signal: client.signal,
          handedOver: release,
        })
      } catch (error) {
        client.signal.throwIfAborted()
        if (isStaleUrl(error)) live.untilMs = 0
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
 * Presigns the content again: the hub returns the same pending upload with fresh URLs. A different upload id means the
 * sent parts are lost.
 */
function renew(upload: Upload, content: Content, live: LiveTarget): Promise<void> {
  live.renewal ??= (async () => {
    try {
      const answer = await upload.client.presignBlobs(upload.repo, [presignInput(content)])
      const target = answer.blobs[0]?.upload
      if (target?.upload_id !== live.target.upload_id) throw new Error('the hub has ended this upload; push again')
      live.target = target
      live.untilMs = goodUntilMs(answer.expires_at)
    } finally {
      live.renewal = null
    }
  })()
  return live.renewal
}
