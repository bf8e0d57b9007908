/** The motion of a rollout, as results keep it: where the robot was at each decision, without what drove it. Pure. */
import type { EpisodeStep, Outcome } from './episode.ts'

export interface Motion extends Pick<Outcome, 'seed'> {
  /** Of the model's clock, in s, ascending. */
  readonly times: readonly number[]
  /** For each time the positions of the model (`qpos`), in the order of the compiled model: m, rad, quaternions. */
  readonly qpos: readonly (readonly number[])[]
}

/** The document of a motion, with what it came to. One that diverges is kept up to where it does. */
export function motionDocument(task: string, outcome: Outcome, steps: readonly EpisodeStep[]) {
  const end = steps.findIndex(({ qpos }) => !qpos.every(Number.isFinite))
  const kept = end < 0 ? steps : steps.slice(0, end)
  return { version: 1, task, ...outcome, times: kept.map(({ time }) => time), qpos: kept.map(({ qpos }) => qpos) }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isNumber)

/** Reads a document that others may have written. Throws an `Error` that says what is wrong with it. */
export function readMotion(document: unknown): Motion {
  const { version, seed, times, qpos }: Readonly<Record<string, unknown>> =
    typeof document === 'object' && document !== null ? { ...document } : {}
  if (version !== 1 || !isNumber(seed)) throw new Error('This is not a recording of a motion, version 1.')
  if (!isNumbers(times) || times.length === 0) throw new Error('The recording has no times.')
  if (times.some((time, at) => at > 0 && time <= (times[at - 1] ?? 0)))
    throw new Error('The times of the recording do not ascend.')
  if (!Array.isArray(qpos) || qpos.length !== times.length || !qpos.every(isNumbers))
    throw new Error('The recording has no positions for each of its times.')
  const [first] = qpos
  if (qpos.some((row) => row.length !== first?.length)) throw new Error('The positions differ in how many they are.')
  return { seed, times, qpos }
}
