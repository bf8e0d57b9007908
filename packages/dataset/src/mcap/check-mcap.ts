/** Checks a data set of MCAP files: each file is an episode, and its joints are checked as those of LeRobot are. */
import { coverage } from '../check/coverage.ts'
import { byteFileOf, type DatasetFiles } from '../check/dataset-files.ts'
import { type NumberFeature, placeOf } from '../check/description.ts'
import { episodeHash } from '../check/episode-hash.ts'
import type { Column, EpisodeRows } from '../check/episode-rows.ts'
import { type FindingList, findingList } from '../check/finding.ts'
import { quantile } from '../check/frames.ts'
import { checkJoints } from '../check/joints.ts'
import type { CheckOptions, DatasetReport } from '../check/report.ts'
import type { JointSeries } from './joint-series.ts'
import { type McapEpisode, mcapEpisode } from './mcap-episode.ts'
import { mcapPaths } from './mcap-paths.ts'
import { openMcap } from './open-mcap.ts'

/** What a recording without `meta/info.json` is called where the version of LeRobot stands. */
const MCAP = 'MCAP'

const STATE = 'observation.state'

/** Rejects only for files that are not answered, or `signal`. Pictures are not read. */
export async function checkMcap(
  files: DatasetFiles,
  { limits, onEpisode, signal }: CheckOptions,
): Promise<DatasetReport> {
  const findings = findingList()
  const unchecked: string[] = []
  const paths = mcapPaths(files.sizes.keys())
  const hashes = new Map<string, number>()
  let counted: { readonly labels: string; readonly of: ReturnType<typeof coverage> } | null = null
  let [frames, fps]: [number, number | null] = [0, null]
  for (const [index, path] of paths.entries()) {
    signal?.throwIfAborted()
    const episode = await readEpisode(files, path, index, findings)
    const rows = episode && rowsOf(episode)
    if (episode) unchecked.push(...episode.gaps.map((note) => `${path}: ${note}`))
    if (episode?.state && rows) {
      frames += rows.frames
      const rate = checkClock(episode.state, index, findings)
      fps ??= rate
      checkNumbers(rows, index, findings)
      checkJoints(rows, index, limits ?? new Map(), findings)
      const hash = episodeHash(rows)
      const before = hash === null ? undefined : hashes.get(hash)
      if (before !== undefined)
        findings.add('duplicate_episode', path, `has the same numbers as episode ${before}`, {
          episode: index,
          frame: 0,
        })
      else if (hash !== null) hashes.set(hash, index)
      const labels = episode.state.names.join('\n')
      counted ??= { labels, of: coverage([...rows.columns.values()].map(({ feature }) => feature)) }
      if (counted.labels === labels) counted.of.add(index, rows, [])
      else unchecked.push(`${path}: it has other joints than the first file, and is not in the summary`)
    }
    onEpisode?.(index + 1, paths.length)
  }
  const summary = (counted?.of ?? coverage([])).summary()
  return {
    ...{ layout: null, version: MCAP, fps, episodes: paths.length, frames, unchecked, summary },
    ...{ findings: findings.kept(), counts: findings.counts() },
  }
}

async function readEpisode(files: DatasetFiles, path: string, episode: number, findings: FindingList) {
  const bytes = byteFileOf(files, path)
  if (!bytes) return null
  // What the store does not answer is no fault of the file.
  let unanswered: unknown = null
  const read = (start: number, end: number) =>
    bytes.read(start, end).catch((error: unknown) => {
      unanswered = error
      throw error
    })
  try {
    const made = await mcapEpisode(await openMcap({ ...bytes, read }))
    if (made.hasJoints && made.state === null) findings.add('empty_episode', path, 'no message has joints', { episode })
    return made
  } catch (error) {
    if (unanswered !== null) throw unanswered
    findings.add('broken_table', path, error instanceof Error ? error.message : String(error), { episode })
    return null
  }
}

