/** Small LeRobot datasets, written as its tools write them: lists in three levels, counts of 64 bits. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import { listOf, plain } from '../../../packages/dataset/test/support/parquet-columns.ts'

export interface LerobotFiles {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Of frame `at` of an episode: what joint `joint` reads. */
  value(episode: number, at: number, joint: number): number
}

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
  const files = new Map<string, Uint8Array>()
  files.set('meta/info.json', bytes(JSON.stringify(info(layout, video !== null))))
  if (layout === 2) {
    const lines = lengths.map((length, index) =>
      JSON.stringify({ episode_index: index, tasks: [`Pick cube ${index}`], length }),
    )
    files.set('meta/episodes.jsonl', bytes(`${lines.join('\n')}\n`))
    for (const [index] of lengths.entries()) {
      files.set(`data/chunk-000/episode_00000${index}.parquet`, table([index]))
      if (video) files.set(`videos/chunk-000/${CAMERA}/episode_00000${index}.mp4`, video)
    }
  } else {
    files.set('data/chunk-000/file-000.parquet', table([0, 1]))
    files.set('data/chunk-000/file-001.parquet', table([2]))
    files.set('meta/episodes/chunk-000/file-000.parquet', episodeTable(video !== null))
    if (video) files.set(`videos/${CAMERA}/chunk-000/file-000.mp4`, video)
  }
  return { files, value }
}

function info(layout: 2 | 3, hasVideo: boolean) {
  const ofJoints = (names: unknown) => ({ dtype: 'float32', shape: [JOINTS.length], names })
  const scalar = (dtype: string) => ({ dtype, shape: [1], names: null })
  return {
    codebase_version: layout === 2 ? 'v2.1' : 'v3.0',
    robot_type: 'so100',
    total_episodes: lengths.length,
    total_frames: lengths.reduce((sum, length) => sum + length, 0),
    chunks_size: 1000,
    fps: FPS,
    data_path:
      layout === 2
        ? 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet'
        : 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet',
    video_path:
      layout === 2
        ? 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4'
        : 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4',
    features: {
      action: ofJoints([...JOINTS]),
      'observation.state': ofJoints({ motors: JOINTS }),
      ...(hasVideo ? { [CAMERA]: { dtype: 'video', shape: [48, 64, 3], names: ['height', 'width', 'channels'] } } : {}),
      timestamp: scalar('float32'),
      frame_index: scalar('int64'),
      episode_index: scalar('int64'),
      index: scalar('int64'),
    },
  }
}

/** The rows of episodes, in row groups of 25. */
function table(episodes: readonly number[]): Uint8Array {
  const rows = episodes.flatMap((episode) =>
    Array.from({ length: lengths[episode] ?? 0 }, (_, at) => ({ episode, at, index: startOf(episode) + at })),
  )
  const joints = (shift: number) =>
    rows.map(({ episode, at }) => JOINTS.map((_, joint) => value(episode, at, joint) + shift))
  const big = (pick: (row: (typeof rows)[number]) => number) => rows.map((row) => BigInt(pick(row)))
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'action', data: joints(1) },
        { name: 'observation.state', data: joints(0) },
        { name: 'timestamp', data: rows.map(({ at }) => at / FPS) },
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
      rowGroupSize: 25,
    }),
  )
}

const startOf = (episode: number) => lengths.slice(0, episode).reduce((sum, length) => sum + length, 0)

function episodeTable(hasVideo: boolean): Uint8Array {
  const all = lengths.map((length, episode) => ({ length, episode }))
  const big = (name: string, pick: (one: (typeof all)[number]) => number) => ({
    name,
    data: all.map((one) => BigInt(pick(one))),
  })
  const counts = [
    big('episode_index', ({ episode }) => episode),
    big('length', ({ length }) => length),
    big('data/chunk_index', () => 0),
    big('data/file_index', ({ episode }) => (episode < 2 ? 0 : 1)),
    big('dataset_from_index', ({ episode }) => startOf(episode)),
    big('dataset_to_index', ({ episode, length }) => startOf(episode) + length),
    ...(hasVideo ? [big(`videos/${CAMERA}/chunk_index`, () => 0), big(`videos/${CAMERA}/file_index`, () => 0)] : []),
  ]
  const from = hasVideo
    ? [{ name: `videos/${CAMERA}/from_timestamp`, data: all.map(({ episode }) => startOf(episode) / FPS) }]
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
