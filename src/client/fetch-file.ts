/** One file from its signed URL into a partial file: ranges, going on where an earlier try stopped, bounded memory. */
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { refusal, send, shownUrl } from './http.ts'
import { ProblemError, TransferError } from './problem.ts'
import type { Progress } from './progress.ts'
import { type RetryPolicy, withRetry } from './retry.ts'

/** Above this, ranges of a file are fetched side by side. */
const PARALLEL_ABOVE_BYTES = 64 * 1_048_576
const RANGE_BYTES = 32 * 1_048_576

export interface Fetching {
  /** A URL that is good now; `fresh` asks for a new one. */
  url(fresh: boolean): Promise<string>
  readonly size: number
  readonly partial: string
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly retry: RetryPolicy
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
}

/** Which ranges of a partial file are whole: one number a line, appended once the range's bytes are written. */
const ledgerOf = (partial: string) => `${partial}.ranges`

/** Brings the partial file to its full size. What is in it already is taken as good here: the caller checks the digest of the whole. */
export async function fetchFile(fetching: Fetching): Promise<void> {
  const file = await open(fetching.partial, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o666)
  try {
    if (fetching.size <= PARALLEL_ABOVE_BYTES) await fetchRest(fetching, file)
    else await fetchRanges(fetching, file)
  } finally {
    await file.close()
  }
}

/** Forgets a partial file and its ledger. */
export async function discardPartial(partial: string): Promise<void> {
  await rm(partial, { force: true })
  await rm(ledgerOf(partial), { force: true })
}

/** The ledger has done its work once the file is in place. */
export async function discardLedger(partial: string): Promise<void> {
  await rm(ledgerOf(partial), { force: true })
}

async function fetchRest(fetching: Fetching, file: FileHandle): Promise<void> {
  const have = (await file.stat()).size
  const start = have <= fetching.size ? have : 0
  if (start !== have) await file.truncate(0)
  fetching.progress.bytes(start)
  if (start < fetching.size) await fetching.slot(() => fetchRange(fetching, file, start, fetching.size))
}

async function fetchRanges(fetching: Fetching, file: FileHandle): Promise<void> {
  const ledger = ledgerOf(fetching.partial)
  const done = new Set((await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number))
  // A ledger beside a file of another size tells about other bytes.
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
      fetching.progress.bytes(end - start)
      continue
    }
    ranges.push(
      fetching.slot(async () => {
        stopped.signal.throwIfAborted()
        await fetchRange(fetching, file, start, end)
        await note(ledger, index)
      }),
    )
  }
  for (const range of ranges) range.catch((error: unknown) => stopped.abort(error))
  await Promise.allSettled(ranges)
  if (stopped.signal.aborted) throw stopped.signal.reason
}

/** A link that stands in the ledger's place is not followed. */
async function note(ledger: string, index: number): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = await open(ledger, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o666)
  try {
    await file.write(`${index}\n`)
  } finally {
    await file.close()
  }
}

/** Bytes `start` to `end` (exclusive), however many tries it takes; a try goes on after the last byte that was written. */
async function fetchRange(fetching: Fetching, file: FileHandle, start: number, end: number): Promise<void> {
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
          at += chunk.length
          fetching.progress.bytes(chunk.length)
        }
      } catch (error) {
        fetching.signal.throwIfAborted()
        fresh = error instanceof ProblemError && error.status === 403
        throw error
      }
      if (at < end) throw new TransferError(`${shownUrl(url)} broke off ${end - at} bytes too soon.`, shownUrl(url))
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

/** Exactly the bytes asked for; an answer that starts elsewhere or is longer than it may be is refused. */
async function* bodyFrom(url: string, start: number, end: number, fetching: Fetching): AsyncGenerator<Uint8Array> {
  const whole = start === 0 && end === fetching.size
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (!whole) headers.range = `bytes=${start}-${end - 1}`
  const response = await send(url, { headers, signal: fetching.signal })
  if (!response.ok) throw await refusal(response)
  const range = response.headers.get('content-range')
  if (!whole && !(response.status === 206 && range?.startsWith(`bytes ${start}-`))) {
    await response.body?.cancel()
    throw new Error(
      `${shownUrl(url)} does not serve ranges as asked (${response.status}, ${range ?? 'no Content-Range'}).`,
    )
  }
  let left = end - start
  const body: AsyncIterable<Uint8Array> = response.body ?? noBytes
  try {
    for await (const chunk of body) {
      left -= chunk.length
      if (left < 0) throw new Error(`${shownUrl(url)} sends more bytes than the file has.`)
      yield chunk
    }
  } catch (error) {
    fetching.signal.throwIfAborted()
    // What fetch throws while a body is read is a TypeError whose cause says that the connection ended.
    if (error instanceof TypeError)
      throw new TransferError(`${shownUrl(url)} broke off.`, shownUrl(url), { cause: error })
    throw error
  }
}

const noBytes: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
}
