/** Chance that repeats with its seed. */
export class Dice {
  #state: number

  /** The same seed and number throw the same: each request has dice of its own, so what one throws moves no other. */
  constructor(seed: number, number = 0) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)
    for (let at = 0; at < 4; at += 1) this.next()
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T
  }

  /** One of the options, each as often as its weight says. */
  weighted<T>(options: readonly (readonly [weight: number, option: T])[]): T {
    let left = this.next() * options.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, option] of options) {
      left -= weight
      if (left < 0) return option
    }
    return (options.at(-1) as readonly [number, T])[1]
  }

  /** Some of the options, in their order. */
  some<T>(options: readonly T[], share: number): T[] {
    return options.filter(() => this.chance(share))
  }
}
