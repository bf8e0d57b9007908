/**
 * One connection of Server-Sent Events: its events until it ends, and when it counts as dead. Who reconnects, and with
 * what, is the caller's.
 */
import { ProblemError, TransferError } from './problem.ts'
import { type ServerEvent, sseParser } from './sse-parser.ts'

/**
 * The hub writes at least a comment every 12 s: a connection silent for this long is dead, even if the OS has not
 * noticed.
 */
const SILENT_MS = 40_000

/** Between connections, where the hub has not said. */
export const RECONNECT_MS = 2000

export interface EventReading {
  /** The hub's last `retry:`, or null. */
  retryMs(): number | null
  /** Rejects with `TransferError` where the connection breaks. */
  events(): AsyncGenerator<ServerEvent, void>
  close(): void
}

interface Scope {
  /** Of the stream, in errors. */
  readonly what: string
  readonly url: string
  readonly signal: AbortSignal
}

/** Opens a connection. Rejects with `ProblemError`, `TransferError` or the signal's reason. */
export async function openEvents(
  { what, url, signal }: Scope,
  connect: (within: AbortSignal) => Promise<Response>,
): Promise<EventReading> {
  const watch = watchdog()
  const response = await connect(watch.signal).catch((error: unknown) => {
    watch.close()
    if (signal.aborted || error instanceof ProblemError || error instanceof TransferError) throw error
    throw new TransferError(`The ${what} could not be opened.`, url, { cause: error })
  })
  const parser = sseParser()
  return {
    retryMs: () => parser.retryMs,
    close: watch.close,
    async *events() {
      try {
        for await (const bytes of chunksOf(response)) {
          watch.reset()
          yield* parser.push(bytes)
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw new TransferError(`The ${what} was cut off.`, url, { cause: error })
      }
    },
  }
}

/** By its reader: not every browser iterates a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.releaseLock()
  }
}

/** Aborts after `SILENT_MS` without data. */
function watchdog() {
  const abort = new AbortController()
  const silent = () => abort.abort(new DOMException('No data for too long.', 'TimeoutError'))
  let timer = setTimeout(silent, SILENT_MS)
  return {
    signal: abort.signal,
    reset() {
      clearTimeout(timer)
      timer = setTimeout(silent, SILENT_MS)
    },
    close() {
      clearTimeout(timer)
      abort.abort()
    },
  }
}