function rowsOf({ state, action, times }: McapEpisode): EpisodeRows | null {
  if (state === null) return null
  const columns = new Map<string, Column>([[STATE, columnOf(STATE, state.names, state.position)]])
  if (action) columns.set('action', columnOf('action', action.names, action.values))
  return { frames: times.length, columns }
}

function columnOf(name: string, labels: readonly string[], values: Float64Array): Column {
  const width = labels.length
  const feature: NumberFeature = { name, dtype: 'float64', width, shape: [width], labels, namesTold: width }
  return { feature, values, odd: null }
}

/** Of the usual step: drivers and recorders are late now and then. */
const A_HOLE = 3
/** Between the clock of the driver and that of the recorder; delays come and go. */
const DRIFTED_S = 0.05

/** By the driver's clock where its messages have one, else by the recorder's. Returns messages a second. */
function checkClock({ topic, times, stamps }: JointSeries, episode: number, findings: FindingList): number | null {
  const start = times[0] ?? 0n
  const recorded = Float64Array.from(times, (time) => Number(time - start) / 1e9)
  const isStamped = stamps.every(Number.isFinite)
  const clock = isStamped ? stamps.map((stamp) => stamp - (stamps[0] ?? 0)) : recorded
  const steps = Float64Array.from({ length: clock.length - 1 }, (_, at) => (clock[at + 1] ?? 0) - (clock[at] ?? 0))
  const usual = quantile(steps, 0.5)
  const back = steps.findIndex((step) => step < 0)
  if (back >= 0) {
    const detail = `the time of its message is ${(-(steps[back] ?? 0)).toPrecision(4)} s before that of the one before`
    findings.add('time_order', topic, detail, { episode, frame: back + 1 })
    return usual ? 1 / usual : null
  }
  if (usual === null || usual <= 0) return null
  const hole = steps.findIndex((step) => step > A_HOLE * usual)
  if (hole >= 0) {
    const passed = (steps[hole] ?? 0).toPrecision(4)
    const detail = `${passed} s pass before this message; usual are ${usual.toPrecision(3)} s`
    findings.add('frame_gap', topic, detail, { episode, frame: hole + 1 })
  }
  const drifted = isStamped ? driftOf(recorded, clock, usual) : 0
  if (drifted !== 0) {
    const detail = `its clock and that of the recorder part by ${drifted.toPrecision(3)} s in the episode`
    findings.add('clock_drift', topic, detail, { episode, frame: times.length - 1 })
  }
  return 1 / usual
}

/** How far two clocks part from the first to the last fifth of an episode; 0 for what delays explain. */
function driftOf(recorded: Float64Array, clock: Float64Array, usual: number): number {
  const fifth = Math.floor(recorded.length / 5)
  if (fifth < 3) return 0
  const late = recorded.map((time, at) => time - (clock[at] ?? 0))
  const middle = (part: Float64Array) => quantile(part, 0.5) ?? 0
  const drift = middle(late.subarray(-fifth)) - middle(late.subarray(0, fifth))
  return Math.abs(drift) > Math.max(DRIFTED_S, usual / 2) ? drift : 0
}

/** A joint has no number before its first message; after that each has to be one. */
function checkNumbers({ columns, frames }: EpisodeRows, episode: number, findings: FindingList): void {
  for (const { feature, values } of columns.values())
    for (const [joint] of feature.labels.entries()) {
      const one = Array.from({ length: frames }, (_, frame) => values[frame * feature.width + joint] ?? Number.NaN)
      const first = one.findIndex(Number.isFinite)
      const wrong = first < 0 ? 0 : one.findIndex((value, frame) => frame > first && !Number.isFinite(value))
      if (wrong < 0) continue
      const detail = first < 0 ? 'no message has a number for it' : `is ${one[wrong]}`
      findings.add('not_finite', placeOf(feature, joint), detail, { episode, frame: wrong })
    }
}
