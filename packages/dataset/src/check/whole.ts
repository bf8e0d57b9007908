/** Checks of a data set as a whole, after its episodes. */
import { INFO_PATH } from '../info.ts'
import { type Description, placeOf } from './description.ts'
import type { Held } from './episode-check.ts'
import type { FindingList } from './finding.ts'
import { isState } from './joints.ts'
import { compareStats, type Told } from './told-stats.ts'

/** `isAll`: every episode was read; else statistics of all are not compared. */
export function checkWhole(held: Held, told: Told, isAll: boolean): void {
  const { findings, totals, description } = held
  const frames = Math.max(0, ...[...totals.values()].map(([first]) => first?.count ?? 0))
  const found = description.features.flatMap((feature) => {
    const moments = totals.get(feature.name)
    // A column with a number that is not finite has been told.
    return moments?.every(({ count }) => count === frames) ? [[feature, moments] as const] : []
  })
  if (isAll) compareStats(told, found, { source: 'meta/stats.json', at: {}, findings })
  const known = new Set(findings.kept().flatMap(({ code, place }) => (code === 'dead_joint' ? [place] : [])))
  for (const [feature, moments] of found) {
    if (!isState(feature) || frames < 2) continue
    for (const [joint, { min, max }] of moments.entries()) {
      const place = placeOf(feature, joint)
      if (min === max && !known.has(place))
        findings.add('dead_joint', place, `is ${min.toPrecision(4)} in every frame of the data set`, {
          joint: feature.labels[joint],
        })
    }
  }
}

interface Counted {
  readonly episodes: number
  readonly frames: number
  readonly tasks: number | null
}

/** Holds the totals of `meta/info.json` against what was counted. */
export function checkTotals({ info, totals }: Description, counted: Counted, findings: FindingList): void {
  const tell = (name: string, told: number | null, own: number | null) => {
    if (told === null || own === null || told === own) return
    findings.add('totals', INFO_PATH, `total_${name} is ${told}; there are ${own}`)
  }
  tell('episodes', totals.episodes, counted.episodes)
  tell('frames', totals.frames, counted.frames)
  tell('tasks', totals.tasks, counted.tasks)
  // Layout 3 counts neither chunks nor videos.
  if (info.layout === 3) return
  tell('chunks', totals.chunks, Math.ceil(counted.episodes / info.chunkSize))
  tell('videos', totals.videos, counted.episodes * info.cameras.length)
}
