/** Data sets with one fault each: each fault is found at its place, and nothing else. */
import { describe, expect, it } from 'vitest'
import { checkDataset } from '../src/check/check-dataset.ts'
import { type FindingCode, findingKinds } from '../src/check/finding.ts'
import { CAMERA, type Fault, FPS, filesOf, JOINTS, madeDataset, type Row } from './support/made-dataset.ts'

type Layout = 2 | 3

interface Wrong {
  readonly name: string
  readonly code: FindingCode
  readonly fault: Fault | ((layout: Layout) => Fault)
  readonly at: readonly [episode: number | null, frame: number | null]
  readonly place: string | ((layout: Layout) => string)
  readonly layouts?: readonly Layout[]
}

const limits = new Map([
  ['shoulder', { lower: -0.6, upper: 0.6 }],
  ['elbow', { lower: -1.2, upper: 1.2 }],
])
const tableOf = (episode: number) => (layout: Layout) =>
  layout === 2
    ? `data/chunk-000/episode_00000${episode}.parquet`
    : `data/chunk-000/file-00${episode < 2 ? 0 : 1}.parquet`
const videoOf = (episode: number) => (layout: Layout) =>
  layout === 2
    ? `videos/chunk-000/${CAMERA}/episode_00000${episode}.mp4`
    : `videos/${CAMERA}/chunk-000/file-00${episode < 2 ? 0 : 1}.mp4`

/** Changes the frame of an episode. */
const inFrame =
  (episode: number, frame: number, change: (row: Row, rows: Row[]) => void): Fault['rows'] =>
  (episodes) => {
    const rows = episodes[episode] ?? []
    const row = rows[frame]
    if (row) change(row, rows)
  }
const from =
  (frame: number, change: (row: Row) => void): Fault['rows'] =>
  (episodes) => {
    for (const row of episodes[1]?.slice(frame) ?? []) change(row)
  }
const set =
  (path: (layout: Layout) => string, change: (whole: Uint8Array) => Uint8Array | null) =>
  (layout: Layout): Fault => ({
    files: (files) => {
      const made = change(files.get(path(layout)) ?? new Uint8Array())
      if (made) files.set(path(layout), made)
      else files.delete(path(layout))
    },
  })

