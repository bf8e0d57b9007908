/**
 * What each metric of a run comes to, folded line by line: the same lines give the same values, in however many reports
 * they come. Pure. Contract, "Checkpoints and metrics".
 */
import type { Sliced } from '../../platform/slices.ts'
import { LINES_SLICE, stepOf } from '../metrics/metrics-line.ts'

/** Of the finite numbers under one key. A step is that of the line, else the number of the line. */
export interface MetricSummary {
  readonly key: string
  /** How many lines have it. */
  readonly count: number
  readonly last: number
  readonly lastStep: number
  /** The least value, and where it was reached first. */
  readonly min: number
  readonly minStep: number
  readonly max: number
  readonly maxStep: number
  readonly mean: number
}

/** A metrics line as JSON, with its number in the run. */
export interface NumberedLine {
  readonly seq: number
  readonly line: string
}

/** As many keys as `metrics` has of a run. */
export const MAX_SUMMARIES = 1000
const MAX_KEY_CHARACTERS = 256

/**
 * Adds the lines to `summaries`, whose order is that in which keys appear, and returns the keys that changed. Keys past
 * the first 1000, and those that no column can hold, are left out; so is a number beyond the doubles.
 */
export function* foldLines(
  summaries: Map<string, MetricSummary>,
  lines: Iterable<NumberedLine>,
): Sliced<ReadonlySet<string>> {
  const changed = new Set<string>()
  let characters = 0
  for (const { seq, line } of lines) {
    characters += line.length
    if (characters > LINES_SLICE) {
      characters = 0
      yield
    }
    // The plain parser suffices for doubles, and takes a fraction of the time of the one that keeps digits.
    const members: Readonly<Record<string, unknown>> = JSON.parse(line)
    const step = stepOf(members) ?? seq
    for (const [key, value] of Object.entries(members)) {
      if (typeof value !== 'number' || !Number.isFinite(value)) continue
      const before = summaries.get(key)
      if (!before && (summaries.size >= MAX_SUMMARIES || !isKeepable(key))) continue
      summaries.set(key, before ? added(before, value, step) : first(key, value, step))
      changed.add(key)
    }
  }
  return changed
}

const isKeepable = (key: string) =>
  key.isWellFormed() &&
  !key.includes('\0') &&
  (key.length <= MAX_KEY_CHARACTERS || [...key].length <= MAX_KEY_CHARACTERS)

const first = (key: string, value: number, step: number): MetricSummary => ({
  key,
  count: 1,
  last: value,
  lastStep: step,
  min: value,
  minStep: step,
  max: value,
  maxStep: step,
  mean: value,
})

function added(before: MetricSummary, value: number, step: number): MetricSummary {
  const count = before.count + 1
  const isLeast = value < before.min
  const isMost = value > before.max
  return {
    key: before.key,
    count,
    last: value,
    lastStep: step,
    min: isLeast ? value : before.min,
    minStep: isLeast ? step : before.minStep,
    max: isMost ? value : before.max,
    maxStep: isMost ? step : before.maxStep,
    mean: meanAfter(before.mean, value, count),
  }
}

/** The running mean; the second form, which is less exact, is for values whose difference is beyond the doubles. */
function meanAfter(mean: number, value: number, count: number): number {
  const difference = value - mean
  return Number.isFinite(difference) ? mean + difference / count : mean * ((count - 1) / count) + value / count
}
