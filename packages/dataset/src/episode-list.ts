/**
 * Where each episode is: its rows in a data file, and its span in each video. Pure but for the reading that it is
 * given.
 */
import { type EpisodesInfo, filled } from './info.ts'
import type { OpenParquet } from './parquet.ts'

/** One episode, and where its parts are. */
export interface Episode {
  readonly index: number
  readonly tasks: readonly string[]
  /** Frames, where that is known before its rows are read. */
  readonly length: number | null
  /** Frames as the list itself counts them; layout 3 says it beside the rows. */
  readonly toldLength: number | null
  readonly dataPath: string
  /** Rows of the data file; null for all of them. */
  readonly rows: readonly [start: number, end: number] | null
  readonly videos: readonly EpisodeVideo[]
}

/** The span of an episode in a video. */
export interface EpisodeVideo {
  readonly camera: string
  readonly path: string
  /** Seconds in the video where the episode begins. */
  readonly from: number
  /** Seconds in the video where it ends; null for the end of the video. */
  readonly to: number | null
}

/** Layout 2: a line of JSON for each episode; absent or broken lines leave tasks and length unknown. */
export function episodesOfLines(info: EpisodesInfo, lines: string | null): Episode[] {
  const told = new Map<number, { tasks: string[]; length: number | null }>()
  for (const line of (lines ?? '').split('\n')) {
    const one = parsed(line)
    if (typeof one?.episode_index !== 'number') continue
    told.set(one.episode_index, {
      tasks: Array.isArray(one.tasks) ? one.tasks.map(String) : [],
      length: typeof one.length === 'number' ? one.length : null,
    })
  }
  return Array.from({ length: info.episodes }, (_, index) => {
    const values = { episode_index: index, episode_chunk: Math.floor(index / info.chunkSize) }
    return {
      index,
      tasks: told.get(index)?.tasks ?? [],
      length: told.get(index)?.length ?? null,
      toldLength: told.get(index)?.length ?? null,
      dataPath: filled(info.dataPath, values),
      rows: null,
      videos: info.cameras.map((camera) => ({
        camera,
        path: filled(info.videoPath ?? '', { ...values, video_key: camera }),
        from: 0,
        to: null,
      })),
    }
  })
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return line.trim() === '' ? null : JSON.parse(line)
  } catch {
    return null
  }
}

/**
 * Layout 3: the files of `meta/episodes/`, in the order of their paths. Only the columns that say where things are come
 * over the network.
 */
export async function episodesOfTables(info: EpisodesInfo, tables: readonly OpenParquet[]): Promise<Episode[]> {
  const ofVideo = (camera: string, part: string) => `videos/${camera}/${part}`
  const columns = [
    'episode_index',
    'tasks',
    'length',
    'data/chunk_index',
    'data/file_index',
    'dataset_from_index',
    'dataset_to_index',
    ...info.cameras.flatMap((camera) =>
      ['chunk_index', 'file_index', 'from_timestamp', 'to_timestamp'].map((part) => ofVideo(camera, part)),
    ),
  ]
  const rows: Record<string, unknown>[] = []
  for (const table of tables) rows.push(...(await table.read(columns, 0, table.rows)))
  const fileOf = (row: Record<string, unknown>) =>
    filled(info.dataPath, { chunk_index: number(row['data/chunk_index']), file_index: number(row['data/file_index']) })
  // Rows of a file are counted from its first episode.
  const firsts = new Map<string, number>()
  for (const row of rows) {
    const [path, from] = [fileOf(row), number(row.dataset_from_index)]
    firsts.set(path, Math.min(from, firsts.get(path) ?? from))
  }
  return rows.map((row) => {
    const path = fileOf(row)
    const first = firsts.get(path) ?? 0
    const [from, to] = [number(row.dataset_from_index), number(row.dataset_to_index)]
    return {
      index: number(row.episode_index),
      tasks: Array.isArray(row.tasks) ? row.tasks.map(String) : [],
      length: to > from ? to - from : number(row.length),
      toldLength: row.length === undefined ? null : number(row.length),
      dataPath: path,
      rows: [from - first, to - first] as const,
      videos: info.cameras.map((camera) => ({
        camera,
        path: filled(info.videoPath ?? '', {
          video_key: camera,
          chunk_index: number(row[ofVideo(camera, 'chunk_index')]),
          file_index: number(row[ofVideo(camera, 'file_index')]),
        }),
        from: number(row[ofVideo(camera, 'from_timestamp')]),
        to:
          typeof row[ofVideo(camera, 'to_timestamp')] === 'number'
            ? number(row[ofVideo(camera, 'to_timestamp')])
            : null,
      })),
    }
  })
}

/** Parquet's 64-bit counts are bigints. */
const number = (value: unknown): number => (typeof value === 'bigint' || typeof value === 'number' ? Number(value) : 0)