const wrongs: readonly Wrong[] = [
  {
    ...{ name: 'a frame number that is left out', code: 'frame_gap', at: [1, 17], place: 'frame_index' },
    fault: {
      rows: from(17, (row) => {
        row.frame_index += 1
      }),
    },
  },
  {
    ...{ name: 'a hole in the times', code: 'frame_gap', at: [1, 17], place: 'timestamp' },
    fault: {
      rows: from(17, (row) => {
        row.timestamp += 3 / FPS
      }),
    },
  },
  {
    ...{ name: 'times that do not increase', code: 'time_order', at: [1, 20], place: 'timestamp' },
    fault: {
      rows: inFrame(1, 20, (row, rows) => {
        row.timestamp = rows[19]?.timestamp ?? 0
      }),
    },
  },
  {
    ...{ name: 'a clock that drifts', code: 'clock_drift', at: [1, 42], place: 'timestamp' },
    fault: {
      rows: from(0, (row) => {
        row.timestamp = (row.frame_index * 1.012) / FPS
      }),
    },
  },
  {
    ...{ name: 'a camera whose clock drifts', code: 'clock_drift', at: [2, 25], place: CAMERA },
    fault: { video: (episode, frames) => [frames, episode === 2 ? FPS / 1.02 : FPS] },
    layouts: [2],
  },
  {
    ...{ name: 'rows at half the rate', code: 'fps', at: [2, 1], place: 'timestamp' },
    fault: {
      rows: (episodes) =>
        episodes[2]?.forEach((row) => {
          row.timestamp = row.frame_index / (FPS / 2)
        }),
    },
  },
  {
    ...{ name: 'a joint outside its limits', code: 'joint_limit', at: [1, 30], place: 'observation.state.shoulder' },
    fault: {
      rows: inFrame(1, 30, (row) => {
        row.state[0] = 0.64
      }),
    },
  },
  {
    ...{
      name: 'a joint that stands still in an episode',
      code: 'dead_joint',
      at: [1, 0],
      place: 'observation.state.gripper',
    },
    fault: {
      rows: from(0, (row) => {
        row.state[2] = 0.25
      }),
    },
  },
  {
    ...{ name: 'a joint that never moves', code: 'dead_joint', at: [null, null], place: 'observation.state.elbow' },
    fault: {
      rows: (episodes) => {
        for (const row of episodes.flat()) {
          row.state[1] = 0.25
          row.action[1] = 0.25
        }
      },
    },
  },
  {
    ...{ name: 'a jump', code: 'jump', at: [1, 30], place: 'observation.state.gripper' },
    fault: {
      rows: inFrame(1, 30, (row) => {
        row.state[2] = 9
      }),
    },
  },
  {
    ...{ name: 'an episode that is there twice', code: 'duplicate_episode', at: [2, 0], place: 'data' },
    fault: {
      rows: (episodes) => {
        const first = episodes[0] ?? []
        episodes[2] = first.map((row, at) => ({ ...row, episode_index: 2, index: 100 + at }))
      },
    },
  },
  {
    ...{ name: 'an empty episode', code: 'empty_episode', at: [2, null], place: tableOf(2) },
    fault: {
      rows: (episodes) => {
        episodes[2] = []
      },
    },
  },
  {
    ...{ name: 'a length that the list says wrong', code: 'length', at: [1, 60], place: tableOf(1) },
    fault: {
      told: ([, one]) => {
        if (one) one.length = 61
      },
    },
  },
  {
    ...{ name: 'a video that is not there', code: 'missing_video', at: [2, null], place: videoOf(2) },
    fault: set(videoOf(2), () => null),
  },
  {
    ...{ name: 'a video that was cut', code: 'broken_video', at: [2, null], place: videoOf(2) },
    fault: set(videoOf(2), (whole) => whole.subarray(0, whole.length - 200)),
  },
  {
    ...{ name: 'a video without a list of frames', code: 'broken_video', at: [0, null], place: videoOf(0) },
    fault: set(videoOf(0), (whole) => whole.subarray(0, 32)),
  },
  {
    ...{ name: 'a video of fewer frames', code: 'video_length', at: [2, 25], place: CAMERA },
    fault: { video: (episode, frames) => [episode === 2 ? 25 : frames, FPS] },
  },
  {
    ...{
      name: 'statistics of an episode that are not its own',
      code: 'stats',
      at: [1, null],
      place: 'observation.state.elbow',
    },
    fault: { told: ([, one]) => void one?.stats['observation.state']?.mean.fill(0.5, 1, 2) },
  },
  {
    ...{ name: 'a count of frames in its statistics', code: 'stats', at: [1, null], place: 'timestamp' },
    fault: { told: ([, one]) => void one?.stats.timestamp?.count.fill(59) },
  },
  {
    ...{ name: 'statistics of the whole', code: 'stats', at: [null, null], place: 'action.elbow' },
    fault: { told: (_, all) => void all.action?.std.fill(3, 1, 2) },
    layouts: [3],
  },
  {
    ...{ name: 'a number that is none', code: 'not_finite', at: [1, 12], place: 'observation.state.elbow' },
    fault: {
      rows: inFrame(1, 12, (row) => {
        row.state[1] = Number.NaN
      }),
    },
  },
  {
    ...{ name: 'an infinite action', code: 'not_finite', at: [0, 39], place: 'action.gripper' },
    fault: {
      rows: inFrame(0, 39, (row) => {
        row.action[2] = Number.POSITIVE_INFINITY
      }),
    },
  },
  {
    ...{ name: 'a task that is not listed', code: 'task_index', at: [1, 50], place: 'task_index' },
    fault: {
      rows: from(50, (row) => {
        row.task_index = 7
      }),
    },
  },
  {
    ...{ name: 'rows of another episode', code: 'episode_index', at: [1, 55], place: 'episode_index' },
    fault: {
      rows: from(55, (row) => {
        row.episode_index = 2
      }),
    },
  },
  {
    ...{ name: 'an index that leaves one out', code: 'index', at: [1, 10], place: 'index' },
    fault: {
      rows: (episodes) => {
        for (const row of episodes.flat().slice(50)) row.index += 1
      },
    },
  },
  {
    ...{ name: 'a frame with a joint less', code: 'shape', at: [1, 5], place: 'observation.state' },
    fault: { rows: inFrame(1, 5, (row) => void row.state.pop()) },
  },
  {
    ...{ name: 'more names than numbers', code: 'shape', at: [0, 0], place: 'action' },
    fault: {
      info: ({ features }) => {
        if (features.action) features.action.names = [...JOINTS, 'wrist']
      },
    },
  },
  {
    ...{ name: 'a total of frames', code: 'totals', at: [null, null], place: 'meta/info.json' },
    fault: {
      info: (info) => {
        info.total_frames = 131
      },
    },
  },
  {
    ...{ name: 'a total of episodes', code: 'totals', at: [null, null], place: 'meta/info.json' },
    fault: {
      info: (info) => {
        info.total_episodes = 5
      },
    },
  },
  {
    ...{ name: 'a total of chunks', code: 'totals', at: [null, null], place: 'meta/info.json' },
    fault: {
      info: (info) => {
        info.total_chunks = 2
      },
    },
    layouts: [2],
  },
  {
    ...{ name: 'a table that is not there', code: 'missing_table', at: [2, null], place: tableOf(2) },
    fault: set(tableOf(2), () => null),
  },
  {
    ...{ name: 'a table that was cut', code: 'broken_table', at: [2, null], place: tableOf(2) },
    fault: set(tableOf(2), (whole) => whole.subarray(0, whole.length - 20)),
  },
  {
    ...{ name: 'a column that is not there', code: 'missing_column', at: [0, null], place: 'next.reward' },
    fault: {
      info: ({ features }) => {
        features['next.reward'] = { dtype: 'float32', shape: [1], names: null }
      },
    },
  },
  {
    ...{ name: 'times in twice the bits', code: 'dtype', at: [0, null], place: 'timestamp' },
    fault: { types: { timestamp: 'DOUBLE' } },
  },
  {
    ...{ name: 'a layout that is not known', code: 'info', at: [null, null], place: 'meta/info.json' },
    fault: {
      info: (info) => {
        info.codebase_version = 'v9.0'
      },
    },
  },
]

