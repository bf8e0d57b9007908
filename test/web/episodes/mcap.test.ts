/** Recordings in MCAP on the page of episodes: numbers, names and pictures by ranges, and what a repo without them is. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  compressedImage,
  jointState,
  jointsAt,
  type MadeTopic,
  madeMcap,
  stampOf,
} from '../../../packages/dataset/test/support/made-mcap.ts'
import { openEpisodes } from '../../../web/src/episodes/open-episodes.ts'
import { lerobotDataset } from '../support/lerobot.ts'
import { type RangeStore, rangeStore } from '../support/range-store.ts'

const JOINTS = ['shoulder', 'elbow']
let store: RangeStore

beforeAll(async () => {
  store = await rangeStore()
})
afterAll(() => store.stop())

const ros = { encoding: 'cdr', text: jointState, schema: 'sensor_msgs/msg/JointState' } as const
const topicsOf = (episode: number): MadeTopic[] => [
  {
    ...{ ...ros, name: '/joint_states' },
    messages: Array.from({ length: 41 }, (_, at) => jointsAt(at / 20, JOINTS, [at / 10, episode])),
  },
  {
    ...{ ...ros, name: '/joint_commands' },
    messages: [jointsAt(1, JOINTS, [7, 8])],
  },
  {
    ...{ name: '/front', encoding: 'cdr', schema: 'sensor_msgs/msg/CompressedImage', text: compressedImage },
    messages: Array.from({ length: 200 }, (_, at) => [
      at / 100,
      { header: stampOf(at), format: 'jpeg', data: Uint8Array.of(0xff, 0xd8, 0xff, ...new Uint8Array(2_000), at) },
    ]),
  },
]

async function opened(files: Readonly<Record<string, Uint8Array>>) {
  store.hold(new Map(Object.entries(files)))
  return openEpisodes(store.repo())
}

it('each file is an episode: joints by name, the last command, and the picture of a time', async () => {
  const made = { chunkSize: 8_192, compression: '' } as const
  const [one, two] = [await madeMcap(topicsOf(1), made), await madeMcap(topicsOf(2), made)]
  const dataset = await opened({ 'b/2.mcap': two, 'b/1.MCAP': one, 'notes.txt': new Uint8Array(4) })
  expect(dataset?.info).toMatchObject({ form: 'MCAP', fps: 20, robot: null })
  expect(dataset?.info.curves.map(({ name, labels }) => [name, labels])).toEqual([
    ['observation.state', JOINTS],
    ['action', JOINTS],
    ['velocity', JOINTS],
  ])
  expect(dataset?.episodes.map(({ index, tasks }) => [index, tasks[0]])).toEqual([
    [0, 'b/1.MCAP'],
    [1, 'b/2.mcap'],
  ])
  const second = await dataset?.load(dataset.episodes[1] as never)
  const [state, action] = second?.curves.features ?? []
  expect(second?.curves.times[30]).toBeCloseTo(1.5)
  expect([state?.series[0]?.values[30], state?.series[1]?.values[30]]).toEqual([3, 2])
  expect([action?.series[0]?.values[19], action?.series[0]?.values[20]]).toEqual([Number.NaN, 7])
  const front = second?.pictures[0]
  expect(front?.camera).toBe('/front')
  const picture = await front?.at(1.234)
  expect([picture?.type, picture?.bytes.at(-1)]).toEqual(['image/jpeg', 123])
  expect(dataset?.bytes()).toBe([...store.sent.values()].reduce((sum, bytes) => sum + bytes, 0))
})

it('a chunk is asked for once, however many of its pictures are shown', async () => {
  const dataset = await opened({ 'a.mcap': await madeMcap(topicsOf(0), { chunkSize: 500_000, compression: 'zstd' }) })
  const { pictures } = (await dataset?.load(dataset.episodes[0] as never)) ?? { pictures: [] }
  const before = dataset?.bytes()
  for (const time of [0.5, 0.51, 0.52, 0.53]) await pictures[0]?.at(time)
  expect(dataset?.bytes()).toBe(before)
})

it('LeRobot comes first, and a repo with neither has no episodes', async () => {
  const { files } = lerobotDataset(3)
  const both = await opened({ ...Object.fromEntries(files), 'a.mcap': new Uint8Array(9) })
  expect(both?.info.form).toBe('LeRobot v3.0')
  expect(await opened({ 'a.txt': new Uint8Array(9) })).toBeNull()
  await expect(opened({ 'a.mcap': new Uint8Array(9) })).rejects.toThrow('a.mcap is not read')
})
