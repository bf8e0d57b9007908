/**
 * Cooperative scheduling on the main thread. Code that processes much stored data waits for a turn before each piece,
 * so that the hub keeps serving other requests, however many such workers there are: each turn of the event loop runs a
 * bounded amount of work. A caller with a hundred thousand waiting pieces delays others by one: each operation has a
 * lane, and the lanes are served in rotation.
 */

import { enterOwnSlice, type TimeUser, timeUserHere } from './processor-time.ts'

interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/** What one operation waits for, in order; what is of no operation shares a lane. */
interface Lane {
  readonly waiting: Waiting[]
  /** The next of them: to shift a long array costs its length. */
  at: number
}

/** One scheduler per thread. */
export class Turns {
  /** None of them empty, in the order in which they are served. */
  readonly #lanes = new Map<TimeUser | null, Lane>()
  #isScheduled = false

  /**
   * Resolves when the next piece may start. `cost` is its share of one turn: 1, about 10 ms, fills a turn. Its
   * processor time counts as that of who asked.
   */
  next(cost = 1): Promise<void> {
    const turn = new Promise<void>((go) => {
      const user = timeUserHere()
      const lane = this.#lanes.get(user) ?? { waiting: [], at: 0 }
      lane.waiting.push({ cost: Math.max(cost, LEAST_COST), go })
      this.#lanes.set(user, lane)
      this.#schedule()
    })
    return turn.then(enterOwnSlice)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#lanes.size === 0) return
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
    // Lanes that continue are appended, and come again.
    for (const [user, lane] of this.#lanes) {
      const piece = lane.waiting[lane.at]
      if (piece && spent > 0 && spent + piece.cost > 1) return
      this.#lanes.delete(user)
      if (!piece) continue
      lane.at += 1
      if (lane.at < lane.waiting.length) this.#lanes.set(user, withoutServed(lane))
      spent += piece.cost
      piece.go()
    }
  }
}

/** A lane that never ends would keep all that it ever served. */
function withoutServed(lane: Lane): Lane {
  if (lane.at < KEPT || lane.at * 2 < lane.waiting.length) return lane
  lane.waiting.splice(0, lane.at)
  lane.at = 0
  return lane
}

const KEPT = 1024

/** The smallest cost of a piece: starting it has a cost, too. */
const LEAST_COST = 1 / 128

/** The scheduler of this process. */
export const turns = new Turns()
