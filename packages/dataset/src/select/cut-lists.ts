/** The lists of a data set cut to selected episodes: lines of layout 2, tables of layout 3. */
import { byteFileOf, type DatasetFiles, jsonObject, linesOf } from '../check/dataset-files.ts'
import { openParquet, topColumns } from '../parquet.ts'
import { type CutSink, cannotSelect, writeText } from './cut-sink.ts'
import { type Change, cutTable, inTypeOf, type RowSpan, tableToCut } from './cut-table.ts'
import { type MovedEpisode, movedPart, movedStats } from './moved-episode.ts'
import { type Stats, statsOf } from './stats-total.ts'

/** The lists of the episodes of layout 3. */
export const isEpisodeTable = (path: string): boolean => /^meta\/episodes\/.*\.parquet$/.test(path)

/** Episodes by their numbers in the source. */
export type Moved = ReadonlyMap<number, MovedEpisode>

/** Told of the statistics of each episode, in its new place. */
type OnStats = (stats: Stats) => void

/** Layout 2. A file that is not there stays away. */
export async function cutLines(files: DatasetFiles, sink: CutSink, moved: Moved, onStats: OnStats): Promise<void> {
  const own = async function* (path: string) {
    for await (const text of linesOf(files, path)) {
      const line = jsonObject(text)
      const episode = typeof line?.episode_index === 'number' ? moved.get(line.episode_index) : undefined
      if (line && episode) yield { line: { ...line, episode_index: episode.index }, episode }
    }
  }
  const episodes = async function* () {
    for await (const { line } of own('meta/episodes.jsonl')) yield `${JSON.stringify(line)}\n`
  }
  const statistics = async function* () {
    for await (const { line, episode } of own(STATS_LINES)) {
      const stats = movedStats(episode, statsOf(Object(line).stats))
      onStats(stats)
      yield `${JSON.stringify({ ...line, stats })}\n`
    }
  }
  if (files.sizes.has('meta/episodes.jsonl')) await writeText(sink, 'meta/episodes.jsonl', episodes())
  if (files.sizes.has(STATS_LINES)) await writeText(sink, STATS_LINES, statistics())
}

/** Statistics of each episode in layout 2.1. */
export const STATS_LINES = 'meta/episodes_stats.jsonl'

/** Layout 3: each table with the rows of selected episodes; one that has none is left out. */
export async function cutTables(files: DatasetFiles, sink: CutSink, moved: Moved, onStats: OnStats): Promise<void> {
  for (const path of [...files.sizes.keys()].filter(isEpisodeTable).toSorted()) {
    const file = byteFileOf(files, path)
    if (!file) continue
    const opened = await openParquet(file).catch(cannotSelect)
    const numbers = await opened.read(['episode_index'], 0, opened.rows)
    const spans: RowSpan[] = []
    const found: MovedEpisode[] = []
    for (const [row, { episode_index }] of numbers.entries()) {
      const episode = moved.get(Number(episode_index))
      if (!episode) continue
      spans.push({ start: row, end: row + 1 })
      found.push(episode)
    }
    if (found.length === 0) continue
    const table = await tableToCut(file, path)
    const statistics = found.map((): Record<string, Record<string, unknown>> => ({}))
    const changes = new Map<string, Change>([
      ['episode_index', (value, { span }) => inTypeOf(value, found[span]?.index ?? 0)],
      ['dataset_from_index', (value, { span }) => inTypeOf(value, found[span]?.firstFrame ?? 0)],
      ['dataset_to_index', (value, { span }) => inTypeOf(value, endOf(found[span]))],
    ])
    for (const { name } of topColumns(table.metadata)) {
      const [, column, part] = /^stats\/(.+)\/([^/]+)$/.exec(name) ?? []
      if (column === undefined || part === undefined) continue
      changes.set(name, (value, { span }) => {
        const episode = found[span]
        const [own, change] = [statistics[span], episode ? movedPart(episode, column, part, value) : value]
        if (own) own[column] = { ...own[column], [part]: change }
        return change
      })
    }
    await cutTable(sink, path, { table, spans, changes })
    for (const one of statistics) if (Object.keys(one).length > 0) onStats(one)
  }
}

const endOf = (episode: MovedEpisode | undefined) => (episode ? episode.firstFrame + episode.frames : 0)
