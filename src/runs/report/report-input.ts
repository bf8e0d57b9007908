/** Validates and parses a runner's report. Pure. Spec, reportRun. */

import { boundedBytes } from '../../platform/bounded-text.ts'
import type { Config } from '../../platform/config.ts'
import { type ChunkShape, shapeOf } from '../../work/log/log-lines.ts'
import { type Gates, gatesOf } from '../gates/scorecard.ts'
import { type MetricsBatch, readMetrics } from '../metrics/metrics-batch.ts'
import type { ReportedProgress } from '../read/progress.ts'

export type ReportStatus = 'succeeded' | 'failed' | 'canceled'

/** Every member except the id is optional; null counts as absent. */
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

export interface ReadReport {
  readonly log: { readonly bytes: Uint8Array; readonly shape: ChunkShape } | null
  readonly metrics: MetricsBatch | null
  readonly config: Uint8Array | null
  readonly scorecard: { readonly bytes: Uint8Array; readonly gates: Gates } | null
}

/** Whether each part that the runner numbers is new; false for a part that is already stored. */
export interface FreshParts {
  readonly log: boolean
  readonly metrics: boolean
}

const MAX_LOG_CHUNK_BYTES = 256 * 1024

/** The parts of a report to store. 413 `too_large` if a part exceeds its limit. */
export function readReport({ runs }: Pick<Config, 'runs'>, input: ReportRunInput, fresh: FreshParts): ReadReport {
  const { configYaml, scorecardJson } = input
  const limit = runs.maxArtifactBytes
  return {
    config: configYaml == null ? null : boundedBytes(configYaml, limit, ['configYaml']),
    log: readChunk(fresh.log ? input.logChunk : null),
    metrics: readMetrics(fresh.metrics ? input.metrics : null),
    scorecard: scorecardJson == null ? null : readScorecard(scorecardJson, limit),
  }
}

function readChunk(text: string | null | undefined): ReadReport['log'] {
  if (!text) return null
  const bytes = boundedBytes(text, MAX_LOG_CHUNK_BYTES, ['logChunk'])
  return { bytes, shape: shapeOf(bytes) }
}

function readScorecard(given: unknown, limit: number): ReadReport['scorecard'] {
  return { bytes: boundedBytes(JSON.stringify(given), limit, ['scorecardJson']), gates: gatesOf(given) }
}
