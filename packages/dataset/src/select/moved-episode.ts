/** An episode that a selection took, in its new place: what its frames and statistics say there. Pure. */
import type { Episode } from '../episode-list.ts'
import { eachNumber, type FeatureStats, type Stats } from './stats-total.ts'

/** An episode and its new place. */
export interface MovedEpisode {
  readonly from: Episode
  /** Its new number. */
  readonly index: number
  /** The number of its first frame among all frames. */
  readonly firstFrame: number
  readonly frames: number
  /** By how much the numbers of its frames grew; negative where they shrank. */
  readonly frameShift: number
}

/** A part of the statistics of a column: one that counts moves with the episode, others stay. */
export function movedPart(moved: MovedEpisode, column: string, part: string, value: unknown): unknown {
  if (part === 'count') return value
  const shift =
    column === 'index' ? moved.frameShift : column === 'episode_index' ? moved.index - moved.from.index : null
  return shift === null || part === 'std' ? value : eachNumber(value, (number) => number + shift)
}

/** All statistics of an episode in its new place. */
export const movedStats = (moved: MovedEpisode, stats: Stats): Stats =>
  Object.fromEntries(
    Object.entries(stats).map(([column, parts]): [string, FeatureStats] => [
      column,
      Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, movedPart(moved, column, part, value)])),
    ]),
  )
