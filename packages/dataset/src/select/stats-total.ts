/** Statistics of several episodes together, as LeRobot's own tools join them. Pure. */
import { numbersOf } from '../check/episode-rows.ts'
import { type Moments, together } from '../check/moments.ts'

/** Parts of a statistic (`mean`, `q01`, …) by name, in the nesting that they are written in. */
export type FeatureStats = Readonly<Record<string, unknown>>

/** Of each column. */
export type Stats = Readonly<Record<string, FeatureStats>>

/** As a file of the data set has them: what is not statistics of a column is left out. */
export function statsOf(value: unknown): Stats {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {})
  return Object.fromEntries(
    entries.flatMap(([name, parts]): [string, FeatureStats][] =>
      typeof parts === 'object' && parts !== null && !Array.isArray(parts) ? [[name, { ...parts }]] : [],
    ),
  )
}

/** What is known of a column until now, one number after the other. */
type Flat = Readonly<Record<string, readonly number[]>>

/** Joins episodes one after the other. */
export interface StatsTotal {
  add(stats: Stats): void
  /**
   * The statistics of all that were added, in the form of `before`. A column of which an episode said nothing stays as
   * it was, and is named in `kept`.
   */
  over(before: Stats): { readonly stats: Stats; readonly kept: readonly string[] }
}

/** Of no episode yet. */
export function statsTotal(): StatsTotal {
  const totals = new Map<string, { flat: Flat; episodes: number }>()
  let episodes = 0
  return {
    add(stats) {
      episodes += 1
      for (const [name, parts] of Object.entries(stats)) {
        const flat = Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, numbersOf(value)]))
        const before = totals.get(name)
        totals.set(name, {
          flat: before ? joined(before.flat, flat) : flat,
          episodes: (before?.episodes ?? 0) + 1,
        })
      }
    },
    over(before) {
      const kept: string[] = []
      const stats = Object.entries(before).map(([name, parts]) => {
        const total = totals.get(name)
        if (total?.episodes === episodes) return [name, inFormOf(parts, total.flat)] as const
        kept.push(name)
        return [name, parts] as const
      })
      return { stats: Object.fromEntries(stats), kept }
    },
  }
}

/** Quantiles of all are the means of those of the episodes, weighted by their frames: an estimate, as in LeRobot. */
function joined(a: Flat, b: Flat): Flat {
  const [ofA, ofB] = [a.count?.[0] ?? 0, b.count?.[0] ?? 0]
  const moments = (flat: Flat, at: number, count: number): Moments => ({
    count,
    ...{ min: flat.min?.[at] ?? 0, max: flat.max?.[at] ?? 0, mean: flat.mean?.[at] ?? 0, std: flat.std?.[at] ?? 0 },
  })
  const parts = Object.keys(a).filter((part) => b[part] !== undefined)
  return Object.fromEntries(
    parts.map((part) => [
      part,
      (a[part] ?? []).map((own, at) => {
        const both = together(moments(a, at, ofA), moments(b, at, ofB))
        if (part === 'count' || part === 'min' || part === 'max' || part === 'mean' || part === 'std') return both[part]
        return (own * ofA + (b[part]?.[at] ?? own) * ofB) / Math.max(1, ofA + ofB)
      }),
    ]),
  )
}

/** A part that is not known any more is left out. */
function inFormOf(before: FeatureStats, flat: Flat): FeatureStats {
  const parts = Object.entries(before).flatMap(([part, form]) => {
    const numbers = flat[part]
    return numbers === undefined ? [] : [[part, nested(form, numbers)] as const]
  })
  return Object.fromEntries(parts)
}

function nested(form: unknown, numbers: readonly number[]): unknown {
  let at = 0
  const fill = (value: unknown): unknown => (Array.isArray(value) ? value.map(fill) : numbers[at++])
  return fill(form)
}

/** Every number of a value changed, in its nesting and its type. */
export function eachNumber(value: unknown, change: (number: number) => number): unknown {
  if (Array.isArray(value)) return value.map((part) => eachNumber(part, change))
  if (typeof value === 'bigint') return BigInt(change(Number(value)))
  return typeof value === 'number' ? change(value) : value
}
