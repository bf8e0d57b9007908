/**
 * Training speed of a run, from its metrics lines. Pure. Timestamps in lines are not trusted, and lines of one report
 * arrive together, so they are assumed to be spread evenly since the previous report (or the claim). All by the
 * database's clock.
 */
import { listOf, pair, type Reader } from '../../store/read-json.ts'

/** `[unix ms, iteration]` of lines of the last minute of metrics, oldest first. */
export type Pace = readonly (readonly [atMs: number, iteration: number])[]

/** Reads the stored one. */
export const readPace: Reader<Pace> = listOf(pair)

const WINDOW_MS = 60_000
/** One minute with two lines per report and five reports per second. */
const MAX_POINTS = 600
/** Below this time span the rate would mostly measure network jitter. */
const SHORTEST_MS = 1000

export interface Arrival {
  /** Time of the runner's previous report. */
  readonly sinceMs: number
  readonly atMs: number
}

/**
 * The points of the last minute up to this report, or the last two points of any age. Null if no line of the report has
 * an iteration.
 */
export function paceAfter(
  pace: Pace,
  count: number,
  iterationAt: (place: number) => number | null,
  arrival: Arrival,
): Pace | null {
  const wroteAt = (place: number) =>
    Math.round(arrival.sinceMs + ((arrival.atMs - arrival.sinceMs) * (place + 1)) / count)
  const from = arrival.atMs - WINDOW_MS
  const last = placeBefore(count, iterationAt)
  if (last === null) return null
  let first: number | null = null
  for (let place = 0; place < last && first === null; place += 1)
    if (wroteAt(place) >= from && iterationAt(place) !== null) first = place
  first ??= placeBefore(last, iterationAt)
  const added = [first, last].flatMap((place): Pace => {
    const iteration = place === null ? null : iterationAt(place)
    return place === null || iteration === null ? [] : [[wroteAt(place), iteration]]
  })
  const all = [...pace, ...added]
  const recent = all.filter(([atMs]) => atMs >= from)
  if (recent.length < 2) return all.slice(-2)
  return recent.length <= MAX_POINTS ? recent : [...recent.slice(0, 1), ...recent.slice(1 - MAX_POINTS)]
}

/** The last line before `end` that has an iteration. */
function placeBefore(end: number, iterationAt: (place: number) => number | null): number | null {
  for (let place = end - 1; place >= 0; place -= 1) if (iterationAt(place) !== null) return place
  return null
}

/**
 * Iterations per second from the oldest to the newest point; null for fewer than two points, or if the iteration did
 * not increase.
 */
export function rateOf(pace: Pace | null): number | null {
  const [first, last] = [pace?.[0], pace?.at(-1)]
  if (!first || !last || first === last || last[1] <= first[1]) return null
  return ((last[1] - first[1]) * 1000) / Math.max(SHORTEST_MS, last[0] - first[0])
}
