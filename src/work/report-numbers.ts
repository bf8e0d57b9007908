/**
 * A worker's own numbers of its reports (contract, "Reports"). Pure. Reports of one worker may be in flight at the same
 * time, so a higher number can be stored first: the lower one is then not a duplicate.
 */

/** The numbers stored in this attempt: everything up to `last` except `gaps`. */
export interface StoredNumbers {
  /** Null until a report gave one. */
  readonly last: number | null
  readonly gaps: readonly number[]
}

/** How far behind the last number a late report may be; no worker has this many reports in flight. */
const WINDOW = 64

/** Whether the report with this number is already stored. */
export function isStored({ last, gaps }: StoredNumbers, number: number): boolean {
  return last !== null && number <= last && !gaps.includes(number)
}

/**
 * The stored numbers plus `number`. A new attempt starts without a last number; the gaps of the previous one are
 * dropped.
 */
export function withNumber({ last, gaps }: StoredNumbers, number: number): StoredNumbers {
  if (last !== null && number <= last) return { last, gaps: gaps.filter((gap) => gap !== number) }
  const from = Math.max(0, number - WINDOW, last === null ? 0 : last + 1)
  const passed = Array.from({ length: number - from }, (_, index) => from + index)
  const open = last === null ? [] : gaps.filter((gap) => gap >= number - WINDOW)
  return { last: number, gaps: [...open, ...passed] }
}

/** The number of a part of a report, and those that are stored. */
export interface ReportNumber {
  readonly stored: StoredNumbers
  /** Null if the worker gave none. */
  readonly given: number | null
}

/** The stored numbers after the report. */
export function numberAfter({ stored, given }: ReportNumber): StoredNumbers {
  return given === null ? stored : withNumber(stored, given)
}
