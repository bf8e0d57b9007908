/** Slots by key: a few hold one at once, and some more wait for theirs, in the order in which they came. */

export interface SlotBounds {
  readonly running: number
  readonly waiting: number
  readonly waitMs: number
}

interface Slots {
  running: number
  readonly waiting: Set<() => void>
}

/** The slots of all keys: each key has as many as the bounds say. */
export class KeyedSlots {
  readonly #bounds: SlotBounds
  readonly #refusal: () => Error
  readonly #byKey = new Map<string, Slots>()

  /** `refusal` makes the error for who would wait too long, or behind too many. */
  constructor(bounds: SlotBounds, refusal: () => Error) {
    this.#bounds = bounds
    this.#refusal = refusal
  }

  /** Resolves, once there is a slot, to what gives it back; that is called once. */
  async enter(key: string): Promise<() => void> {
    const slots = this.#byKey.get(key) ?? { running: 0, waiting: new Set() }
    this.#byKey.set(key, slots)
    if (slots.running < this.#bounds.running) slots.running += 1
    else await this.#wait(slots)
    return () => {
      // The next one takes the slot over.
      const [next] = slots.waiting
      if (next) {
        slots.waiting.delete(next)
        next()
        return
      }
      slots.running -= 1
      if (slots.running === 0) this.#byKey.delete(key)
    }
  }

  async #wait({ waiting }: Slots): Promise<void> {
    if (waiting.size >= this.#bounds.waiting) throw this.#refusal()
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(go)
        reject(this.#refusal())
      }, this.#bounds.waitMs)
      const go = () => {
        clearTimeout(late)
        resolve()
      }
      waiting.add(go)
    })
  }
}
