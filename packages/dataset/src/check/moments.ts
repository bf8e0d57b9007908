/** Minimum, maximum, mean and standard deviation of numbers, and a histogram of a range that grows. Pure. */

/** Of the finite numbers among those that were given. */
export interface Moments {
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
  /** Of the population, as NumPy's `std` is. */
  readonly std: number
}

/** Of every `width`-th number from `at`. */
export function momentsOf(values: Float64Array, at = 0, width = 1): Moments {
  let [count, min, max, mean, squares] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  for (let place = at; place < values.length; place += width) {
    const value = values[place] ?? Number.NaN
    if (!Number.isFinite(value)) continue
    count += 1
    min = Math.min(min, value)
    max = Math.max(max, value)
    const off = value - mean
    mean += off / count
    squares += off * (value - mean)
  }
  return { count, min, max, mean, std: count === 0 ? 0 : Math.sqrt(squares / count) }
}

/** Of the numbers of both. */
export function together(a: Moments, b: Moments): Moments {
  const count = a.count + b.count
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a
  const off = b.mean - a.mean
  const squares = a.std ** 2 * a.count + b.std ** 2 * b.count + (off ** 2 * a.count * b.count) / count
  return {
    count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    mean: a.mean + (off * b.count) / count,
    std: Math.sqrt(squares / count),
  }
}

/** Bins of the same width between two numbers. */
export interface Histogram {
  readonly lower: number
  readonly upper: number
  readonly counts: readonly number[]
}

const BINS = 32

/** Counts numbers in 32 bins of one width, which doubles when a number is outside: no number is kept. */
export function growingHistogram(): { add(value: number): void; histogram(): Histogram | null } {
  let counts = new Array<number>(BINS).fill(0)
  let lower = 0
  let width = 0
  let isEmpty = true
  const widen = (isBelow: boolean) => {
    const merged = Array.from({ length: BINS / 2 }, (_, at) => (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0))
    const none = new Array<number>(BINS / 2).fill(0)
    counts = isBelow ? [...none, ...merged] : [...merged, ...none]
    if (isBelow) lower -= width * BINS
    width *= 2
  }
  return {
    add(value) {
      if (!Number.isFinite(value)) return
      if (isEmpty) {
        isEmpty = false
        // Fine enough for what moves by a millionth of its value.
        width = Math.max(Math.abs(value), 1e-3) * 2 ** -20
        lower = value - (width * BINS) / 2
      }
      while (value < lower) widen(true)
      while (value >= lower + width * BINS) widen(false)
      const bin = Math.min(BINS - 1, Math.floor((value - lower) / width))
      counts[bin] = (counts[bin] ?? 0) + 1
    },
    histogram() {
      if (isEmpty) return null
      // Doubling leaves empty bins at the ends, and the ends are shown as where the numbers were.
      const first = counts.findIndex((count) => count > 0)
      const after = counts.findLastIndex((count) => count > 0) + 1
      return { lower: lower + width * first, upper: lower + width * after, counts: counts.slice(first, after) }
    },
  }
}

/** Of whole numbers that are all known. */
export function histogramOf(values: readonly number[], bins = 20): Histogram | null {
  if (values.length === 0) return null
  const lower = values.reduce((least, value) => Math.min(least, value))
  const upper = values.reduce((most, value) => Math.max(most, value))
  const counts = new Array<number>(upper === lower ? 1 : bins).fill(0)
  for (const value of values) {
    const bin = upper === lower ? 0 : Math.min(bins - 1, Math.floor(((value - lower) / (upper - lower)) * bins))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { lower, upper, counts }
}
