/**
 * Keeps the results of a `/graphql/stream` connection to the pace of its reader. graphql-sse takes what a subscription yields as fast as it comes and queues
 * it without end; here a subscription is asked for its next result when all before it have left.
 */
import type { ServerResponse } from 'node:http'

/** One for each connection that results go out on. */
export class StreamOutlet {
  readonly #raw: ServerResponse
  readonly #waiting = new Set<() => void>()
  #queued = 0

  constructor(raw: ServerResponse) {
    this.#raw = raw
    raw.once('close', () => this.#wakeAll())
  }

  /** A result was handed to graphql-sse, which will write it some time. */
  expectResult(): void {
    this.#queued += 1
  }

  /** Writes one message of graphql-sse and resolves when it has left; false when there is nobody to write to. */
  async write(message: string): Promise<boolean> {
    if (!this.#raw.writable) return false
    const hasLeft = await new Promise<boolean>((resolve) => this.#raw.write(message, (error) => resolve(!error)))
    if (message.startsWith('event: next')) this.#queued -= 1
    if (this.#queued <= 0) this.#wakeAll()
    return hasLeft
  }

  /** The same results, each asked for when everything before it has left. */
  async *paced<Result>(results: AsyncIterable<Result>): AsyncGenerator<Result, void> {
    for await (const result of results) {
      yield result
      while (this.#queued > 0 && !this.#raw.destroyed) await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
