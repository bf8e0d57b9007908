/** LeRobot data sets with one fault each, or none: statistics, lists and videos are made of the rows that a fault changed. */
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { DatasetFiles } from '../../src/check/dataset-files.ts'
import { momentsOf } from '../../src/check/moments.ts'
import { madeVideo } from './made-video.ts'
import { listOf, plain } from './parquet-columns.ts'

export const FPS = 20
export const JOINTS = ['shoulder', 'elbow', 'gripper']
export const CAMERA = 'observation.images.front'

export interface Row {
  state: number[]
  action: number[]
  timestamp: number
  frame_index: number
  episode_index: number
  index: number
  task_index: number
}

type Stats = Record<string, { min: number[]; max: number[]; mean: number[]; std: number[]; count: number[] }>

interface Told {
  episode_index: number
  length: number
  tasks: string[]
  stats: Stats
}

/** What a fault changes, in the order in which a data set is made. */
export interface Fault {
  rows?(episodes: Row[][]): void
  info?(info: Record<string, unknown> & { features: Record<string, Record<string, unknown>> }): void
  told?(episodes: Told[], all: Stats): void
  /** Frames and rate of the video of an episode, and their pictures. */
  video?(episode: number, frames: number): Parameters<typeof madeVideo>
  /** Types in which numbers are kept. */
  types?: Record<string, SchemaElement['type']>
  files?(files: Map<string, Uint8Array>): void
}

const lengths = [40, 60, 30]
const bytes = (text: string) => new TextEncoder().encode(text)
const wave = (episode: number, at: number, joint: number) =>
  Math.fround(Math.sin((at / FPS) * (1 + joint) + episode) * (joint + 1) * 0.5)

function rightRows(): Row[][] {
  let index = 0
  return lengths.map((length, episode_index) =>
    Array.from({ length }, (_, at) => ({
      state: JOINTS.map((__, joint) => wave(episode_index, at, joint)),
      action: JOINTS.map((__, joint) => wave(episode_index, at + 1, joint)),
      timestamp: Math.fround(at / FPS),
      frame_index: at,
      episode_index,
      index: index++,
      task_index: episode_index % 2,
    })),
  )
}

const scalars = ['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'] as const

function statsOf(rows: readonly Row[]): Stats {
  const one = (values: readonly (readonly number[])[], width: number) => {
    const flat = Float64Array.from(values.flat())
    const moments = Array.from({ length: width }, (_, at) => momentsOf(flat, at, width))
    return {
      min: moments.map(({ min }) => min),
      max: moments.map(({ max }) => max),
      mean: moments.map(({ mean }) => mean),
      std: moments.map(({ std }) => std),
      count: [rows.length],
    }
  }
  return {
    'observation.state': one(
      rows.map(({ state }) => state),
      JOINTS.length,
    ),
    action: one(
      rows.map(({ action }) => action),
      JOINTS.length,
    ),
    ...Object.fromEntries(
      scalars.map((name) => [
        name,
        one(
          rows.map((row) => [row[name]]),
          1,
        ),
      ]),
    ),
  }
}

/** The files of a data set. */
export function madeDataset(layout: 2 | 3, fault: Fault = {}): Map<string, Uint8Array> {
  const episodes = rightRows()
  fault.rows?.(episodes)
  const told = episodes.map(
    (rows, episode_index): Told => ({
      episode_index,
      length: rows.length,
      tasks: [`Pick cube ${episode_index % 2}`],
      stats: statsOf(rows),
    }),
  )
  const all = statsOf(episodes.flat())
  fault.told?.(told, all)
  const info = infoOf(layout, episodes)
  fault.info?.(info)
  const files = new Map([['meta/info.json', bytes(JSON.stringify(info))]])
  const video = fault.video ?? ((_, frames) => [frames, FPS] as const)
  if (layout === 2) layoutTwo(files, { episodes, told, video, types: fault.types ?? {} })
  else layoutThree(files, { episodes, told, all, video, types: fault.types ?? {} })
  fault.files?.(files)
  return files
}

/** As a check asks for them. */
export const filesOf = (files: ReadonlyMap<string, Uint8Array>): DatasetFiles => ({
  sizes: new Map([...files].map(([path, { length }]) => [path, length])),
  read: (path, start, end) => {
    const part = (files.get(path) ?? new Uint8Array()).slice(start, end)
    return Promise.resolve(part.buffer as ArrayBuffer)
  },
})

function infoOf(layout: 2 | 3, episodes: readonly Row[][]) {
  const joints = (names: unknown) => ({ dtype: 'float32', shape: [JOINTS.length], names })
  const scalar = (dtype: string) => ({ dtype, shape: [1], names: null })
  return {
    codebase_version: layout === 2 ? 'v2.1' : 'v3.0',
    robot_type: 'so100',
    total_episodes: episodes.length,
    total_frames: episodes.flat().length,
    total_tasks: 2,
    ...(layout === 2 ? { total_chunks: 1, total_videos: episodes.length } : {}),
    chunks_size: 1000,
    fps: FPS,
    features: {
      action: joints(JOINTS),
      'observation.state': joints({ motors: JOINTS }),
      [CAMERA]: { dtype: 'video', shape: [48, 64, 3], names: ['height', 'width', 'channels'] },
      timestamp: scalar('float32'),
      ...Object.fromEntries(scalars.slice(1).map((name) => [name, scalar('int64')])),
    } as Record<string, Record<string, unknown>>,
  }
}

