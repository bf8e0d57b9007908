/**
 * Metrics lines: the parts that the hub interprets, the rest passes through; and the lines of a report, as one
 * statement stores them. Pure. Spec, reportRun; contract, "Checkpoints and metrics".
 */
import { asDouble } from '@hub/formats/exact-json'
import { isOfMachine } from '@hub/formats/metric-order'
import { tooLarge } from '../../platform/errors.ts'
import { inTurns, type Sliced } from '../../platform/slices.ts'
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
  // To look for the key costs a hundredth of parsing a line that does not have it.
  if (line === undefined || stepKey === null || !line.includes(JSON.stringify(stepKey))) return null
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
  /** The newest line that has more than `system/` keys: what a machine does is not what its run came to. */
  readonly latest: string | null
}

export const MAX_METRICS_LINES = 10_000
/** Characters of lines that are read in one piece: the densest, of a key for each five, take some 10 ms. */
export const LINES_SLICE = 65_536

/** The lines of a report's `metrics`; null if there are none. 413 `too_large` for more than 10,000 lines. */
export async function readMetrics(given: readonly unknown[] | null | undefined): Promise<MetricsBatch | null> {
  if (!given || given.length === 0) return null
  if (given.length > MAX_METRICS_LINES) {
    const detail = `has ${given.length} lines; ${MAX_METRICS_LINES} is the limit`
    throw tooLarge(detail, ['metrics'], { unit: 'lines', limit: MAX_METRICS_LINES, used: given.length })
  }
  return inTurns(batchOf(given as readonly Readonly<Record<string, unknown>>[]))
}

function* batchOf(given: readonly Readonly<Record<string, unknown>>[]): Sliced<MetricsBatch> {
  const [lines, steps, rewards]: [string[], (number | null)[], (number | null)[]] = [[], [], []]
  let [rewardKey, latest]: (string | null)[] = [null, null]
  let characters = 0
  for (const members of given) {
    const line = JSON.stringify(members)
    const read = readMetricsLine(members)
    lines.push(line)
    steps.push(read.step)
    rewards.push(read.reward)
    rewardKey ??= read.rewardKey
    if (Object.keys(members).some((key) => !isOfMachine(key))) latest = line
    characters += line.length
    if (characters <= LINES_SLICE) continue
    characters = 0
    yield
  }
  return { lines, steps, rewards, rewardKey: rewardKey ?? null, latest: latest ?? null }
}

/** The rewards of a batch as points of the curve; a line without a step uses its sequence number. */
export function rewardsOf({ steps, rewards }: MetricsBatch, firstSeq: number): CurvePoint[] {
  return rewards.flatMap((reward, index): CurvePoint[] =>
    reward === null ? [] : [[steps[index] ?? firstSeq + index, reward]],
  )
}
