/**
 * Turns on the main thread. Code that works through much stored data takes a turn before each piece of it, so that the hub answers everybody else
 * in between, however many such workers there are: a turn of the event loop has room for so much work and no more, and who comes first is served first.
 */

interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/** One for all who share a thread. */
export class Turns {
  readonly #waiting: Waiting[] = []
  #isScheduled = false

  /** Resolves when the next piece may begin. `cost` is its part of one turn's work: 1, which is some 10 ms, fills a turn. */
  next(cost = 1): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ cost: Math.max(cost, LEAST_COST), go })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#serve()
      this.#schedule()
    })
  }

  /** As many as fit into one turn, and always one. */
  #serve(): void {
    let spent = 0
    let count = 0
    for (const { cost, go } of this.#waiting) {
      if (count > 0 && spent + cost > 1) break
      spent += cost
      count += 1
      go()
    }
    this.#waiting.splice(0, count)
  }
}

/** Beginning a piece is work, too. */
const LEAST_COST = 1 / 128

/** Those of this process. */
export const turns = new Turns()
