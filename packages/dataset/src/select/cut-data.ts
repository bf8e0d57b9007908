/** The rows of selected episodes out of the tables of a data set, with their new numbers. */
import { byteFileOf, type DatasetFiles } from '../check/dataset-files.ts'
import type { Episode } from '../episode-list.ts'
import { type EpisodesInfo, filled } from '../info.ts'
import { CannotSelect, type CutSink } from './cut-sink.ts'
import { type Change, cutTable, inTypeOf, type TableCut, tableToCut } from './cut-table.ts'
import type { MovedEpisode } from './moved-episode.ts'

/** What the rows of a data set are cut with. */
export interface DataCut {
  readonly files: DatasetFiles
  readonly info: EpisodesInfo
  readonly sink: CutSink
  readonly signal?: AbortSignal | undefined
  readonly seen?: TableCut['seen'] | undefined
}

/** Each episode when its rows are written, in the order of `episodes`. Rejects with `CannotSelect`. */
export async function* cutData(cut: DataCut, episodes: readonly Episode[]): AsyncGenerator<MovedEpisode> {
  const written = new Set<string>()
  let firstFrame = 0
  for (let at = 0; at < episodes.length; ) {
    cut.signal?.throwIfAborted()
    const path = episodes[at]?.dataPath ?? ''
    const end = episodes.findIndex((one, place) => place > at && one.dataPath !== path)
    const inFile = episodes.slice(at, end < 0 ? undefined : end)
    const target = newDataPath(cut.info, path, at)
    if (written.has(target)) throw new CannotSelect(`The episodes in ${target} do not follow one another.`)
    written.add(target)
    const moved = await cutFile(cut, { path, target, index: at, firstFrame }, inFile)
    yield* moved
    firstFrame += moved.reduce((sum, { frames }) => sum + frames, 0)
    at += inFile.length
  }
}

/** Layout 2 has a file for each episode, named by its number; a file of layout 3 keeps its name. */
const newDataPath = (info: EpisodesInfo, path: string, index: number): string =>
  info.layout === 3 ? path : filled(info.dataPath, numbersOfPath(info, index))

/** What the paths of layout 2 are filled with. */
export const numbersOfPath = (info: EpisodesInfo, index: number) => ({
  ...{ episode_index: index, episode_chunk: Math.floor(index / info.chunkSize) },
})

interface FileCut {
  readonly path: string
  readonly target: string
  /** The new number of the first episode of the file, and of its first frame. */
  readonly index: number
  readonly firstFrame: number
}

async function cutFile(
  { files, sink, seen }: DataCut,
  { path, target, index, firstFrame }: FileCut,
  inFile: readonly Episode[],
): Promise<MovedEpisode[]> {
  const table = await tableToCut(byteFileOf(files, path), path)
  const rows = Number(table.metadata.num_rows)
  const spans = inFile.map(({ rows: span }) => ({ start: span?.[0] ?? 0, end: span?.[1] ?? rows }))
  const wrong = spans.findIndex(({ start, end }, at) => start < (spans[at - 1]?.end ?? 0) || end > rows || start > end)
  if (wrong >= 0) throw new CannotSelect(`Episode ${inFile[wrong]?.index} is not in ${path} where the list says.`)
  const starts: number[] = []
  let frames = firstFrame
  for (const { start, end } of spans) {
    starts.push(frames)
    frames += end - start
  }
  const before = new Map<number, number>()
  const changes = new Map<string, Change>([
    ['episode_index', (value, { span }) => inTypeOf(value, index + span)],
    [
      'index',
      (value, { span, row }) => {
        if (row === 0) before.set(span, Number(value))
        return inTypeOf(value, (starts[span] ?? 0) + row)
      },
    ],
  ])
  await cutTable(sink, target, { table, spans, changes, ...(seen && { seen }) })
  return inFile.map((from, span) => {
    const { start = 0, end = 0 } = spans[span] ?? {}
    const first = starts[span] ?? 0
    const frameShift = first - (before.get(span) ?? first)
    return { from, index: index + span, firstFrame: first, frames: end - start, frameShift }
  })
}
