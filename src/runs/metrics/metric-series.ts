/**
 * Downsamples a metric as a stream. Pure. Lines are grouped in buckets of equal length, of which the minimum and
 * maximum are kept, so no peak is lost; when there are too many buckets, adjacent pairs are merged.
 */

/** `[step, value]`. */
export type MetricPoint = readonly [step: number, value: number]

export interface MetricSeries {
  readonly key: string
  /** Number of lines with this key. */
  readonly count: number
  /** In the order of the lines. */
  readonly points: readonly MetricPoint[]
  /** For each point, in the same order: seconds from the start of the run to the report of the point. */
  readonly elapsedS: readonly number[]
}

export interface SeriesBuilder {
  add(step: number, value: number, elapsedS?: number): void
  series(): MetricSeries
}

interface Sample {
  /** Index of the line among the lines that have the metric. */
  readonly place: number
  readonly point: MetricPoint
  readonly elapsedS: number
}

interface Bucket {
  lines: number
  low: Sample
  high: Sample
}

/** Keeps at most `maxPoints` points (2 or more), and every line as long as there are no more lines than that. */
export function seriesBuilder(key: string, maxPoints: number): SeriesBuilder {
  const limit = Math.floor(maxPoints / 2)
  let buckets: Bucket[] = []
  let length = 2
  let count = 0
  return {
    add(step, value, elapsedS = 0) {
      const sample = { place: count, point: [step, value] as const, elapsedS }
      count += 1
      if (buckets.length === limit && buckets.at(-1)?.lines === length) {
        buckets = merged(buckets)
        length *= 2
      }
      const last = buckets.at(-1)
      if (!last || last.lines === length) {
        buckets.push({ lines: 1, low: sample, high: sample })
        return
      }
      last.lines += 1
      if (value < last.low.point[1]) last.low = sample
      // An equal value counts as higher, so that both lines of a bucket of two are kept.
      if (value >= last.high.point[1]) last.high = sample
    },
    series: () => {
      const kept = buckets.flatMap(samplesOf)
      return { key, count, points: kept.map(({ point }) => point), elapsedS: kept.map((one) => one.elapsedS) }
    },
  }
}

/** Merges adjacent pairs. */
function merged(buckets: readonly Bucket[]): Bucket[] {
  const pairs: Bucket[] = []
  for (let at = 0; at < buckets.length; at += 2) {
    const [a, b] = [buckets[at], buckets[at + 1]]
    if (!a || !b) {
      if (a) pairs.push(a)
      continue
    }
    const low = b.low.point[1] < a.low.point[1] ? b.low : a.low
    const high = b.high.point[1] >= a.high.point[1] ? b.high : a.high
    pairs.push({ lines: a.lines + b.lines, low, high })
  }
  return pairs
}

/** The low and the high sample in line order; only one if both are the same line. */
function samplesOf({ low, high }: Bucket): Sample[] {
  if (low.place === high.place) return [low]
  return low.place < high.place ? [low, high] : [high, low]
}
