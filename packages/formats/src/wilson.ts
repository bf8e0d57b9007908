/** An interval for a rate of successes, since ten of ten are not a hundred of a hundred. Pure. */

/** The normal distribution has 95 % within so many deviations. */
const Z = 1.959963984540054

/** Wilson's interval of 95 % for a rate: it stays between 0 and 1, and is right for few as well. */
export function wilson(successes: number, count: number): readonly [low: number, high: number] {
  if (count === 0) return [0, 1]
  const rate = successes / count
  const square = Z * Z
  const middle = rate + square / (2 * count)
  const half = Z * Math.sqrt((rate * (1 - rate)) / count + square / (4 * count * count))
  const whole = 1 + square / count
  // At an end the interval reaches it; rounding would leave a hair.
  return [successes === 0 ? 0 : (middle - half) / whole, successes === count ? 1 : (middle + half) / whole]
}
