/** Statistics of rows as they are written, for a data set that says none of its episodes. */
import type { NumberFeature } from '../check/description.ts'
import { numbersOf } from '../check/episode-rows.ts'
import { type Moments, momentsOf, together } from '../check/moments.ts'
import type { Stats } from './stats-total.ts'

/** Rows that come column by column, and the statistics of all that came. */
export interface RowStats {
  seen(column: string, values: readonly unknown[]): void
  stats(): Stats
}

/** Of columns of numbers; others are left out. */
export function rowStats(features: readonly NumberFeature[]): RowStats {
  const widths = new Map(features.map(({ name, width }) => [name, width]))
  const totals = new Map<string, readonly Moments[]>()
  return {
    seen(column, values) {
      const width = widths.get(column)
      if (width === undefined) return
      const flat = Float64Array.from(values.flatMap(numbersOf))
      const before = totals.get(column)
      const own = Array.from({ length: width }, (_, at) => momentsOf(flat, at, width))
      totals.set(
        column,
        own.map((one, at) => together(before?.[at] ?? { ...one, count: 0 }, one)),
      )
    },
    stats: () =>
      Object.fromEntries(
        [...totals].map(([name, moments]) => [
          name,
          {
            ...{ min: moments.map(({ min }) => min), max: moments.map(({ max }) => max) },
            ...{ mean: moments.map(({ mean }) => mean), std: moments.map(({ std }) => std) },
            count: [moments[0]?.count ?? 0],
          },
        ]),
      ),
  }
}
