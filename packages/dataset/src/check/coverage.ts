/** What a data set has, in numbers: lengths of episodes, tasks, and where its joints were. */

import { type NumberFeature, placeOf } from './description.ts'
import type { EpisodeRows } from './episode-rows.ts'
import { isState } from './joints.ts'
import { growingHistogram, type Histogram, histogramOf } from './moments.ts'

/** Beside the findings, what a person looks at first. */
export interface DatasetSummary {
  /** Frames of episodes. */
  readonly lengths: Histogram | null
  /** Frames of each episode, by its index; null for one that was not read, and in place of all of over 20,000. */
  readonly frames: readonly (number | null)[] | null
  /** The most frequent ones. */
  readonly tasks: readonly { readonly task: string; readonly episodes: number; readonly frames: number }[]
  /** Where each joint was, over all frames. */
  readonly joints: readonly ({ readonly place: string } & Histogram)[]
  /** Tasks and joints that are not among them. */
  readonly moreTasks: number
  readonly moreJoints: number
}

const MOST_TASKS = 200
const MOST_JOINTS = 128
/** A list of them has some 100 KB. */
const MOST_LISTED = 20_000

/** Counts episodes as they come. */
export function coverage(features: readonly NumberFeature[]) {
  const lengths = new Map<number, number>()
  const tasks = new Map<string, { episodes: number; frames: number }>()
  const all = features.filter(isState).flatMap((feature) => feature.labels.map((_, at) => ({ feature, at })))
  const joints = all.slice(0, MOST_JOINTS).map((one) => ({ ...one, bins: growingHistogram() }))
  return {
    add(episode: number, rows: EpisodeRows, told: readonly string[]): void {
      lengths.set(episode, rows.frames)
      for (const task of told) {
        const known = tasks.get(task) ?? { episodes: 0, frames: 0 }
        tasks.set(task, { episodes: known.episodes + 1, frames: known.frames + rows.frames })
      }
      for (const { feature, at, bins } of joints) {
        const values = rows.columns.get(feature.name)?.values ?? new Float64Array()
        for (let place = at; place < values.length; place += feature.width) bins.add(values[place] ?? Number.NaN)
      }
    },
    summary(): DatasetSummary {
      const counted = [...tasks].map(([task, one]) => ({ task, ...one }))
      return {
        lengths: histogramOf([...lengths.values()]),
        frames: framesOf(lengths),
        tasks: counted.toSorted((a, b) => b.episodes - a.episodes).slice(0, MOST_TASKS),
        joints: joints.flatMap(({ feature, at, bins }) => {
          const histogram = bins.histogram()
          return histogram ? [{ place: placeOf(feature, at), ...histogram }] : []
        }),
        moreTasks: Math.max(0, tasks.size - MOST_TASKS),
        moreJoints: all.length - joints.length,
      }
    },
  }
}

/** By index, which is that of a table: a broken one may be far beyond the others. */
function framesOf(lengths: ReadonlyMap<number, number>): DatasetSummary['frames'] {
  let count = 0
  for (const index of lengths.keys()) count = Math.max(count, index + 1)
  return count > MOST_LISTED ? null : Array.from({ length: count }, (_, at) => lengths.get(at) ?? null)
}
