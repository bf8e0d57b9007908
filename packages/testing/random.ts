/** Random choices that repeat from a seed. */
export interface Random {
  /** True with probability `p`. */
  chance(p: number): boolean
  /** From `low` to `high`, both included. */
  int(low: number, high: number): number
  pick<T>(from: readonly T[]): T
  /** A stream of its own, so that a choice added here does not change what is drawn there. */
  fork(): Random
}

/** Mulberry32: 32 bits of state, plenty to draw models from. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    chance: (p) => next() < p,
    int,
    pick: (from) => {
      if (from.length === 0) throw new Error('nothing to pick from')
      return from[int(0, from.length - 1)] as (typeof from)[number]
    },
    fork: () => randomFrom(int(0, 2 ** 32 - 1)),
  }
}
