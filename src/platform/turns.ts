/**
 * Cooperative scheduling on the main thread. Code that processes much stored data waits for a turn before each piece, so that the hub keeps serving other
 * requests, however many such workers there are: each turn of the event loop runs a bounded amount of work, first come, first served.
 */

import { enterOwnSlice } from './processor-time.ts'

interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/** One scheduler per thread. */
export class Turns {
  readonly #waiting: Waiting[] = []
  #isScheduled = false

  /** Resolves when the next piece may start. `cost` is its share of one turn: 1, about 10 ms, fills a turn. Its processor time counts as that of who asked. */
  next(cost = 1): Promise<void> {
    const turn = new Promise<void>((go) => {
      this.#waiting.push({ cost: Math.max(cost, LEAST_COST), go })
      this.#schedule()
    })
    return turn.then(enterOwnSlice)
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

  /** Starts as many pieces as fit into one turn, at least one. */
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

/** The smallest cost of a piece: starting it has a cost, too. */
const LEAST_COST = 1 / 128

/** The scheduler of this process. */
export const turns = new Turns()
