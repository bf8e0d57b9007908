/**
 * The output of any event stream: run logs, subscriptions, results. It applies backpressure: the next message is pulled
 * only after everything before it is sent, so a slow reader costs one message and no queue. A stalled reader is
 * disconnected.
 */
import type { ServerResponse } from 'node:http'
import { Wakeup } from '../platform/wakeup.ts'
import { UNCOUNTED_BYTES } from './held-bytes.ts'

/** Keepalive interval, for readers and proxies. */
const COMMENT_MS = 12_000
/** Pieces show progress within a long message. */
const PIECE_BYTES = 32 * 1024

/** Counts the bytes of a message until the returned function is called. */
type Hold = (bytes: number) => () => void
const holdNothing: Hold = () => () => undefined

/** One per connection. Messages are written whole, one after another. */
export class StreamOutlet {
  readonly #raw: ServerResponse
  readonly #hold: Hold
  readonly #comments: NodeJS.Timeout
  #last: Promise<boolean> = Promise.resolve(true)
  #pendingWrites = 0
  #isEnding = false
  /** A piece was sent, or the connection closed. */
  readonly #progress = new Wakeup()
  /** Resolves when either side closes the connection. */
  readonly closed: Promise<void>

  /**
   * `hold` throws for a message too many among all that the reader has not taken, on whatever streams: this stream is
   * closed then, and can be resumed.
   */
  constructor(raw: ServerResponse, hold: Hold = holdNothing) {
    this.#raw = raw
    this.#hold = hold
    this.#comments = setInterval(() => {
      if (this.#pendingWrites === 0) void this.write(': still here\n\n')
    }, COMMENT_MS).unref()
    this.closed = new Promise((resolve) => {
      raw.once('close', () => {
        clearInterval(this.#comments)
        this.#progress.wake()
        resolve()
      })
    })
  }

  /** The reader is gone, or the stream has ended. */
  get isOver(): boolean {
    return this.#isEnding || !this.#isWritable
  }

  /** Queues messages and resolves once they are sent; false if the reader is gone. */
  write(messages: string | Uint8Array): Promise<boolean> {
    if (this.isOver) return Promise.resolve(false)
    const bytes = typeof messages === 'string' ? Buffer.from(messages) : messages
    if (bytes.byteLength <= UNCOUNTED_BYTES) return this.#enqueue(() => this.#writePieces(bytes))
    try {
      const release = this.#hold(bytes.byteLength)
      return this.#enqueue(() => this.#writePieces(bytes).finally(release))
    } catch {
      this.#raw.destroy()
      return Promise.resolve(false)
    }
  }

  /** Writes all messages until the source ends or the reader is gone; then closes the source. */
  async writeAll(messages: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const message of messages) if (!(await this.write(message))) return
  }

  /** Ends the stream after pending writes and a `final` message. */
  end(final = ''): void {
    if (this.#isEnding) return
    this.#isEnding = true
    clearInterval(this.#comments)
    void this.#enqueue(async () => {
      if (this.#isWritable) this.#raw.end(final)
      return false
    })
  }

  get #isWritable(): boolean {
    return this.#raw.writable && !this.#raw.destroyed
  }

  #enqueue(work: () => Promise<boolean>): Promise<boolean> {
    this.#pendingWrites += 1
    this.#last = this.#last.then(work).finally(() => {
      this.#pendingWrites -= 1
    })
    return this.#last
  }

  async #writePieces(bytes: Uint8Array): Promise<boolean> {
    for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) {
      if (!this.#isWritable) return false
      const piece = bytes.subarray(from, from + PIECE_BYTES)
      let hasLeft = false
      this.#raw.write(piece, (error) => {
        hasLeft = !error
        this.#progress.wake()
      })
      await this.#progress.next()
      if (!hasLeft) return false
    }
    return true
  }
}
