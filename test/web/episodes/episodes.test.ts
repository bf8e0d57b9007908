/** The episode viewer's cores: LeRobot's layouts, ranges of Parquet files, and the time that curves and videos share. */
import { checkDataset } from '@hub/dataset/check-dataset'
import { filled, readInfo } from '@hub/dataset/info'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { madeDataset } from '../../../packages/dataset/test/support/made-dataset.ts'
import { type Dataset, type DatasetFiles, openDataset } from '../../../web/src/episodes/dataset.ts'
import { frameAt } from '../../../web/src/episodes/episode-curves.ts'
import { playhead, type Reel } from '../../../web/src/episodes/playhead.ts'
import { checkedFiles } from '../../../web/src/pages/repos/dataset-check/checked-files.ts'
import { FPS, JOINTS, lerobotDataset } from '../support/lerobot.ts'
import { type RangeStore, rangeStore } from '../support/range-store.ts'

let store: RangeStore
let files: ReadonlyMap<string, Uint8Array> = new Map()

beforeAll(async () => {
  store = await rangeStore()
})
afterAll(() => store.stop())

function repo(): DatasetFiles {
  store.hold(files)
  return store.repo()
}

async function opened(): Promise<Dataset> {
  const dataset = await openDataset(repo())
  if (!dataset) throw new Error('It is a dataset of LeRobot.')
  return dataset
}

describe.each([2, 3] as const)('a LeRobot dataset of layout %s', (layout) => {
  const made = lerobotDataset(layout)
  let dataset: Dataset

  beforeAll(async () => {
    files = made.files
    dataset = await opened()
  })

  it('has its episodes with their tasks and lengths', () => {
    expect(dataset.episodes.map(({ index, length, tasks }) => [index, length, tasks[0]])).toEqual([
      [0, 40, 'Pick cube 0'],
      [1, 60, 'Pick cube 1'],
      [2, 30, 'Pick cube 2'],
    ])
  })

  it.each([0, 1, 2])('has the curves of episode %s, by the names of its joints, states first', async (index) => {
    const episode = dataset.episodes[index]
    if (!episode) throw new Error('The dataset has three.')
    const { curves } = await dataset.load(episode)
    expect(curves.features.map(({ name }) => name)).toEqual(['observation.state', 'action'])
    expect(curves.features[0]?.series.map(({ label }) => label)).toEqual([...JOINTS])
    expect(curves.times).toHaveLength(episode.length ?? 0)
    expect(curves.times[10]).toBeCloseTo(10 / FPS)
    for (const joint of [0, 1, 2]) {
      expect(curves.features[0]?.series[joint]?.values[7]).toBeCloseTo(made.value(index, 7, joint))
      expect(curves.features[1]?.series[joint]?.values[29]).toBeCloseTo(made.value(index, 29, joint) + 1)
    }
  })
})

describe('of a large file', () => {
  it('only the footer and the rows that are plotted are read', async () => {
    const { files: small } = lerobotDataset(3)
    const path = 'data/chunk-000/file-000.parquet'
    const whole = small.get(path) ?? new Uint8Array()
    // As if 1 MB of other columns stood before the footer: offsets are from the start.
    const footer = new DataView(whole.buffer).getUint32(whole.length - 8, true) + 8
    const large = new Uint8Array(whole.length + 2 ** 20)
    large.set(whole.subarray(0, whole.length - footer))
    large.set(whole.subarray(whole.length - footer), large.length - footer)
    files = new Map([...small, [path, large]])
    const dataset = await opened()
    const { curves } = await dataset.load(dataset.episodes[1] as never)
    expect(curves.times).toHaveLength(60)
    expect(store.sent.get(path)).toBeLessThan(2 ** 17)
    expect(dataset.bytes()).toBe([...store.sent.values()].reduce((sum, bytes) => sum + bytes, 0))
  })
})

describe('the check of a page', () => {
  it('reads a data set by ranges, and finds nothing wrong with a right one', async () => {
    files = madeDataset(3)
    const report = await checkDataset(await checkedFiles(repo()))
    expect([report.episodes, report.frames, report.findings]).toEqual([3, 130, []])
  })

  it('tells a fault at its episode, and stops where it is told to', async () => {
    files = madeDataset(2, {
      files: (made) => made.delete('data/chunk-000/episode_000001.parquet'),
    })
    const { findings } = await checkDataset(await checkedFiles(repo()))
    expect(findings).toMatchObject([{ code: 'missing_table', episode: 1 }])
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(checkDataset(await checkedFiles(repo(), stopped))).rejects.toThrow('stopped')
  })
})

