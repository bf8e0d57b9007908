/**
 * Metrics lines: the parts that the hub interprets, the rest passes through; and the lines of a report, as one
 * statement stores them. Pure. Spec, reportRun; contract, "Checkpoints and metrics".
 */
import { asDouble } from '@hub/formats/exact-json'
import { tooLarge } from '../../platform/errors.ts'
import type { CurvePoint } from '../read/sparkline.ts'

export interface LineReading {
  readonly step: number | null
  readonly reward: number | null
  /** The key of the reward. */
  readonly rewardKey: string | null
}

const stepKeys = ['iteration', 'step', 'global_step', '_step'] as const
const rewardNames = ['reward', 'mean_reward', 'episode_reward'] as const

/** The number under the first of the four keys of a step; null without one. */
export function stepOf(line: Readonly<Record<string, unknown>>): number | null {
  const key = stepKeys.find((one) => numberAt(line, one) !== null)
  return key === undefined ? null : numberAt(line, key)
}

/** Of the line itself, not of what it inherits. */
function numberAt(line: Readonly<Record<string, unknown>>, key: string): number | null {
  const double = Object.hasOwn(line, key) ? asDouble(line[key]) : null
  return double !== null && Number.isFinite(double) ? double : null
}

/**
 * `step` is the first of its four keys; `reward` the first of its three names, else of the first key that ends in one
 * (`train/mean_reward`, `eval.reward`).
 */
export function readMetricsLine(line: Readonly<Record<string, unknown>>): LineReading {
  const rewardKey =
    rewardNames.find((key) => numberAt(line, key) !== null) ??
    Object.keys(line).find((key) => numberAt(line, key) !== null && isRewardName(lastPartOf(key)))
  return {
    step: stepOf(line),
    reward: rewardKey === undefined ? null : numberAt(line, rewardKey),
    rewardKey: rewardKey ?? null,
  }
}

/** The number under `stepKey`, the key by which the trainer counts its steps; null if there is none. */
export function iterationOf(line: string | undefined, stepKey: string | null): number | null {
  if (line === undefined || stepKey === null) return null
  const members: Readonly<Record<string, unknown>> = JSON.parse(line)
  return Object.hasOwn(members, stepKey) && isFiniteNumber(members[stepKey]) ? members[stepKey] : null
}

/** Without a list of all parts: a name may be as long as a report. */
const lastPartOf = (key: string) => key.slice(Math.max(key.lastIndexOf('/'), key.lastIndexOf('.')) + 1)

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)
const isRewardName = (name: string) => rewardNames.some((known) => known === name)

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
