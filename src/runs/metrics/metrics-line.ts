/** The parts of a metrics line that the hub interprets; the rest passes through. Pure. Contract, "Checkpoints and metrics". */
import { asDouble } from '@hub/formats/exact-json'

export interface LineReading {
  readonly step: number | null
  readonly reward: number | null
  /** The key of the reward. */
  readonly rewardKey: string | null
}

const stepKeys = ['iteration', 'step', 'global_step', '_step'] as const
const rewardNames = ['reward', 'mean_reward', 'episode_reward'] as const

/** `step` is the first of its four keys; `reward` the first of its three names, else of the first key that ends in one (`train/mean_reward`, `eval.reward`). */
export function readMetricsLine(line: Readonly<Record<string, unknown>>): LineReading {
  const numberAt = (key: string) => {
    const double = Object.hasOwn(line, key) ? asDouble(line[key]) : null
    return double !== null && Number.isFinite(double) ? double : null
  }
  const stepKey = stepKeys.find((key) => numberAt(key) !== null)
  const rewardKey =
    rewardNames.find((key) => numberAt(key) !== null) ??
    Object.keys(line).find((key) => numberAt(key) !== null && isRewardName(key.split(/[/.]/).at(-1)))
  return {
    step: stepKey === undefined ? null : numberAt(stepKey),
    reward: rewardKey === undefined ? null : numberAt(rewardKey),
    rewardKey: rewardKey ?? null,
  }
}

/** The number under `stepKey`, the key by which the trainer counts its steps; null if there is none. */
export function iterationOf(line: string | undefined, stepKey: string | null): number | null {
  if (line === undefined || stepKey === null) return null
  const members: Readonly<Record<string, unknown>> = JSON.parse(line)
  return Object.hasOwn(members, stepKey) && isFiniteNumber(members[stepKey]) ? members[stepKey] : null
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)
const isRewardName = (name: string | undefined) => rewardNames.some((known) => known === name)
