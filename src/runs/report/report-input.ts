/** Validates and parses a runner's report. Pure. Spec, reportRun. */

import type { Config } from '../../platform/config.ts'
import { HubError, type Loc } from '../../platform/errors.ts'
import { countLines } from '../../work/log/log-lines.ts'
import { type Gates, gatesOf } from '../gates/scorecard.ts'
import { readMetricsLine } from '../metrics/metrics-line.ts'
import type { ReportedProgress } from '../read/progress.ts'
import type { CurvePoint } from '../read/sparkline.ts'

export type ReportStatus = 'succeeded' | 'failed' | 'canceled'

/** All but the id is optional; null is absent. */
export interface ReportRunInput {
  readonly runId: string
  /** The attempt of the report: distinguishes two claims of one credential. */
  readonly attempt?: number | null
  readonly status?: ReportStatus | null
  readonly metrics?: readonly unknown[] | null
  readonly logChunk?: string | null
  readonly error?: string | null
  readonly configYaml?: string | null
  readonly scorecardJson?: unknown
  readonly outputModelRepo?: string | null
  readonly peakVramGb?: number | null
  readonly samplesPerS?: number | null
  readonly gpuTier?: string | null
  readonly progress?: ReportedProgress | null
  readonly logSeq?: number | null
  readonly metricsSeq?: number | null
}

/** Metrics lines by column, as one statement stores them; each line is kept as the JSON that it came as. */
export interface MetricsBatch {
  readonly lines: readonly string[]
  readonly steps: readonly (number | null)[]
  readonly rewards: readonly (number | null)[]
  /** The key of the first reward. */
  readonly rewardKey: string | null
}

export interface ReadReport {
  readonly log: { readonly bytes: Uint8Array; readonly lineCount: number } | null
  readonly metrics: MetricsBatch | null
  readonly config: Uint8Array | null
  readonly scorecard: { readonly bytes: Uint8Array; readonly gates: Gates } | null
}

export const MAX_METRICS_LINES = 10_000
const MAX_LOG_CHUNK_BYTES = 256 * 1024

/** The parts of a report to store. 413 `too_large` if a part exceeds its limit. */
export function readReport(config: Pick<Config, 'runs'>, input: ReportRunInput): ReadReport {
  const { maxArtifactBytes } = config.runs
  const log = bytesOf('logChunk', input.logChunk, MAX_LOG_CHUNK_BYTES)
  return {
    log: log && log.byteLength > 0 ? { bytes: log, lineCount: countLines(input.logChunk ?? '') } : null,
    metrics: input.metrics && input.metrics.length > 0 ? readMetrics(input.metrics) : null,
    config: bytesOf('configYaml', input.configYaml, maxArtifactBytes),
    scorecard: readScorecard(input.scorecardJson, maxArtifactBytes),
  }
}

function bytesOf(field: string, text: string | null | undefined, limit: number): Uint8Array | null {
  if (text === null || text === undefined) return null
  const size = Buffer.byteLength(text)
  if (size > limit) throw tooLarge(`has ${size} bytes in UTF-8; ${limit} is the limit`, [field])
  return Buffer.from(text)
}

/** The message quotes the place; `/v1` replaces it with its own name. */
function tooLarge(detail: string, loc: Loc): HubError {
  return new HubError('too_large', `${loc.join('.')}: ${detail}`, { items: [{ type: 'too_large', detail, loc }] })
}

function readMetrics(given: readonly unknown[]): MetricsBatch {
  if (given.length > MAX_METRICS_LINES) {
    const detail = `has ${given.length} lines; ${MAX_METRICS_LINES} is the limit`
    throw tooLarge(detail, ['metrics'])
  }
  const read = given.map((line) => readMetricsLine(line as Record<string, unknown>))
  return {
    lines: given.map((line) => JSON.stringify(line)),
    steps: read.map(({ step }) => step),
    rewards: read.map(({ reward }) => reward),
    rewardKey: read.find(({ rewardKey }) => rewardKey !== null)?.rewardKey ?? null,
  }
}

function readScorecard(given: unknown, limit: number): ReadReport['scorecard'] {
  if (given === null || given === undefined) return null
  const loc = ['scorecardJson']
  const bytes = Buffer.from(JSON.stringify(given))
  if (bytes.byteLength > limit) throw tooLarge(`has ${bytes.byteLength} bytes; ${limit} is the limit`, loc)
  return { bytes, gates: gatesOf(given) }
}

/** The rewards of a batch as points of the curve; a line without a step counts by its number. */
export function rewardsOf({ steps, rewards }: MetricsBatch, firstSeq: number): CurvePoint[] {
  return rewards.flatMap((reward, index): CurvePoint[] =>
    reward === null ? [] : [[steps[index] ?? firstSeq + index, reward]],
  )
}
