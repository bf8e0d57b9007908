/** Reads a growing `metrics.jsonl`. Pure. */

import { asDouble, isJsonObject, parseExact } from '@hub/formats/exact-json'

/** The hub accepts 10,000 lines and a body of 8 MiB per report; smaller batches keep each report short. */
const MAX_LINES = 2000
const MAX_BYTES = 1024 * 1024

type Line = Readonly<Record<string, unknown>>

export interface MetricsBatch {
  readonly lines: readonly Line[]
  /** How many input bytes were consumed. */
  readonly size: number
  /** Dropped lines with reasons. */
  readonly refused: readonly string[]
}

const NEWLINE = 10

/**
 * The complete lines, as many as fit a report. `isEnd`: the file ends here, so an unterminated last line is
 * complete. `isInLine`: the bytes start within a line that was too long, whose rest is skipped. `metricsOf`: what of
 * a line is the object; '' for a line without one.
 */
export function readMetrics(
  bytes: Uint8Array,
  isEnd: boolean,
  isInLine = false,
  metricsOf = (line: string) => line,
): MetricsBatch {
  const lines: Line[] = []
  const refused: string[] = []
  let from = isInLine ? bytes.indexOf(NEWLINE) + 1 || bytes.length : 0
  while (from < bytes.length && lines.length < MAX_LINES && from < MAX_BYTES) {
    const end = bytes.indexOf(NEWLINE, from)
    if (end < 0 && bytes.length - from >= MAX_BYTES) {
      refused.push(`longer than 1 MiB: ${shown(bytes.subarray(from))}`)
      from = bytes.length
      break
    }
    if (end < 0 && !isEnd) break
    const to = end < 0 ? bytes.length : end
    const text = metricsOf(Buffer.from(bytes.subarray(from, to)).toString('utf8')).trim()
    from = Math.min(to + 1, bytes.length)
    if (text === '') continue
    const line = readLine(text)
    if (typeof line === 'string') refused.push(`${line}: ${text.slice(0, 200)}`)
    else lines.push(line)
  }
  return { lines, size: from, refused }
}

/** The start of a line, for a message. */
const shown = (line: Uint8Array) => Buffer.from(line.subarray(0, 200)).toString('utf8')

/** The parsed line, or why it was dropped. A number beyond a double would not survive serialization. */
function readLine(text: string): Line | string {
  const line = parsed(text) ?? parsed(withoutNan(text))
  if (line === undefined) return 'not JSON'
  if (!isJsonObject(line)) return 'not a JSON object'
  return hasInfinite(line) ? 'a number that is too large' : line
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** Python writes NaN and Infinity, which are not JSON: they become null, and the rest of the line is kept. */
function withoutNan(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g, (token) => (token.startsWith('"') ? token : 'null'))
}

function hasInfinite(value: unknown): boolean {
  const double = asDouble(value)
  if (double !== null) return !Number.isFinite(double)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinite)
}

const stepKeys = ['iteration', 'step', 'global_step', '_step'] as const
const totalKeys = ['total_iterations', 'iterations', 'max_iterations', 'num_iterations', 'steps', 'max_steps'] as const

const numberAt = (object: Line, key: string) => {
  const value = Object.hasOwn(object, key) ? asDouble(object[key]) : null
  return value !== null && Number.isFinite(value) ? value : undefined
}

/**
 * `progress` of a report (spec, RunReportProgress): the newest iteration, and the total from the line itself or the
 * recipe.
 */
export function progressIn(lines: readonly Line[], hyperparams: Line): Record<string, unknown> | null {
  for (const line of lines.toReversed()) {
    const stepKey = stepKeys.find((key) => Number.isInteger(numberAt(line, key)))
    if (stepKey === undefined) continue
    const totalKey = totalKeys.find((key) => Number.isInteger(numberAt(hyperparams, key)))
    const total = numberAt(line, 'total_iterations') ?? (totalKey && numberAt(hyperparams, totalKey))
    return { iteration: numberAt(line, stepKey), step_key: stepKey, total_iterations: total }
  }
  return null
}

/** The newest value of each machine measurement. */
export function measuredIn(lines: readonly Line[]): {
  readonly peak_vram_gb?: number
  readonly samples_per_s?: number
} {
  const newest = (key: string) =>
    lines.map((line) => numberAt(line, key)).findLast((value) => value !== undefined && value >= 0)
  return { peak_vram_gb: newest('peak_vram_gb'), samples_per_s: newest('samples_per_s') }
}
