/** A dataset in a repo. One of LeRobot is opened here: its description, its episodes, the curves and videos of one. */
import { type Episode, type EpisodeVideo, episodesOfLines, episodesOfTables } from '@hub/dataset/episode-list'
import { type EpisodesInfo, INFO_PATH, readInfo } from '@hub/dataset/info'
import type { PictureMessage } from '@hub/dataset/open-mcap'
import { type OpenParquet, openParquet } from '@hub/dataset/parquet'
import { fetchFile } from '../files/fetch-file.ts'
import { byteFile } from '../files/range-file.ts'
import { type Curves, curveColumns, curvesOf, MAX_FRAMES } from './episode-curves.ts'

/** What is asked of a repo; public fields answer all of it. */
export interface DatasetFiles {
  /** Files whose path starts with a prefix, with their sizes; at most 1,000. */
  list(prefix: string): Promise<readonly (readonly [path: string, sizeBytes: number])[]>
  /** Addresses of files, in the order of the paths. */
  sign(paths: readonly string[]): Promise<readonly string[]>
}

export interface LoadedEpisode {
  readonly curves: Curves
  /** Videos that are in the repo, with an address. */
  readonly videos: readonly (EpisodeVideo & { readonly url: string })[]
  /** Paths of videos that the description names and the repo lacks. */
  readonly missing: readonly string[]
  /** Cameras whose pictures stand one by one. */
  readonly pictures: readonly EpisodePictures[]
  /** What a person should know of how it was read. */
  readonly notes: readonly string[]
}

export interface EpisodePictures {
  readonly camera: string
  /** The last one that is not after a time, in s from the start of the episode; null where there is none. */
  at(time: number): Promise<PictureMessage | null>
}

export interface Dataset {
  readonly info: Pick<EpisodesInfo, 'fps' | 'curves' | 'robot'> & {
    /** What it is: `LeRobot v3.0`, `MCAP`. */
    readonly form: string
  }
  readonly episodes: readonly Episode[]
  load(episode: Episode): Promise<LoadedEpisode>
  /** Bytes that came over the network, videos aside. */
  bytes(): number
}

/** Texts of the description that are read whole: 100,000 lines of episodes are about 12 MB. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** Null where the repo has no `meta/info.json`. Rejects with an `Error` in words where it cannot be read. */
export async function openDataset(files: DatasetFiles): Promise<Dataset | null> {
  const meta = new Map(await files.list('meta/'))
  if (!meta.has(INFO_PATH)) return null
  let bytes = 0
  const tell = (more: number) => {
    bytes += more
  }
  const urlOf = async (path: string) => (await files.sign([path]))[0] ?? ''
  const readText = async (path: string): Promise<string | null> => {
    const sizeBytes = meta.get(path)
    if (sizeBytes === undefined || sizeBytes > MAX_TEXT_BYTES) return null
    const answer = await fetchFile(await urlOf(path))
    if (!answer.ok) throw new Error(`${path} was not downloaded: the answer was ${answer.status}.`)
    tell(sizeBytes)
    return answer.text()
  }
  const info = readInfo((await readText(INFO_PATH)) ?? '')
  if ('why' in info) throw new Error(info.why)
  const opened = new Map<string, Promise<OpenParquet>>()
  const open = (path: string, sizeBytes: number) => {
    const known = opened.get(path) ?? openParquet(byteFile({ path, sizeBytes, url: () => urlOf(path) }, tell))
    opened.set(path, known)
    // A table that was not read is asked for again.
    known.catch(() => opened.delete(path))
    return known
  }
  const sizeOf = async (path: string) => {
    const found = await files.list(path)
    return found.find(([one]) => one === path)?.[1] ?? null
  }

  const tables = [...meta].filter(([path]) => /^meta\/episodes\/.*\.parquet$/.test(path)).toSorted()
  const episodes =
    info.layout === 2
      ? episodesOfLines(info, await readText('meta/episodes.jsonl'))
      : await episodesOfTables(info, await Promise.all(tables.map(([path, sizeBytes]) => open(path, sizeBytes))))

  return {
    info: { ...info, form: `LeRobot ${info.version}` },
    episodes,
    bytes: () => bytes,
    async load({ dataPath, rows, videos }) {
      const sizeBytes = await sizeOf(dataPath)
      if (sizeBytes === null) throw new Error(`${dataPath} is not in the repo: push it, or correct ${INFO_PATH}.`)
      const table = await open(dataPath, sizeBytes)
      const [start, end] = rows ?? [0, table.rows]
      const found = await table.read(curveColumns(info), start, Math.min(end, start + MAX_FRAMES))
      const present = await Promise.all(videos.map(async (video) => (await sizeOf(video.path)) !== null))
      const shown = videos.filter((_, at) => present[at])
      const urls = shown.length === 0 ? [] : await files.sign(shown.map(({ path }) => path))
      return {
        curves: curvesOf(info, found),
        videos: shown.map((video, at) => ({ ...video, url: urls[at] ?? '' })),
        missing: videos.flatMap(({ path }, at) => (present[at] ? [] : [path])),
        ...{ pictures: [], notes: [] },
      }
    },
  }
}
