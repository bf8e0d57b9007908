/** A LeRobot data set of some episodes of another one, in the same layout: numbered from 0, whole and consistent. */
import { byteFileOf, type DatasetFiles, jsonObject, linesOf, readText } from '../check/dataset-files.ts'
import { type Description, readDescription } from '../check/description.ts'
import { type Episode, episodesOfLines, episodesOfTables } from '../episode-list.ts'
import { filled, INFO_PATH } from '../info.ts'
import { openParquet } from '../parquet.ts'
import { copyFiles, type FileCopy } from './copy-files.ts'
import { cutData, numbersOfPath } from './cut-data.ts'
import { cutLines, cutTables, isEpisodeTable, STATS_LINES } from './cut-lists.ts'
import { CannotSelect, type CutSink, cannotSelect, writeText } from './cut-sink.ts'
import type { MovedEpisode } from './moved-episode.ts'
import { rowStats } from './row-stats.ts'
import { selectedInfo } from './selected-info.ts'
import { type Stats, statsOf, statsTotal } from './stats-total.ts'

export { CannotSelect, type CutSink, type NewFile } from './cut-sink.ts'

/** What is taken of a data set, and where it goes. */
export interface EpisodesRequest {
  /** Numbers of episodes, from the least to the greatest. */
  readonly episodes: readonly number[]
  readonly sink: CutSink
  /** Called when the rows of an episode are written. */
  readonly onEpisode?: (done: number, all: number) => void
  readonly signal?: AbortSignal
}

/** What was written. */
export interface SelectedDataset {
  readonly episodes: number
  readonly frames: number
  readonly videos: number
  /** Of files that went over as they are: videos are most of them. */
  readonly copiedBytes: number
  /** Columns whose statistics are still those of all episodes: the data set does not say them of each. */
  readonly keptStats: readonly string[]
}

const STATS = 'meta/stats.json'

/**
 * Tables are cut, videos go over as they are: in layout 3 also the pictures of other episodes in the same files. The
 * list of tasks stays whole, since columns may name tasks by their numbers. Rejects with `CannotSelect` where the data
 * set is not complete.
 */
export async function selectEpisodes(files: DatasetFiles, request: EpisodesRequest): Promise<SelectedDataset> {
  const { sink, signal, onEpisode } = request
  const text = await readText(files, INFO_PATH)
  const description = readDescription(text)
  if ('why' in description) throw new CannotSelect(description.why)
  const { info, features } = description
  const listed = new Map((await listedEpisodes(files, description)).map((one) => [one.index, one]))
  const chosen = request.episodes.map((index) => {
    const episode = listed.get(index)
    if (!episode) throw new CannotSelect(`The data set has no episode ${index}.`)
    return episode
  })
  const rows = info.layout === 2 && !files.sizes.has(STATS_LINES) && files.sizes.has(STATS) ? rowStats(features) : null
  const moved = new Map<number, MovedEpisode>()
  for await (const one of cutData({ files, info, sink, signal, seen: rows?.seen }, chosen)) {
    moved.set(one.from.index, one)
    onEpisode?.(moved.size, chosen.length)
  }
  const total = statsTotal()
  const onStats = (stats: Stats) => total.add(stats)
  await (info.layout === 2 ? cutLines : cutTables)(files, sink, moved, onStats)
  if (rows) total.add(rows.stats())
  const before = jsonObject(await readText(files, STATS))
  const { stats, kept } = total.over(statsOf(before))
  if (before) await writeText(sink, STATS, [JSON.stringify(stats, null, 4)])
  const all = [...moved.values()]
  const frames = all.reduce((sum, one) => sum + one.frames, 0)
  await writeText(sink, INFO_PATH, [selectedInfo(text ?? '', info, { episodes: request.episodes, frames })])
  const videos = videoCopies(description, all)
  const copies = [...videos, ...otherFiles(files)]
  const copiedBytes = await copyFiles(files, sink, copies, signal)
  return { episodes: all.length, frames, videos: videos.length, copiedBytes, keptStats: kept }
}

async function listedEpisodes(files: DatasetFiles, { info }: Description): Promise<Episode[]> {
  if (info.layout === 2) {
    const lines: string[] = []
    for await (const line of linesOf(files, 'meta/episodes.jsonl')) lines.push(line)
    return episodesOfLines(info, lines.join('\n'))
  }
  const tables = []
  for (const path of [...files.sizes.keys()].filter(isEpisodeTable).toSorted()) {
    const file = byteFileOf(files, path)
    if (file) tables.push(await openParquet(file).catch(cannotSelect))
  }
  return episodesOfTables(info, tables)
}

/** Each file once. */
function videoCopies({ info }: Description, moved: readonly MovedEpisode[]): FileCopy[] {
  const copies = new Map<string, FileCopy>()
  for (const { from, index } of moved)
    for (const { camera, path } of from.videos) {
      const numbers = { ...numbersOfPath(info, index), video_key: camera }
      const target = info.layout === 3 ? path : filled(info.videoPath ?? '', numbers)
      copies.set(target, { path, target })
    }
  return [...copies.values()]
}

/** Beside the episodes: the description and the license at the top, and lists of tasks and robots in `meta`. */
function otherFiles(files: DatasetFiles): FileCopy[] {
  const isCut = (path: string) =>
    [INFO_PATH, STATS, 'meta/episodes.jsonl', STATS_LINES, SELECTED_PATH].includes(path) || isEpisodeTable(path)
  return [...files.sizes.keys()]
    .filter((path) => (!path.includes('/') || path.startsWith('meta/')) && !isCut(path))
    .map((path) => ({ path, target: path }))
}

/** Where a selection says what it is of. */
export const SELECTED_PATH = 'meta/selected.json'
