/** Small LeRobot datasets, written as its tools write them: lists in three levels, counts of 64 bits. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import { listOf, plain } from '../../../packages/dataset/test/support/parquet-columns.ts'

export interface LerobotFiles {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Of frame `at` of an episode: what joint `joint` reads. */
  value(episode: number, at: number, joint: number): number
}

/** What was recorded: rows of numbers, as a robot's driver has them. */
export interface Recorded {
  readonly fps: number
  readonly joints: readonly string[]
  readonly robotType: string
  readonly episodes: readonly { readonly state: readonly Row[]; readonly action: readonly Row[] }[]
}

type Row = readonly number[]

export const FPS = 20
export const JOINTS = ['shoulder', 'elbow', 'gripper'] as const
const CAMERA = 'observation.images.front'

/** Frames of each episode. */
const lengths = [40, 60, 30] as const

const value = (episode: number, at: number, joint: number) =>
  Math.fround(Math.sin((at / FPS) * (1 + joint) + episode) * (joint + 1))

const bytes = (text: string) => new TextEncoder().encode(text)

/** `video`: the bytes of every video, if the dataset has one. */
export function lerobotDataset(layout: 2 | 3, video: Uint8Array | null = null): LerobotFiles {
  const rows = (episode: number, length: number, shift: number) =>
    Array.from({ length }, (_, at) => JOINTS.map((_, joint) => value(episode, at, joint) + shift))
  const episodes = lengths.map((length, index) => ({ state: rows(index, length, 0), action: rows(index, length, 1) }))
  const recorded = { fps: FPS, joints: JOINTS, robotType: 'so100', episodes }
  return { files: recordedDataset(layout, recorded, video), value }
}

/** The files of what was recorded: two episodes to a file in layout 3. */
export function recordedDataset(
  layout: 2 | 3,
  recorded: Recorded,
  video: Uint8Array | null = null,
): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const indices = recorded.episodes.map((_, index) => index)
  files.set('meta/info.json', bytes(JSON.stringify(infoOf(layout, recorded, video !== null))))
  if (layout === 2) {
    const lines = recorded.episodes.map(({ state: { length } }, index) =>
      JSON.stringify({ episode_index: index, tasks: [`Pick cube ${index}`], length }),
    )
    files.set('meta/episodes.jsonl', bytes(`${lines.join('\n')}\n`))
    for (const index of indices) {
      const name = `episode_${String(index).padStart(6, '0')}`
      files.set(`data/chunk-000/${name}.parquet`, tableOf(recorded, [index]))
      if (video) files.set(`videos/chunk-000/${CAMERA}/${name}.mp4`, video)
    }
  } else {
    for (const first of indices.filter((index) => index % IN_FILE === 0))
      files.set(`data/chunk-000/${fileName(first)}.parquet`, tableOf(recorded, indices.slice(first, first + IN_FILE)))
    files.set('meta/episodes/chunk-000/file-000.parquet', episodeTableOf(recorded, video !== null, IN_FILE))
    if (video) files.set(`videos/${CAMERA}/chunk-000/file-000.mp4`, video)
  }
  return files
}

const IN_FILE = 2

const fileName = (episode: number) => `file-${String(Math.floor(episode / IN_FILE)).padStart(3, '0')}`

/** `meta/info.json`. */
export function infoOf(layout: 2 | 3, { fps, joints, robotType, episodes }: Recorded, hasVideo: boolean) {
  const ofJoints = (names: unknown) => ({ dtype: 'float32', shape: [joints.length], names })
  const scalar = (dtype: string) => ({ dtype, shape: [1], names: null })
  return {
    codebase_version: layout === 2 ? 'v2.1' : 'v3.0',
    robot_type: robotType,
    total_episodes: episodes.length,
    total_frames: episodes.reduce((sum, { state }) => sum + state.length, 0),
    chunks_size: 1000,
    fps,
    data_path:
      layout === 2
        ? 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet'
        : 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet',
    video_path:
      layout === 2
        ? 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4'
        : 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4',
    features: {
      action: ofJoints([...joints]),
      'observation.state': ofJoints({ motors: joints }),
      ...(hasVideo ? { [CAMERA]: { dtype: 'video', shape: [48, 64, 3], names: ['height', 'width', 'channels'] } } : {}),
      timestamp: scalar('float32'),
      frame_index: scalar('int64'),
      episode_index: scalar('int64'),
      index: scalar('int64'),
    },
  }
}

/** The rows of episodes. */
export function tableOf(recorded: Recorded, chosen: readonly number[], rowGroupSize = 25): Uint8Array {
  const { fps, episodes } = recorded
  const rows = chosen.flatMap((episode) =>
    (episodes[episode]?.state ?? []).map((_, at) => ({ episode, at, index: startOf(recorded, episode) + at })),
  )
  const joints = (feature: 'state' | 'action') =>
    rows.map(({ episode, at }) => [...(episodes[episode]?.[feature][at] ?? [])])
  const big = (pick: (row: (typeof rows)[number]) => number) => rows.map((row) => BigInt(pick(row)))
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'action', data: joints('action') },
        { name: 'observation.state', data: joints('state') },
        { name: 'timestamp', data: rows.map(({ at }) => at / fps) },
        { name: 'frame_index', data: big(({ at }) => at) },
        { name: 'episode_index', data: big(({ episode }) => episode) },
        { name: 'index', data: big(({ index }) => index) },
      ],
      schema: [
        { name: 'schema', num_children: 6 },
        ...listOf('action', 'FLOAT'),
        ...listOf('observation.state', 'FLOAT'),
        plain('timestamp', 'FLOAT'),
        plain('frame_index', 'INT64'),
        plain('episode_index', 'INT64'),
        plain('index', 'INT64'),
      ],
      rowGroupSize,
    }),
  )
}

const startOf = ({ episodes }: Recorded, episode: number) =>
  episodes.slice(0, episode).reduce((sum, { state }) => sum + state.length, 0)

/** Where the episodes of layout 3 are, `inFile` of them in each file. */
export function episodeTableOf(recorded: Recorded, hasVideo: boolean, inFile: number): Uint8Array {
  const all = recorded.episodes.map(({ state: { length } }, episode) => ({
    length,
    episode,
    start: startOf(recorded, episode),
  }))
  const big = (name: string, pick: (one: (typeof all)[number]) => number) => ({
    name,
    data: all.map((one) => BigInt(pick(one))),
  })
  const counts = [
    big('episode_index', ({ episode }) => episode),
    big('length', ({ length }) => length),
    big('data/chunk_index', () => 0),
    big('data/file_index', ({ episode }) => Math.floor(episode / inFile)),
    big('dataset_from_index', ({ start }) => start),
    big('dataset_to_index', ({ start, length }) => start + length),
    ...(hasVideo ? [big(`videos/${CAMERA}/chunk_index`, () => 0), big(`videos/${CAMERA}/file_index`, () => 0)] : []),
  ]
  const from = hasVideo
    ? [{ name: `videos/${CAMERA}/from_timestamp`, data: all.map(({ start }) => start / recorded.fps) }]
    : []
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [...counts, ...from, { name: 'tasks', data: all.map(({ episode }) => [`Pick cube ${episode}`]) }],
      schema: [
        { name: 'schema', num_children: counts.length + from.length + 1 },
        ...counts.map(({ name }) => plain(name, 'INT64')),
        ...from.map(({ name }) => plain(name, 'DOUBLE')),
        ...listOf('tasks', 'BYTE_ARRAY'),
      ],
    }),
  )
}
