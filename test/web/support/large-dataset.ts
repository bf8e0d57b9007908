/** A LeRobot dataset of 2 GB with pictures in its tables, of which only one episode and those in its file are real. */
import { episodeTableOf, infoOf, type Recorded, tableOf } from './lerobot.ts'
import type { StoredFile } from './range-store.ts'

const EPISODES = 1_000
const FRAMES = 300
/** Episodes to a file of layout 3. LeRobot begins another one at about 100 MB, which here would take longer to write. */
const IN_FILE = 20
const BYTES = 2_100_000
const JOINTS = Array.from({ length: 14 }, (_, at) => `joint_${at}`)

const row = (episode: number, frame: number): number[] =>
  JOINTS.map((_, joint) => Math.fround(Math.sin(frame / 30 + joint + episode)))

/** `chosen`: the episode that is real. */
export function largeDataset(layout: 2 | 3, chosen: number) {
  const first = layout === 2 ? chosen : chosen - (chosen % IN_FILE)
  const real = Array.from({ length: layout === 2 ? 1 : IN_FILE }, (_, at) => first + at)
  const nothing = Array.from({ length: FRAMES }, (): number[] => [])
  const episodes = Array.from({ length: EPISODES }, (_, episode) => {
    const rows = real.includes(episode) ? nothing.map((_, frame) => row(episode, frame)) : nothing
    return { state: rows, action: rows }
  })
  const recorded: Recorded = { fps: 30, joints: JOINTS, robotType: 'two_arms', episodes }
  const files = new Map<string, StoredFile>()
  files.set('meta/info.json', text(JSON.stringify(infoOf(layout, recorded, false))))
  // A row group for each episode, as LeRobot appends them.
  const table = tableOf(recorded, real, FRAMES)
  if (layout === 2) {
    const lines = episodes.map((_, index) => JSON.stringify({ episode_index: index, tasks: ['Pick'], length: FRAMES }))
    files.set('meta/episodes.jsonl', text(lines.join('\n')))
    for (let episode = 0; episode < EPISODES; episode += 1) {
      const path = `data/chunk-000/episode_${String(episode).padStart(6, '0')}.parquet`
      files.set(path, episode === chosen ? padded(table, BYTES) : unread(path, BYTES))
    }
  } else {
    files.set('meta/episodes/chunk-000/file-000.parquet', padded(episodeTableOf(recorded, false, IN_FILE), 3_000_000))
    for (let file = 0; file < EPISODES / IN_FILE; file += 1) {
      const path = `data/chunk-000/file-${String(file).padStart(3, '0')}.parquet`
      files.set(path, file === first / IN_FILE ? padded(table, BYTES * IN_FILE) : unread(path, BYTES * IN_FILE))
    }
  }
  return { files, row }
}

const text = (value: string) => new TextEncoder().encode(value)

function unread(path: string, length: number): StoredFile {
  return {
    length,
    part() {
      throw new Error(`${path} is not what was asked for.`)
    },
  }
}

/** A table with other columns, before its description: offsets are from the start. */
function padded(table: Uint8Array, length: number): StoredFile {
  const description = new DataView(table.buffer, table.byteOffset).getUint32(table.length - 8, true) + 8
  const head = table.length - description
  const gap = length - table.length
  return {
    length,
    part(start, end) {
      const found = new Uint8Array(end - start)
      found.set(table.subarray(Math.min(start, head), Math.min(end, head)))
      const from = Math.max(start, head + gap)
      if (from < end) found.set(table.subarray(from - gap, end - gap), from - start)
      return found
    },
  }
}
