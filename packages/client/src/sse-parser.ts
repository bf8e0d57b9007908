/** Parses Server-Sent Events. */
import { createParser } from 'eventsource-parser'

export interface ServerEvent {
  readonly event: string
  readonly data: string
  /** Last id seen on the stream, on this event or earlier. */
  readonly id: string
}

/** Far above any event of a hub: a log chunk has at most 256 KiB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Incremental parser; input may be split anywhere, even within a character. `retryMs` is the last `retry:` value. */
export function sseParser() {
  const decoder = new TextDecoder()
  let found: ServerEvent[] = []
  let lastId = ''
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent({ event = 'message', data, id = lastId }) {
      lastId = id
      found.push({ event, data, id })
    },
    onRetry(ms) {
      stream.retryMs = ms
    },
    onError(error) {
      // The standard ignores unknown fields.
      if (error.type === 'max-buffer-size-exceeded') {
        throw new Error('The stream contains an event that is too long.', { cause: error })
      }
    },
  })
  const stream = {
    retryMs: null as number | null,
    /** Returns the events completed by these bytes. */
    push(bytes: Uint8Array): ServerEvent[] {
      found = []
      parser.feed(decoder.decode(bytes, { stream: true }))
      return found
    },
  }
  return stream
}