interface Parts {
  readonly episodes: readonly Row[][]
  readonly told: readonly Told[]
  readonly video: NonNullable<Fault['video']>
  readonly types: NonNullable<Fault['types']>
}

function layoutTwo(files: Map<string, Uint8Array>, { episodes, told, video, types }: Parts): void {
  const lines = (values: readonly unknown[]) => bytes(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  files.set(
    'meta/episodes.jsonl',
    lines(told.map(({ episode_index, tasks, length }) => ({ episode_index, tasks, length }))),
  )
  files.set('meta/episodes_stats.jsonl', lines(told.map(({ episode_index, stats }) => ({ episode_index, stats }))))
  files.set('meta/tasks.jsonl', lines([0, 1].map((task_index) => ({ task_index, task: `Pick cube ${task_index}` }))))
  for (const [at, rows] of episodes.entries()) {
    files.set(`data/chunk-000/episode_00000${at}.parquet`, table(rows, types))
    files.set(`videos/chunk-000/${CAMERA}/episode_00000${at}.mp4`, madeVideo(...video(at, rows.length)))
  }
}

/** Episodes 0 and 1 are in one table and one video, 2 in others. */
function layoutThree(files: Map<string, Uint8Array>, parts: Parts & { readonly all: Stats }): void {
  const { episodes, told, all, video, types } = parts
  files.set('meta/stats.json', bytes(JSON.stringify(all)))
  files.set('meta/tasks.parquet', tasksTable())
  files.set('data/chunk-000/file-000.parquet', table(episodes.slice(0, 2).flat(), types))
  files.set('data/chunk-000/file-001.parquet', table(episodes.slice(2).flat(), types))
  files.set('meta/episodes/chunk-000/file-000.parquet', episodesTable(episodes, told))
  const frames = episodes.map((rows, at) => video(at, rows.length))
  const count = (of: typeof frames) => of.reduce((sum, [one]) => sum + one, 0)
  files.set(`videos/${CAMERA}/chunk-000/file-000.mp4`, madeVideo(count(frames.slice(0, 2)), frames[1]?.[1] ?? FPS))
  files.set(`videos/${CAMERA}/chunk-000/file-001.mp4`, madeVideo(count(frames.slice(2)), frames[2]?.[1] ?? FPS))
}

/** The rows, in row groups of 25. */
function table(rows: readonly Row[], types: Parts['types']): Uint8Array {
  const typeOf = (name: string) => types[name] ?? (name === 'timestamp' ? 'FLOAT' : 'INT64')
  const one = (name: (typeof scalars)[number]) => ({
    name,
    data: rows.map((row) => (typeOf(name) === 'INT64' ? BigInt(row[name]) : row[name])),
  })
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'action', data: rows.map(({ action }) => action) },
        { name: 'observation.state', data: rows.map(({ state }) => state) },
        ...scalars.map(one),
      ],
      schema: [
        { name: 'schema', num_children: 2 + scalars.length },
        ...listOf('action', types.action ?? 'FLOAT'),
        ...listOf('observation.state', types['observation.state'] ?? 'FLOAT'),
        ...scalars.map((name) => plain(name, typeOf(name))),
      ],
      rowGroupSize: 25,
    }),
  )
}

function tasksTable(): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'task_index', data: [0n, 1n] },
        { name: 'task', data: ['Pick cube 0', 'Pick cube 1'] },
      ],
    }),
  )
}

function episodesTable(episodes: readonly Row[][], told: readonly Told[]): Uint8Array {
  const starts = episodes.map((_, at) => episodes.slice(0, at).flat().length)
  const inVideo = (at: number) => (starts[at] ?? 0) - (at < 2 ? 0 : (starts[2] ?? 0))
  const big = (name: string, of: (one: Told, at: number) => number) => ({
    name,
    data: told.map((one, at) => BigInt(of(one, at))),
  })
  const frames = (at: number) => episodes[at]?.length ?? 0
  const counts = [
    big('episode_index', ({ episode_index }) => episode_index),
    big('length', ({ length }) => length),
    big('data/chunk_index', () => 0),
    big('data/file_index', (_, at) => (at < 2 ? 0 : 1)),
    big('dataset_from_index', (_, at) => starts[at] ?? 0),
    big('dataset_to_index', (_, at) => (starts[at] ?? 0) + frames(at)),
    big(`videos/${CAMERA}/chunk_index`, () => 0),
    big(`videos/${CAMERA}/file_index`, (_, at) => (at < 2 ? 0 : 1)),
  ]
  const spans = [
    { name: `videos/${CAMERA}/from_timestamp`, data: told.map((_, at) => inVideo(at) / FPS) },
    { name: `videos/${CAMERA}/to_timestamp`, data: told.map((_, at) => (inVideo(at) + frames(at)) / FPS) },
  ]
  const stats = Object.keys(told[0]?.stats ?? {}).flatMap((name) =>
    (['min', 'max', 'mean', 'std', 'count'] as const).map((part) => ({
      name: `stats/${name}/${part}`,
      data: told.map((one) => one.stats[name]?.[part] ?? []),
    })),
  )
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [...counts, ...spans, ...stats, { name: 'tasks', data: told.map(({ tasks }) => tasks) }],
      schema: [
        { name: 'schema', num_children: counts.length + spans.length + stats.length + 1 },
        ...counts.map(({ name }) => plain(name, 'INT64')),
        ...spans.map(({ name }) => plain(name, 'DOUBLE')),
        ...stats.flatMap(({ name }) => listOf(name, 'DOUBLE')),
        ...listOf('tasks', 'BYTE_ARRAY'),
      ],
    }),
  )
}
