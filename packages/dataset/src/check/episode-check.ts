/** All checks of the rows of one episode, and what is kept of it for the checks of the whole. */
import type { Episode } from '../episode-list.ts'
import type { coverage } from './coverage.ts'
import { type Description, type NumberFeature, placeOf } from './description.ts'
import { episodeHash } from './episode-hash.ts'
import type { EpisodeRows } from './episode-rows.ts'
import type { FindingList } from './finding.ts'
import { checkFrames } from './frames.ts'
import { checkJoints, type JointLimits } from './joints.ts'
import { type Moments, momentsOf, together } from './moments.ts'
import { compareStats, type ToldStats } from './told-stats.ts'

/** What one episode is held against, and what is known of those before it. */
export interface Held {
  readonly description: Description
  readonly findings: FindingList
  readonly tasks: ReadonlySet<number> | null
  readonly limits: JointLimits
  readonly stats: ToldStats
  readonly coverage: ReturnType<typeof coverage>
  /** The first episode of each content. */
  readonly hashes: Map<string, number>
  /** Of all episodes until now, for each number of each column. */
  readonly totals: Map<string, Moments[]>
}

/** `at`: its place in the list. `firstIndex`: of its first frame; null where that is not known. Returns its clock. */
export async function checkEpisode(
  held: Held,
  episode: Episode,
  at: number,
  rows: EpisodeRows,
  firstIndex: number | null,
): Promise<Float64Array | null> {
  const { findings, description, tasks } = held
  const { index } = episode
  held.coverage.add(episode.index, rows, episode.tasks)
  checkLength(episode, rows, findings)
  if (rows.frames === 0) return null
  checkValues(rows, index, findings)
  const isClock = checkFrames(rows, { episode: index, fps: description.info.fps, firstIndex, tasks }, findings)
  checkJoints(rows, index, held.limits, findings)
  const hash = episodeHash(rows)
  const before = hash === null ? undefined : held.hashes.get(hash)
  if (before !== undefined)
    findings.add('duplicate_episode', 'data', `has the same numbers as episode ${before}`, { episode: index, frame: 0 })
  else if (hash !== null) held.hashes.set(hash, index)
  const found = [...rows.columns.values()].map(
    ({ feature, values }) =>
      [feature, feature.labels.map((_, joint) => momentsOf(values, joint, feature.width))] as const,
  )
  const told = await held.stats.of(index, at)
  if (told)
    compareStats(told, complete(found, rows.frames), { source: held.stats.place, at: { episode: index }, findings })
  for (const [{ name }, moments] of found) {
    const total = held.totals.get(name)
    held.totals.set(name, total ? moments.map((one, joint) => together(total[joint] ?? one, one)) : moments)
  }
  return isClock ? (rows.columns.get('timestamp')?.values ?? null) : null
}

/** Columns all of whose numbers are finite: of the others, statistics are told in several ways. */
const complete = (found: readonly (readonly [NumberFeature, readonly Moments[]])[], frames: number) =>
  found.filter(([, moments]) => moments.every(({ count }) => count === frames))

function checkLength(
  { index, toldLength, rows: span, dataPath }: Episode,
  { frames }: EpisodeRows,
  findings: FindingList,
) {
  if (frames === 0) findings.add('empty_episode', dataPath, 'the episode has no frame', { episode: index })
  const wanted = toldLength ?? (span ? span[1] - span[0] : frames)
  if (frames === wanted) return
  const detail = `the episode has ${frames} frames; the list of episodes says ${wanted}`
  findings.add('length', dataPath, detail, { episode: index, frame: Math.min(frames, wanted) })
}

function checkValues({ columns }: EpisodeRows, episode: number, findings: FindingList): void {
  for (const { feature, values, odd } of columns.values()) {
    const { name, width, shape, namesTold } = feature
    if (odd) {
      const detail = `has ${odd.width} numbers; info.json says a shape of [${shape.join(', ')}]`
      findings.add('shape', name, detail, { episode, frame: odd.frame })
      continue
    }
    if (namesTold > 0 && namesTold !== width && episode === 0)
      findings.add('shape', name, `info.json has ${namesTold} names for ${width} numbers`, { episode, frame: 0 })
    const wrong = values.findIndex((value) => !Number.isFinite(value))
    if (wrong < 0) continue
    const detail = `is ${Number.isNaN(values[wrong]) ? 'no number (NaN)' : values[wrong]}`
    findings.add('not_finite', placeOf(feature, wrong % width), detail, {
      episode,
      frame: Math.floor(wrong / width),
      joint: width > 1 ? feature.labels[wrong % width] : undefined,
    })
  }
}
