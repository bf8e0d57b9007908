/** Streams under way: at a stop each is ended softly, and one whose reader has stopped reading is cut. Both can come back to where they were. */
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { endingOf } from './request-context.ts'

/** A reader that takes nothing for this long is gone, or might as well be. */
const STALLED_MS = 30_000
const LOOK_MS = 5_000

interface OpenStream {
  readonly request: FastifyRequest
  readonly raw: ServerResponse
  /** What had gone out when it was last looked at, and since when it has been as much. */
  sentBytes: number
  since: number
}

/** One for each kind of stream of a server; `endAll` belongs into its `preClose`. */
export class OpenStreams {
  readonly #open = new Set<OpenStream>()
  readonly #stalledMs: number
  #timer: NodeJS.Timeout | null = null
  #ended = false

  constructor(stalledMs = STALLED_MS) {
    this.#stalledMs = stalledMs
  }

  /** Watches over a response while `work` writes it. */
  async during(request: FastifyRequest, raw: ServerResponse, work: () => Promise<void>): Promise<void> {
    const stream = { request, raw, sentBytes: -1, since: 0 }
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.#cutStalled(), Math.min(LOOK_MS, this.#stalledMs)).unref()
    if (this.#ended) endSoftly(stream)
    try {
      await work()
      // What is left may wait for a reader that has stopped reading.
      await finished(raw).catch(() => undefined)
    } finally {
      this.#open.delete(stream)
      if (this.#open.size === 0 && this.#timer) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  endAll(): void {
    this.#ended = true
    for (const stream of this.#open) endSoftly(stream)
  }

  #cutStalled(): void {
    for (const stream of this.#open) {
      const { socket } = stream.raw
      const sentBytes = socket ? socket.bytesWritten - socket.writableLength : 0
      if (stream.raw.writableLength === 0 || sentBytes !== stream.sentBytes) {
        stream.sentBytes = sentBytes
        stream.since = performance.now()
      } else if (performance.now() - stream.since >= this.#stalledMs) stream.raw.destroy()
    }
  }
}

/** Says when to come back, then ends the response; the request's signal ends what feeds it. */
function endSoftly({ request, raw }: OpenStream): void {
  endingOf(request).abort()
  if (raw.writable && raw.headersSent) raw.write('retry: 2000\n\n')
  raw.end()
}
