/** The progress of a run, computed when the run is read. Pure. Spec, RunProgress. */
import { maybe, number, objectOf, text } from '../../store/read-json.ts'
import { type Pace, rateOf } from './pace.ts'

/** `progress` of the last report that had one, as it was sent. */
export interface ReportedProgress {
  readonly iteration?: number | null
  readonly total_iterations?: number | null
  readonly final_iteration?: number | null
  readonly start_iteration?: number | null
  readonly step_key?: string | null
  readonly iterations_per_s?: number | null
}

/** Reads the stored one. */
export const readProgress = objectOf<ReportedProgress>({
  iteration: maybe(number),
  total_iterations: maybe(number),
  final_iteration: maybe(number),
  start_iteration: maybe(number),
  step_key: maybe(text),
  iterations_per_s: maybe(number),
})

export interface ProgressFacts {
  readonly reported: ReportedProgress | null
  readonly reportedAt: string | null
  readonly pace: Pace | null
  /** Step of the parent's checkpoint that the recipe starts from. */
  readonly startStep: number | null
  readonly running: boolean
}

export interface RunProgress {
  readonly iteration: number | null
  readonly totalIterations: number | null
  readonly finalIteration: number | null
  readonly startIteration: number
  readonly iterationsPerS: number | null
  readonly fraction: number | null
  readonly etaS: number | null
  readonly etaAt: string | null
  readonly stepKey: string | null
  readonly asOf: string
}

/**
 * RunProgress at `now`; null until something was reported. The iteration is that of the newest metrics line, unless a
 * report gave one at the same time or later. The end is `final_iteration`, else the sum of start and total. Only a
 * running run has a time of arrival; a time in the past becomes `now`.
 */
export function progressOf(run: ProgressFacts, now: string): RunProgress | null {
  const newest = run.pace?.at(-1)
  const [reportedMs, lineMs] = [run.reportedAt === null ? null : Date.parse(run.reportedAt), newest?.[0] ?? null]
  if (reportedMs === null && lineMs === null) return null
  const asOf = new Date(Math.max(reportedMs ?? 0, lineMs ?? 0)).toISOString()
  const said = run.reported ?? {}
  const start = said.start_iteration ?? run.startStep ?? 0
  const isLineNewer = lineMs !== null && (reportedMs === null || lineMs > reportedMs)
  const iteration = (isLineNewer ? newest?.[1] : said.iteration) ?? newest?.[1] ?? null
  const end = said.final_iteration ?? (said.total_iterations == null ? null : start + said.total_iterations)
  const iterationsPerS = rateOf(run.pace) ?? said.iterations_per_s ?? null
  const etaMs = run.running ? arrivalMs({ iteration, end, iterationsPerS }, Date.parse(asOf), Date.parse(now)) : null
  return {
    iteration: wholeIteration(iteration),
    totalIterations: said.total_iterations ?? null,
    finalIteration: said.final_iteration ?? null,
    startIteration: start,
    iterationsPerS,
    fraction: fractionOf(iteration, start, end),
    etaS: etaMs === null ? null : (etaMs - Date.parse(now)) / 1000,
    etaAt: etaMs === null ? null : new Date(etaMs).toISOString(),
    stepKey: said.step_key ?? null,
    asOf,
  }
}

/**
 * An iteration is an integer, and the step of a metrics line any number: the last one that was complete. Null beyond
 * the safe integers.
 */
function wholeIteration(step: number | null): number | null {
  const whole = step === null ? null : Math.floor(step)
  return Number.isSafeInteger(whole) ? whole : null
}

function fractionOf(iteration: number | null, start: number, end: number | null): number | null {
  if (iteration === null || end === null || end <= start) return null
  return Math.min(1, Math.max(0, (iteration - start) / (end - start)))
}

/** The latest time that a JavaScript `Date` can represent. */
const MAX_TIME_MS = 8.64e15

function arrivalMs(
  at: { iteration: number | null; end: number | null; iterationsPerS: number | null },
  asOfMs: number,
  nowMs: number,
): number | null {
  if (at.iteration === null || at.end === null || at.iterationsPerS === null || at.iterationsPerS <= 0) return null
  const arrival = asOfMs + (Math.max(0, at.end - at.iteration) / at.iterationsPerS) * 1000
  return arrival > MAX_TIME_MS ? null : Math.round(Math.max(arrival, nowMs))
}