describe('a dataset that is not whole', () => {
  it('says which file is missing, and lists missing videos beside the curves', async () => {
    const { files: whole } = lerobotDataset(2, new Uint8Array(8))
    const missing = new Set([
      'data/chunk-000/episode_000001.parquet',
      'videos/chunk-000/observation.images.front/episode_000000.mp4',
    ])
    files = new Map([...whole].filter(([path]) => !missing.has(path)))
    const dataset = await opened()
    await expect(dataset.load(dataset.episodes[1] as never)).rejects.toThrow(
      'episode_000001.parquet is not in the repo',
    )
    const { videos, missing: lacking } = await dataset.load(dataset.episodes[0] as never)
    expect(videos).toEqual([])
    expect(lacking).toEqual(['videos/chunk-000/observation.images.front/episode_000000.mp4'])
  })

  it('is no dataset of LeRobot without its description, and an unknown layout is told', async () => {
    files = new Map()
    expect(await openDataset(repo())).toBeNull()
    expect(readInfo('{"codebase_version":"v9.0","fps":30}')).toEqual({
      why: 'The layout v9.0 is not known: v2.0, v2.1 and v3.0 are.',
    })
    expect(readInfo('[]')).toHaveProperty('why')
  })
})

it('a path is filled in as Python formats it', () => {
  expect(filled('a-{n:03d}/{key}/{n}-{other:02d}', { n: 7, key: 'x/y' })).toBe('a-007/x/y/7-{other:02d}')
})

it('the frame at a time is the last one that is not after it', () => {
  const times = Float64Array.of(0, 0.1, 0.2, 0.3)
  expect([-1, 0, 0.099, 0.1, 0.25, 9].map((time) => frameAt(times, time))).toEqual([0, 0, 0, 1, 2, 3])
})

describe('the playhead', () => {
  function reel(): Reel {
    const video = { currentTime: 0, paused: true, readyState: 4 }
    return Object.assign(video, {
      play: () => {
        video.paused = false
        return Promise.resolve()
      },
      pause: () => {
        video.paused = true
      },
    })
  }

  it('puts all videos to its time, each from where the episode begins in it', () => {
    const [a, b] = [reel(), reel()]
    const times: number[] = []
    const head = playhead(
      3,
      [
        { reel: a, from: 0 },
        { reel: b, from: 10 },
      ],
      (time) => times.push(time),
    )
    head.seek(1.5)
    expect([a.currentTime, b.currentTime]).toEqual([1.5, 11.5])
    head.seek(99)
    expect(times).toEqual([1.5, 3])
  })

  it('follows the video that plays, and takes a video along that falls behind', () => {
    const [a, b] = [reel(), reel()]
    const head = playhead(
      3,
      [
        { reel: a, from: 5 },
        { reel: b, from: 0 },
      ],
      () => undefined,
    )
    head.seek(0)
    head.play(true)
    a.currentTime = 5.4
    head.tick(16)
    expect(head.time()).toBeCloseTo(0.4)
    expect(b.currentTime).toBeCloseTo(0.4)
  })

  it('goes by the clock where no browser plays a video so fast, and takes the videos along', () => {
    const one = reel()
    const head = playhead(400, [{ reel: one, from: 0 }], () => undefined)
    head.setSpeed(40)
    head.play(true)
    expect(one.playbackRate).toBe(16)
    // It has played 0.5 s of the clock at its own most.
    one.currentTime = 8
    head.tick(500)
    expect([head.time(), one.currentTime]).toEqual([20, 20])
    head.setSpeed(16)
    one.currentTime = 28
    head.tick(500)
    expect(head.time()).toBe(28)
  })

  it('goes by the clock without a video, and stops at the end', () => {
    const head = playhead(1, [], () => undefined)
    head.play(true)
    head.tick(600)
    expect(head.time()).toBeCloseTo(0.6)
    head.tick(600)
    expect([head.time(), head.isPlaying()]).toEqual([1, false])
    head.play(true)
    expect(head.time()).toBe(0)
  })
})
