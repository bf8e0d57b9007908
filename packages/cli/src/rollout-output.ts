/** What `hub rollout` prints of its results. Pure. */
import type { Outcome } from '@hub/rollout/loop/episode'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import type { Summary } from '@hub/rollout/statistics'
import { countText } from './client-output.ts'
import { mapText, type UsedMap } from './rollout-map.ts'
import { inLine } from './terminal.ts'

export interface RolloutResult extends Summary {
  readonly version: 1
  readonly policy: string
  readonly robot: string
  readonly task: string
  /** The map of joints that was used; null for joints by name. */
  readonly map: Omit<UsedMap, 'map'> | null
  readonly first_seed: number
  readonly engine: string
  /** What drew the pictures that the policy saw; null for one that sees none. */
  readonly drawn_by: string | null
  /** Cameras that were chosen, by the names of pictures: those that are others than without a choice. */
  readonly cameras: ChosenCameras
  readonly redone: number
  readonly notes: readonly string[]
  readonly took_s: number
  /** Id of the result that the hub keeps. */
  readonly published?: string
  /** Fingerprint of the board that it stands on: what a gate names. */
  readonly board?: string
  /** Seeds whose motions it keeps, the worst first. */
  readonly kept_seeds?: readonly number[]
}

const MAX_REASONS = 5

/** Why episodes ended at a number that is not finite: the first few reasons. */
export const reasonsOf = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes
    .flatMap(({ seed, reason }) => (reason === undefined ? [] : [`Seed ${seed} diverged: ${reason}`]))
    .slice(0, MAX_REASONS)

const percent = (rate: number) => `${(100 * rate).toFixed(1)} %`

/** The result for people, a line for each part of it. */
export function rolloutText(result: RolloutResult): string {
  const { successes, rollouts, success_rate, interval, endings, worst_seeds, notes, redone } = result
  const failed = rollouts - successes
  const rows: readonly (readonly [string, string])[] = [
    ['policy', result.policy],
    ['robot', result.robot],
    ['task', result.task],
    ...(result.map ? [['map', mapText(result.map)] as const] : []),
    [
      'success',
      `${successes} of ${rollouts}, ${percent(success_rate)} (${interval.map(percent).join(' to ')} at 95 %)`,
    ],
    ['return', `${result.mean_return.toPrecision(5)} on average, in ${result.mean_seconds.toPrecision(4)} s`],
    [
      'endings',
      Object.entries(endings)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
    ],
    [
      failed > 0 ? 'failed' : 'weakest',
      `${failed > WORST ? 'among others ' : ''}seeds ${worstOf(worst_seeds, failed)}`,
    ],
    ['took', `${result.took_s.toFixed(1)} s, mujoco ${result.engine}`],
    ...(result.drawn_by === null
      ? []
      : [['pictures', `not reproducible to the bit: drawn by ${result.drawn_by}`] as const]),
    ...Object.entries(result.cameras).map(([name, camera]) => ['camera', `${name} is drawn by ${camera}`] as const),
    ...(redone > 0 ? [['redone', `${countText(redone, 'rollout')} whose process ended`] as const] : []),
    ...(result.published ? [['kept', keptText(result.published, result.kept_seeds ?? [])] as const] : []),
    ...(result.board ? [['board', `${result.task} ${result.board.slice(0, 6)}`] as const] : []),
    ...notes.map((note) => ['note', note] as const),
  ]
  return rows.map(([name, value]) => `${name.padEnd(9)}${inLine(value)}\n`).join('')
}

const keptText = (id: string, seeds: readonly number[]) =>
  seeds.length === 0 ? `as ${id}` : `as ${id}, with the motions of seeds ${seeds.join(', ')}`

/** As many as a summary has. */
const WORST = 5

/** Where some failed, those alone. */
const worstOf = (seeds: readonly number[], failed: number) => (failed > 0 ? seeds.slice(0, failed) : seeds).join(', ')
