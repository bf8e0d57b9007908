/** Whether a curve of memory has become flat. */

export interface Point {
  /** Minutes. */
  readonly at: number
  readonly value: number
}

export interface Plateau {
  /** Of the last third, in units an hour, by least squares. */
  readonly slope: number
  /** The bound for it. */
  readonly bound: number
  readonly isFlat: boolean
}

/** A leak that adds a tenth of the mean in an hour doubles the process in ten; below this the noise of a collector is not a leak. */
const SHARE_AN_HOUR = 0.1

/** Judges the last third: the first two warm caches. */
export function plateauOf(points: readonly Point[]): Plateau {
  const last = points.slice(Math.floor((points.length * 2) / 3))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [at, value] = [mean(last.map((point) => point.at)), mean(last.map((point) => point.value))]
  const over = last.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0)
  const under = last.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  const slope = under === 0 ? 0 : (over / under) * 60
  const bound = SHARE_AN_HOUR * value
  return { slope, bound, isFlat: slope <= bound }
}
