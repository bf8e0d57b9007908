/**
 * Seeded random numbers that are the same in every JavaScript engine: whole-number arithmetic and additions alone,
 * since engines may round `Math.log` and `Math.cos` each in their way. Pure.
 */

export interface Seeded {
  /** At least 0, less than 1. */
  next(): number
  between(low: number, high: number): number
  /** Mean 0 and deviation 1: twelve uniform numbers added (Irwin and Hall), so that none is beyond 6. */
  normal(): number
  /** A direction in the plane, of length 1. */
  direction(): readonly [number, number]
}

/** `stream`: numbers of one seed for several purposes, none of which changes when another draws more. */
export function seeded(seed: number, stream: number): Seeded {
  // mulberry32, whose first number is hashed from both.
  let at = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul((stream + 1) | 0, 0x85ebca6b)) >>> 0
  const next = () => {
    at = (at + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(at ^ (at >>> 15), at | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    normal() {
      let sum = -6
      for (let count = 0; count < 12; count += 1) sum += next()
      return sum
    },
    direction() {
      for (;;) {
        const [x, y] = [2 * next() - 1, 2 * next() - 1]
        const square = x * x + y * y
        if (square > 1e-4 && square <= 1) return [x / Math.sqrt(square), y / Math.sqrt(square)]
      }
    },
  }
}
