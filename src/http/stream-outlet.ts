/**
 * Where a stream of events goes out, whichever it is: run logs, subscriptions, results. It keeps to the pace of its reader: what comes next is asked for when
 * everything before it has left, so that a slow reader costs one message and no queue. One that stops is cut with its connection.
 */
import type { ServerResponse } from 'node:http'
import { Wakeup } from '../platform/wakeup.ts'

/** So that a reader, and whatever stands between, knows that the connection lives. */
const COMMENT_MS = 12_000
/** A reader is seen to take something when a piece has left, not only when all of a long message has. */
const PIECE_BYTES = 32 * 1024

/** One for each connection that events go out on. Messages are whole: what is under way is finished before anything else is written. */
export class StreamOutlet {
  readonly #raw: ServerResponse
  readonly #comments: NodeJS.Timeout
  #last: Promise<boolean> = Promise.resolve(true)
  #underWay = 0
  #isEnding = false
  /** A piece has left, or the connection has closed. */
  readonly #progress = new Wakeup()
  /** Resolves when the connection has closed, no matter which side closed it. */
  readonly closed: Promise<void>

  constructor(raw: ServerResponse) {
    this.#raw = raw
    this.#comments = setInterval(() => {
      if (this.#underWay === 0) void this.write(': still here\n\n')
    }, COMMENT_MS).unref()
    this.closed = new Promise((resolve) => {
      raw.once('close', () => {
        clearInterval(this.#comments)
        this.#progress.wake()
        resolve()
      })
    })
  }

  /** The reader is gone, or nothing more is to be written. */
  get isOver(): boolean {
    return this.#isEnding || !this.#isWritable
  }

  /** Writes one or more messages, after those before them, and resolves when they have left; false when the reader is gone. */
  write(messages: string | Uint8Array): Promise<boolean> {
    if (this.isOver) return Promise.resolve(false)
    return this.#inTurn(() => this.#writePieces(typeof messages === 'string' ? Buffer.from(messages) : messages))
  }

  /** Writes what comes until it ends or its reader has gone, which ends what it comes from. */
  async writeAll(messages: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const message of messages) if (!(await this.write(message))) return
  }

  /** Ends after what is under way and a `final` message. */
  end(final = ''): void {
    if (this.#isEnding) return
    this.#isEnding = true
    clearInterval(this.#comments)
    void this.#inTurn(async () => {
      if (this.#isWritable) this.#raw.end(final)
      return false
    })
  }

  get #isWritable(): boolean {
    return this.#raw.writable && !this.#raw.destroyed
  }

  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    this.#underWay += 1
    this.#last = this.#last.then(work).finally(() => {
      this.#underWay -= 1
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
