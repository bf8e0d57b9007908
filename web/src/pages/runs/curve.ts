/** What a chart does to the points of a metric before it draws them. Pure. */

/** Points of one run; as many `steps` and `elapsedS` as `values`, in the order of the lines. */
export interface Curve {
  readonly key: string
  /** Lines that have the metric: more than there are points where the hub kept the extremes. */
  readonly count: number
  readonly steps: readonly number[]
  readonly values: readonly number[]
  readonly elapsedS: readonly number[]
}

/** Ends included. */
export type Range = readonly [from: number, to: number]

/**
 * Exponential moving average, as TensorBoard's: `weight` from 0 (unchanged) to below 1 is how much stays of what came
 * before. It is divided by the weights so far, so that it does not begin at zero.
 */
export function smoothed(values: readonly number[], weight: number): number[] {
  let sum = 0
  let weights = 0
  return values.map((value) => {
    sum = sum * weight + value * (1 - weight)
    weights = weights * weight + (1 - weight)
    return sum / weights
  })
}

/** The points over `x`, ascending: a trainer that counts again from zero has steps that go back. */
export function ascending(x: readonly number[], values: readonly number[]): [x: number[], values: number[]] {
  const isAscending = x.every((one, place) => place === 0 || one >= (x[place - 1] ?? one))
  if (isAscending) return [[...x], [...values]]
  const order = x.map((_, place) => place).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0))
  return [order.map((place) => x[place] ?? 0), order.map((place) => values[place] ?? 0)]
}

/** Whether a metric only counts the steps, as `step` itself does: its chart says nothing. */
export const isCounter = ({ steps, values }: Curve): boolean => values.every((value, place) => value === steps[place])

/** A logarithm has no zero and nothing below. */
export const positive = (values: readonly number[]): (number | null)[] =>
  values.map((value) => (value > 0 ? value : null))

/**
 * The curve with a part of it in full: points of `fine`, which has all steps from `from` to `to`, in place of those of
 * `coarse`.
 */
export function spliced(coarse: Curve, fine: Curve | undefined, [from, to]: Range): Curve {
  if (!fine || fine.steps.length === 0) return coarse
  const before = coarse.steps.findIndex((step) => step >= from)
  const after = coarse.steps.findIndex((step) => step > to)
  const joined = (list: (curve: Curve) => readonly number[]) => [
    ...list(coarse).slice(0, before < 0 ? undefined : before),
    ...list(fine),
    ...(after < 0 ? [] : list(coarse).slice(after)),
  ]
  return {
    ...coarse,
    steps: joined(({ steps }) => steps),
    values: joined(({ values }) => values),
    elapsedS: joined(({ elapsedS }) => elapsedS),
  }
}

/**
 * The steps that curves have where `x` is in a range: from the last point before it to the first after it. Null where
 * no curve has more lines than points.
 */
export function stepsOf(
  curves: readonly Curve[],
  x: (curve: Curve) => readonly number[],
  [from, to]: Range,
): Range | null {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const curve of curves) {
    if (curve.count <= curve.steps.length) continue
    const xs = x(curve)
    const begin = Math.max(
      0,
      xs.findLastIndex((one) => one < from),
    )
    const end = xs.findIndex((one) => one > to)
    first = Math.min(first, curve.steps[begin] ?? first)
    last = Math.max(last, curve.steps[end < 0 ? xs.length - 1 : end] ?? last)
  }
  return first <= last ? [first, last] : null
}

/** The least and the greatest x of all curves; null without a point. */
export function extent(xs: readonly (readonly number[])[]): Range | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const list of xs)
    for (const one of list) {
      least = Math.min(least, one)
      greatest = Math.max(greatest, one)
    }
  return least <= greatest ? [least, greatest] : null
}

/** A range around the same middle, `factor` times as long; null where that is all. */
export function zoomed(range: Range | null, all: Range, factor: number): Range | null {
  const [from, to] = range ?? all
  const half = ((to - from) * factor) / 2
  const middle = (from + to) / 2
  return within([middle - half, middle + half], all)
}

/** A range moved by a share of its length, within `all`. */
export function moved(range: Range | null, all: Range, share: number): Range | null {
  if (range === null) return null
  const [from, to] = range
  const by = Math.min(all[1] - to, Math.max(all[0] - from, (to - from) * share))
  return [from + by, to + by]
}

function within([from, to]: Range, [least, greatest]: Range): Range | null {
  return from <= least && to >= greatest ? null : [Math.max(from, least), Math.min(to, greatest)]
}
