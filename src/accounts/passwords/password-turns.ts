/**
 * Turns of hashing passwords. Each takes 128 MiB and one of the four threads that the process has for files and names
 * too, so that two at most are worked on, and few wait.
 */
import { HubError } from '../../platform/errors.ts'

const MOST_AT_ONCE = 2
/** With two at once and half a second each, the last one waits for eight seconds. */
const MOST_WAITING = 32
const MOST_OF_ONE_ASKER = 4
const RETRY_SECONDS = 5

interface Limits {
  readonly atOnce: number
  readonly waiting: number
  readonly ofOneAsker: number
}

/** Work that waits for its turn, first come, first served. */
export class Turns {
  readonly #limits: Limits
  readonly #byAsker = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #working = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Does the work in its turn. 503 `unavailable` where too many wait, or too many of this asker. */
  async take<Result>(asker: string, work: () => Promise<Result>): Promise<Result> {
    const ofAsker = this.#byAsker.get(asker) ?? 0
    const isFull = this.#working >= this.#limits.atOnce && this.#waiting.length >= this.#limits.waiting
    if (isFull || ofAsker >= this.#limits.ofOneAsker) throw busy()
    this.#byAsker.set(asker, ofAsker + 1)
    try {
      await this.#turn()
      return await work()
    } finally {
      this.#end(asker)
    }
  }

  /** The next in line takes over the place, so that no later one gets before them. */
  async #turn(): Promise<void> {
    if (this.#working < this.#limits.atOnce) this.#working++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #end(asker: string): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#working--
    const left = (this.#byAsker.get(asker) ?? 1) - 1
    if (left === 0) this.#byAsker.delete(asker)
    else this.#byAsker.set(asker, left)
  }
}

function busy(): HubError {
  return new HubError('unavailable', 'Too many passwords are being checked; try again in a few seconds.', {
    facts: { retryAfterS: RETRY_SECONDS },
  })
}

/** Those of this process, as its threads are. */
export const passwordTurns = new Turns({
  atOnce: MOST_AT_ONCE,
  waiting: MOST_WAITING,
  ofOneAsker: MOST_OF_ONE_ASKER,
})
