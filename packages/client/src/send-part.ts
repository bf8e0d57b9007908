/** Uploads one part of a file to its signed URL. */
import { open } from 'node:fs/promises'
import { problemOf, send, shownUrl } from './http.ts'
import { TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import { READ_AT_ONCE, readError } from './read-flags.ts'
import { streamOf } from './stream-of.ts'

const CHUNK_BYTES = 262_144

/** Bytes `start` to `end` (exclusive) of `file`. */
export interface PartBytes {
  readonly file: string
  readonly start: number
  readonly end: number
}

/** Bytes that are in memory. */
export interface HeldPart {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * PUTs the bytes, streamed from the file with their exact length. `handedOver` is called when the last byte is on its
 * way. Returns the part's ETag from the store. Rejects with `ProblemError` (an error response; 403 means an expired
 * URL) or `TransferError`.
 */
export async function sendPart({
  url,
  part,
  progress,
  signal,
  handedOver = () => {},
}: {
  readonly url: string
  readonly part: PartBytes | HeldPart
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly handedOver?: () => void
}): Promise<string> {
  let moved = 0
  async function* bytesOf({ file, start, end }: PartBytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const handle = await open(file, READ_AT_ONCE)
    try {
      // The stream closes the file, however it ends.
      for await (const chunk of handle.createReadStream({ start, end: end - 1, highWaterMark: CHUNK_BYTES })) {
        moved += (chunk as Buffer).length
        progress.bytes((chunk as Buffer).length)
        yield chunk as Uint8Array<ArrayBuffer>
      }
    } catch (error) {
      throw readError(error, file)
    }
    handedOver()
  }
  const isHeld = 'bytes' in part
  const size = isHeld ? part.bytes.length : part.end - part.start
  const streamed = () => (isHeld ? part.bytes : streamOf(bytesOf(part)))
  const body = size === 0 ? new Uint8Array(0) : streamed()
  try {
    const response = await send(url, {
      method: 'PUT',
      body,
      duplex: 'half',
      signal,
      headers: { 'content-length': String(size) },
    })
    if (!response.ok) throw await problemOf(response)
    await response.arrayBuffer()
    const etag = response.headers.get('etag')
    if (etag === null) throw new TransferError('The store accepted a part but returned no ETag.', shownUrl(url))
    return etag
  } catch (error) {
    progress.bytes(-moved)
    throw error
  }
}
