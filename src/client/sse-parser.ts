/** Server-Sent Events out of bytes. */
import { createParser } from 'eventsource-parser'

export interface ServerEvent {
  readonly event: string
  readonly data: string
  /** The last id that the stream gave, with this event or before it. */
  readonly id: string
}

/** An event longer than this is not one of the hub's: a chunk of a log has 256 KiB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Reads a stream piece by piece, cut anywhere: also between the bytes of a character. `retryMs` is what the stream last asked for. */
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
      // An unknown field is skipped, as the standard says.
      if (error.type === 'max-buffer-size-exceeded') {
        throw new Error('The stream holds an event that is too long.', { cause: error })
      }
    },
  })
  const stream = {
    retryMs: null as number | null,
    /** The events that these bytes complete. */
    push(bytes: Uint8Array): ServerEvent[] {
      found = []
      parser.feed(decoder.decode(bytes, { stream: true }))
      return found
    },
  }
  return stream
}
