/** Downloads one file from its signed URL into a partial file: by ranges, resumable, in bounded memory. */
import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { problemOf, send, shownUrl } from './http.ts'
import { ProblemError, TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import { type RetryPolicy, withRetry } from './retry.ts'

/** Larger files are fetched as parallel ranges. */
const PARALLEL_ABOVE_BYTES = 64 * 1_048_576
const RANGE_BYTES = 32 * 1_048_576

export interface Fetching {
  /** A valid URL; `fresh` forces a new one. */
  url(fresh: boolean): Promise<string>
  readonly size: number
  readonly partial: string
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly retry: RetryPolicy
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
  /** Asks for the bytes; `fetch` by default. */
  readonly ask?: (url: string, headers: Readonly<Record<string, string>>) => Promise<Response>
  /** Bytes that a later attempt need not fetch again. */
  readonly kept?: (bytes: number) => void
}

/** Lists the complete ranges of a partial file: one index per line, appended after the range's bytes are written. */
const ledgerOf = (partial: string) => `${partial}.ranges`

/**
 * Completes the partial file. Existing bytes are trusted here; the caller checks the digest of the whole file. Returns
 * that digest, lowercase hex SHA-256, if each byte was fetched now and in order; null if the file is to be read for it.
 */
export async function fetchFile(fetching: Fetching): Promise<string | null> {
  const file = await open(fetching.partial, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o666)
  try {
    if (fetching.size <= PARALLEL_ABOVE_BYTES) return await fetchSequentially(fetching, file)
    await fetchRanges(fetching, file)
    return null
  } finally {
    await file.close()
  }
}

/** Deletes a partial file and its ledger. */
export async function discardPartial(partial: string): Promise<void> {
  await rm(partial, { force: true })
  await rm(ledgerOf(partial), { force: true })
}

/** Deletes the ledger of a file of `size` bytes once it is in place. A smaller file has none. */
export async function discardLedger(partial: string, size: number): Promise<void> {
  if (size > PARALLEL_ABOVE_BYTES) await rm(ledgerOf(partial), { force: true })
}

async function fetchSequentially(fetching: Fetching, file: FileHandle): Promise<string | null> {
  const have = (await file.stat()).size
  const start = have <= fetching.size ? have : 0
  if (start !== have) await file.truncate(0)
  fetching.progress.bytes(start, 'known')
  fetching.kept?.(start)
  const hash = start === 0 ? createHash('sha256') : undefined
  if (start < fetching.size)
    await fetching.slot(() => fetchRange({ fetching, file, start, end: fetching.size, written: fetching.kept, hash }))
  return hash ? hash.digest('hex') : null
}

async function fetchRanges(fetching: Fetching, file: FileHandle): Promise<void> {
  const ledger = ledgerOf(fetching.partial)
  const done = new Set((await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number))
  // If the size differs, the ledger belongs to other bytes.
  if ((await file.stat()).size !== fetching.size) {
    done.clear()
    await rm(ledger, { force: true })
    await file.truncate(fetching.size)
  }
  const stopped = new AbortController()
  const ranges: Array<Promise<void>> = []
  for (let index = 0; index * RANGE_BYTES < fetching.size; index += 1) {
    const start = index * RANGE_BYTES
    const end = Math.min(start + RANGE_BYTES, fetching.size)
    if (done.has(index)) {
      fetching.progress.bytes(end - start, 'known')
      fetching.kept?.(end - start)
      continue
    }
    ranges.push(
      fetching.slot(async () => {
        stopped.signal.throwIfAborted()
        await fetchRange({ fetching, file, start, end })
        await recordRange(ledger, index)
        fetching.kept?.(end - start)
      }),
    )
  }
  for (const range of ranges) range.catch((error: unknown) => stopped.abort(error))
  await Promise.allSettled(ranges)
  if (stopped.signal.aborted) throw stopped.signal.reason
}

/** Appends to the ledger. A symbolic link in its place is not followed. */
async function recordRange(ledger: string, index: number): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = await open(ledger, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o666)
  try {
    await file.write(`${index}\n`)
  } finally {
    await file.close()
  }
}

/** Fetches bytes `start` to `end` (exclusive) with retries; each attempt resumes after the last written byte. */
async function fetchRange({
  fetching,
  file,
  start,
  end,
  written = () => {},
  hash,
}: {
  readonly fetching: Fetching
  readonly file: FileHandle
  readonly start: number
  readonly end: number
  readonly written?: ((bytes: number) => void) | undefined
  /** Gets the bytes in order. */
  readonly hash?: Hash | undefined
}): Promise<void> {
  let at = start
  let fresh = false
  await withRetry(
    fetching.retry,
    fetching.signal,
    async () => {
      const url = await fetching.url(fresh)
      fresh = false
      try {
        for await (const chunk of bodyFrom(url, at, end, fetching)) {
          await writeAll(file, chunk, at)
          hash?.update(chunk)
          at += chunk.length
          fetching.progress.bytes(chunk.length)
          written(chunk.length)
        }
      } catch (error) {
        fetching.signal.throwIfAborted()
        fresh = error instanceof ProblemError && error.status === 403
        throw error
      }
      if (at < end)
        throw new TransferError(`${shownUrl(url)} was cut off ${end - at} bytes before the end.`, shownUrl(url))
    },
    (error) =>
      error instanceof TransferError ||
      (error instanceof ProblemError && (error.status === 403 || error.status === 429 || error.status >= 500)),
  )
}

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

/** Exactly the requested bytes. Throws if the response starts elsewhere or is too long. */
async function* bodyFrom(url: string, start: number, end: number, fetching: Fetching): AsyncGenerator<Uint8Array> {
  const whole = start === 0 && end === fetching.size
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (!whole) headers.range = `bytes=${start}-${end - 1}`
  const response = await (fetching.ask?.(url, headers) ?? send(url, { headers, signal: fetching.signal }))
  if (!response.ok) throw await problemOf(response)
  const range = response.headers.get('content-range')
  if (!whole && !(response.status === 206 && range?.startsWith(`bytes ${start}-`))) {
    await response.body?.cancel()
    throw new Error(
      `${shownUrl(url)} did not honor the range request (${response.status}, ${range ?? 'no Content-Range'}).`,
    )
  }
  let left = end - start
  const body: AsyncIterable<Uint8Array> = response.body ?? noBytes
  try {
    for await (const chunk of body) {
      left -= chunk.length
      if (left < 0) throw new Error(`${shownUrl(url)} sent more bytes than the file has.`)
      yield chunk
    }
  } catch (error) {
    fetching.signal.throwIfAborted()
    // fetch reports a connection lost while reading the body as a TypeError.
    if (error instanceof TypeError)
      throw new TransferError(`${shownUrl(url)} was cut off.`, shownUrl(url), { cause: error })
    throw error
  }
}

const noBytes: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
}