describe.each([2, 3] as const)('a data set of layout %s', (layout) => {
  it('that is right has no finding, and its numbers', async () => {
    const report = await checkDataset(filesOf(madeDataset(layout)), { limits: new Map() })
    expect(report).toMatchObject({ layout, episodes: 3, frames: 130, findings: [], counts: {}, unchecked: [] })
    expect(report.summary.tasks).toEqual([
      { task: 'Pick cube 0', episodes: 2, frames: 70 },
      { task: 'Pick cube 1', episodes: 1, frames: 60 },
    ])
    expect(report.summary.lengths).toMatchObject({ lower: 30, upper: 60 })
    expect(report.summary.joints.map(({ place }) => place)).toEqual(JOINTS.map((joint) => `observation.state.${joint}`))
    for (const { counts } of report.summary.joints) expect(counts.reduce((sum, one) => sum + one, 0)).toBe(130)
    // The ends are told as where a joint was: the numbers are in the first bin and in the last one.
    for (const { counts } of report.summary.joints) expect([counts[0], counts.at(-1)]).not.toContain(0)
  })

  it('with a joint that only rounds has no finding: steps of 1e-35 are no jump', async () => {
    const rows: Fault['rows'] = (episodes) => {
      for (const [at, row] of episodes.flat().entries()) row.state[2] = at % 40 === 3 ? 9.8e-35 : 1e-36 * (at % 2)
    }
    expect((await checkDataset(filesOf(madeDataset(layout, { rows })), { limits })).findings).toEqual([])
  })

  it.each(wrongs.filter(({ layouts }) => layouts?.includes(layout) ?? true))('with $name', async (wrong) => {
    const fault = typeof wrong.fault === 'function' ? wrong.fault(layout) : wrong.fault
    const { findings } = await checkDataset(filesOf(madeDataset(layout, fault)), { limits })
    const [episode, frame] = wrong.at
    const place = typeof wrong.place === 'function' ? wrong.place(layout) : wrong.place
    const first = findings[0]
    expect(first, JSON.stringify(findings)).toMatchObject({ code: wrong.code, episode, frame, place })
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set([wrong.code]))
  })
})

it('every kind of finding has a data set that has it', () => {
  expect(Object.keys(findingKinds).filter((code) => !wrongs.some((wrong) => wrong.code === code))).toEqual([])
})

it('limits are compared in the unit that a joint was recorded in', async () => {
  const files = filesOf(madeDataset(3))
  const narrow = { lower: -0.01, upper: 0.01 }
  const inDegrees = { ...narrow, perUnit: 180 / Math.PI }
  const found = async (limit: typeof narrow) => {
    const { findings } = await checkDataset(files, { limits: new Map([['shoulder', limit]]) })
    return findings.map(({ detail }) => detail)
  }
  // It moves by 0.5 to each side: 0.01 rad are 0.573 degrees.
  expect(await found(inDegrees)).toEqual([])
  expect((await found(narrow))[0]).toContain('the limit of the robot')
  expect((await found({ ...inDegrees, lower: -0.005, upper: 0.005 }))[0]).toContain('0.28648, the limit of the robot')
})
