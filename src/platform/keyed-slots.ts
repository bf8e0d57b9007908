/** Slots by key: a few hold one at once, and some more wait for theirs, in the order in which they came. */

export interface SlotBounds {
  readonly running: number
  readonly waiting: number
  readonly waitMs: number
}

interface Waiter {
  readonly go: () => void
  readonly refuse: (error: Error) => void
  readonly untilMs: number
}

interface Slots {
  running: number
  /** In the order in which they came, in which their time ends too. */
  readonly waiting: Set<Waiter>
}

/** The slots of all keys: each key has as many as the bounds say. */
export class KeyedSlots {
  readonly #bounds: SlotBounds
  readonly #refusal: () => Error
  readonly #byKey = new Map<string, Slots>()
  /** One for all who wait: it is set for the first whose time ends. */
  #timer: NodeJS.Timeout | null = null

  /** `refusal` makes the error for who would wait too long, or behind too many. */
  constructor(bounds: SlotBounds, refusal: () => Error) {
    this.#bounds = bounds
    this.#refusal = refusal
  }

  /**
   * Takes a slot if one is free, and returns what gives it back; that is called once. Null if the key has to wait for
   * one.
   */
  enterNow(key: string): (() => void) | null {
    const slots = this.#of(key)
    if (slots.running >= this.#bounds.running) return null
    slots.running += 1
    return this.#leaving(key, slots)
  }

  /** Resolves to the same, once there is a slot. */
  async enter(key: string): Promise<() => void> {
    const free = this.enterNow(key)
    if (free) return free
    const slots = this.#of(key)
    await this.#wait(slots)
    return this.#leaving(key, slots)
  }

  #of(key: string): Slots {
    const known = this.#byKey.get(key)
    if (known) return known
    const slots = { running: 0, waiting: new Set<Waiter>() }
    this.#byKey.set(key, slots)
    return slots
  }

  #leaving(key: string, slots: Slots): () => void {
    return () => {
      // The next one takes the slot over.
      const [next] = slots.waiting
      if (next) {
        slots.waiting.delete(next)
        next.go()
        return
      }
      slots.running -= 1
      if (slots.running === 0) this.#byKey.delete(key)
    }
  }

  #wait({ waiting }: Slots): Promise<void> {
    const { waitMs } = this.#bounds
    if (waiting.size >= this.#bounds.waiting) throw this.#refusal()
    return new Promise<void>((go, refuse) => {
      waiting.add({ go, refuse, untilMs: performance.now() + waitMs })
      if (!this.#timer) this.#setTimer(waitMs)
    })
  }

  #setTimer(ms: number): void {
    this.#timer = setTimeout(() => this.#refuseLate(), ms).unref()
  }

  #refuseLate(): void {
    this.#timer = null
    const nowMs = performance.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const { waiting } of this.#byKey.values())
      for (const waiter of waiting) {
        if (waiter.untilMs > nowMs) {
          nextMs = Math.min(nextMs, waiter.untilMs)
          break
        }
        waiting.delete(waiter)
        waiter.refuse(this.#refusal())
      }
    if (nextMs !== Number.POSITIVE_INFINITY) this.#setTimer(nextMs - nowMs)
  }
}
