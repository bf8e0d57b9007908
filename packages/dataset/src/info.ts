/**
 * `meta/info.json` of a LeRobot dataset (v2.0, v2.1, v3.0): where its episodes are and what their columns mean. Pure.
 */
import { namesOf } from '@hub/embodiment/feature-names'

/** What `meta/info.json` says, with what it leaves out filled in. */
export interface EpisodesInfo {
  /** 2 has a file for each episode, 3 has several episodes in one. */
  readonly layout: 2 | 3
  readonly version: string
  readonly episodes: number
  readonly fps: number
  readonly chunkSize: number
  readonly dataPath: string
  readonly videoPath: string | null
  /** Features of numbers that are plotted: states and actions first. */
  readonly curves: readonly CurveFeature[]
  /** Features of dtype `video`. */
  readonly cameras: readonly string[]
  /** The robot's repo, `owner/slug`, where `robot` or `robot_type` is one. */
  readonly robot: string | null
}

/** Numbers of each frame, with their names. */
export interface CurveFeature {
  readonly name: string
  /** One for each number of a frame. */
  readonly labels: readonly string[]
}

/** The file that makes a folder a LeRobot data set. */
export const INFO_PATH = 'meta/info.json'

/** More numbers a frame than this are not curves: images, point clouds. */
const MAX_WIDTH = 64

/** What a timestamp and counters say is on the axis, or the same for all. */
const notCurves = /^(timestamp|frame_index|episode_index|index|task_index|next\..*)$/

const defaults = {
  2: {
    data: 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet',
    video: 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4',
  },
  3: {
    data: 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet',
    video: 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4',
  },
} as const

/** The episodes that `info.json` speaks of, or why it is no such file. */
export function readInfo(text: string): EpisodesInfo | { readonly why: string } {
  let info: unknown
  try {
    info = JSON.parse(text)
  } catch {
    return { why: `${INFO_PATH} is not JSON.` }
  }
  if (!isObject(info)) return { why: `${INFO_PATH} is not an object.` }
  const version = String(info.codebase_version)
  const layout = /^v2\.\d+$/.test(version) ? 2 : /^v3\.\d+$/.test(version) ? 3 : null
  if (layout === null) return { why: `The layout ${version} is not known: v2.0, v2.1 and v3.0 are.` }
  const features = isObject(info.features) ? Object.entries(info.features) : []
  const [fps, episodes] = [positive(info.fps), positive(info.total_episodes)]
  if (fps === null) return { why: `${INFO_PATH} has no fps.` }
  return {
    layout,
    version,
    fps,
    episodes: episodes ?? 0,
    chunkSize: positive(info.chunks_size) ?? 1000,
    dataPath: textOf(info.data_path) ?? defaults[layout].data,
    videoPath: textOf(info.video_path) ?? defaults[layout].video,
    curves: features.flatMap(([name, feature]) => curveOf(name, feature)).toSorted((a, b) => rank(a) - rank(b)),
    cameras: features.flatMap(([name, feature]) => (isObject(feature) && feature.dtype === 'video' ? [name] : [])),
    robot: [info.robot, info.robot_type].map(textOf).find((said) => said !== null && repoName.test(said)) ?? null,
  }
}

/** Most data sets have a word that is not a repo: `so100`. */
const repoName = /^[a-z0-9-]+\/[a-z0-9-]+$/

const rank = ({ name }: CurveFeature) => (name === 'observation.state' ? 0 : name === 'action' ? 1 : 2)

function curveOf(name: string, feature: unknown): CurveFeature[] {
  if (!isObject(feature) || notCurves.test(name) || !/^(u?int|float)\d+$/.test(String(feature.dtype))) return []
  const shape = Array.isArray(feature.shape) ? feature.shape.map(Number) : [1]
  const width = shape.reduce((product, part) => product * part, 1)
  if (!(width >= 1 && width <= MAX_WIDTH)) return []
  const said = namesOf(feature.names)
  const labels = Array.from({ length: width }, (_, at) => said[at] ?? (width === 1 ? name : `${at}`))
  return [{ name, labels }]
}

/** A Python format string with named numbers: `{episode_index:06d}`. */
export function filled(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)(?::0?(\d+)d)?\}/g, (whole, name: string, width?: string) => {
    const value = values[name]
    return value === undefined ? whole : String(value).padStart(Number(width ?? 0), '0')
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const positive = (value: unknown) => (typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : null)

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
