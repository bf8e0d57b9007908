/** The metrics lines of a report, as one statement stores them. Pure. Spec, reportRun; contract, "Checkpoints and metrics". */
import { tooLarge } from '../../platform/errors.ts'
import type { CurvePoint } from '../read/sparkline.ts'
import { readMetricsLine } from './metrics-line.ts'

/** Metrics lines by column; `lines` has the complete JSON of each. */
export interface MetricsBatch {
  readonly lines: readonly string[]
  readonly steps: readonly (number | null)[]
  readonly rewards: readonly (number | null)[]
  /** The key of the first reward. */
  readonly rewardKey: string | null
}

export const MAX_METRICS_LINES = 10_000

/** The lines of a report's `metrics`; null if there are none. 413 `too_large` for more than 10,000 lines. */
export function readMetrics(given: readonly unknown[] | null | undefined): MetricsBatch | null {
  if (!given || given.length === 0) return null
  if (given.length > MAX_METRICS_LINES) {
    const detail = `has ${given.length} lines; ${MAX_METRICS_LINES} is the limit`
    throw tooLarge(detail, ['metrics'], { unit: 'lines', limit: MAX_METRICS_LINES, used: given.length })
  }
  const read = given.map((line) => readMetricsLine(line as Record<string, unknown>))
  return {
    lines: given.map((line) => JSON.stringify(line)),
    steps: read.map(({ step }) => step),
    rewards: read.map(({ reward }) => reward),
    rewardKey: read.find(({ rewardKey }) => rewardKey !== null)?.rewardKey ?? null,
  }
}

/** The rewards of a batch as points of the curve; a line without a step uses its sequence number. */
export function rewardsOf({ steps, rewards }: MetricsBatch, firstSeq: number): CurvePoint[] {
  return rewards.flatMap((reward, index): CurvePoint[] =>
    reward === null ? [] : [[steps[index] ?? firstSeq + index, reward]],
  )
}
