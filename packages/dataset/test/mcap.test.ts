/** MCAP files by ranges: joints and pictures of the encodings that recorders use, and what is not read, by name. */
import { describe, expect, it } from 'vitest'
import { mcapEpisode } from '../src/mcap/mcap-episode.ts'
import { openMcap } from '../src/mcap/open-mcap.ts'
import { atSecond, compressedImage, jointState, jointsAt, type MadeTopic, madeMcap } from './support/made-mcap.ts'

const JOINTS = ['shoulder', 'elbow']
const wave = (at: number, joint: number) => Math.sin(at / 10 + joint)
const rows = Array.from({ length: 200 }, (_, at) => [wave(at, 0), wave(at, 1)] as const)
const jpeg = (size: number, last: number) => Uint8Array.of(0xff, 0xd8, 0xff, ...new Uint8Array(size), last)

const states: MadeTopic = {
  ...{ name: '/joint_states', schema: 'sensor_msgs/msg/JointState', encoding: 'cdr', text: jointState },
  messages: rows.map((row, at) => jointsAt(at / 20, JOINTS, row)),
}
const commands: MadeTopic = {
  ...{ name: '/arm/joint_commands', schema: 'sensor_msgs/msg/JointState', encoding: 'json' },
  messages: rows
    .slice(0, 100)
    .map((row, at) => [at / 10 + 0.01, { name: JOINTS, position: row.map((one) => one + 1) }]),
}
const camera: MadeTopic = {
  ...{ name: '/front', schema: 'sensor_msgs/msg/CompressedImage', encoding: 'cdr', text: compressedImage },
  messages: [0, 1, 2, 3].map((at) => [
    at,
    { header: { stamp: { sec: 1, nanosec: 0 }, frame_id: '' }, format: 'rgb8; jpeg', data: jpeg(20_000, at) },
  ]),
}

function fileOf(bytes: Uint8Array) {
  const asked: [number, number][] = []
  return {
    asked,
    path: 'a.mcap',
    sizeBytes: bytes.length,
    read: (start: number, end: number) => {
      asked.push([start, end])
      return Promise.resolve(bytes.slice(start, end).buffer as ArrayBuffer)
    },
  }
}
const opened = async (topics: readonly MadeTopic[], making?: Parameters<typeof madeMcap>[1]) =>
  openMcap(fileOf(await madeMcap(topics, making)))

describe('an MCAP file', () => {
  it.each(['', 'zstd', 'lz4'] as const)(
    'has its joints and what they should do, compressed by "%s"',
    async (compression) => {
      const { state, action, seconds, pictures, taken } = await mcapEpisode(
        await opened([states, commands, camera], { compression }),
      )
      expect(state).toMatchObject({ topic: '/joint_states', names: JOINTS, isWhole: true })
      expect(seconds).toHaveLength(200)
      expect(seconds[30]).toBeCloseTo(1.5)
      expect(state?.position.slice(60, 62)).toEqual(Float64Array.from(rows[30] ?? []))
      expect(state?.velocity[61]).toBeCloseTo((rows[30]?.[1] ?? 0) / 2)
      expect(state?.effort).toHaveLength(0)
      expect(state?.stamps[30]).toBeCloseTo(1_700_000_001.5)
      // A command counts from when it came: at row 0 there was none, at 3 (0.15 s) the one of 0.11 s.
      expect(action?.values[0]).toBeNaN()
      expect(action?.values[6]).toBeCloseTo(wave(1, 0) + 1)
      expect(pictures.map(({ name }) => name)).toEqual(['/front'])
      expect(taken).toEqual([
        '/joint_states is taken for what was measured.',
        '/arm/joint_commands is taken for what the robot should do.',
      ])
    },
  )

  it('has the picture of a time: the last one before it', async () => {
    const file = await opened([states, camera])
    const [topic] = file.topics.filter(({ kind }) => kind === 'picture')
    if (!topic) throw new Error('The file has a camera.')
    const last = async (seconds: number) => (await file.picture(topic, atSecond(seconds)))?.bytes.at(-1)
    expect([await last(0), await last(1.99), await last(2), await last(9)]).toEqual([0, 1, 2, 3])
    expect(await last(-1)).toBeUndefined()
    expect((await file.picture(topic, atSecond(1)))?.type).toBe('image/jpeg')
  })

  it('is read by ranges: chunks without joints are not', async () => {
    const many = Array.from({ length: 60 }, (_, at) => [20 + at, { ...(camera.messages[0]?.[1] as object) }] as const)
    const bytes = await madeMcap([states, { ...camera, messages: many }], { compression: '', chunkSize: 16_384 })
    const file = fileOf(bytes)
    await mcapEpisode(await openMcap(file))
    const read = file.asked.reduce((sum, [start, end]) => sum + end - start, 0)
    expect(bytes.length).toBeGreaterThan(1_200_000)
    expect(read).toBeLessThan(200_000)
  })

  it('is read to a bound, and says to where', async () => {
    const file = await opened([states], { compression: '' })
    const [topic] = file.topics
    if (!topic) throw new Error('The file has a topic.')
    const part = await file.joints(topic, 10_000)
    expect(part.isWhole).toBe(false)
    expect(part.times.length).toBeGreaterThan(10)
    expect(part.times.length).toBeLessThan(100)
    const { gaps } = await mcapEpisode({ ...file, joints: () => Promise.resolve(part) })
    expect(gaps[0]).toMatch(/^Of \/joint_states the first \d\.\d s are read/)
  })

  it('keeps the number of a joint that a message leaves out', async () => {
    const parts: MadeTopic = {
      ...states,
      messages: [
        jointsAt(0, ['shoulder'], [1]),
        jointsAt(1, ['elbow'], [2]),
        jointsAt(2, ['elbow', 'shoulder'], [3, 4]),
      ],
    }
    const { state } = await mcapEpisode(await opened([parts]))
    expect(state?.names).toEqual(JOINTS)
    expect([...(state?.position ?? [])]).toEqual([1, Number.NaN, 1, 2, 4, 3])
  })
})

describe('what is not read is said', () => {
  it('of joints after the first 128', async () => {
    const names = Array.from({ length: 130 }, (_, at) => `joint_${at}`)
    const topic: MadeTopic = { ...states, messages: [jointsAt(0, names, Array(130).fill(0))] }
    const { state, gaps } = await mcapEpisode(await opened([topic]))
    expect([state?.names.length, state?.moreJoints]).toEqual([128, 2])
    expect(gaps).toEqual(['Of /joint_states the first 128 joints are read.'])
  })

  it('of a topic, with its schema and its encoding', async () => {
    const video: MadeTopic = {
      name: '/video',
      schema: 'foxglove.CompressedVideo',
      encoding: 'flatbuffer',
      messages: [],
    }
    const packed: MadeTopic = { ...video, name: '/still', schema: 'foxglove.CompressedImage' }
    const { gaps } = await mcapEpisode(await opened([video, packed]))
    expect(gaps).toEqual([
      'No topic has joints.',
      expect.stringMatching(/^\/still is not read: foxglove.CompressedImage, flatbuffer encoding: .* in json\.$/),
      '/video is not read: foxglove.CompressedVideo, flatbuffer encoding: neither joints nor compressed pictures.',
    ])
  })

  it.each([
    [
      'chunks in another compression',
      () => madeMcap([states], { compression: 'snappy' }),
      'a.mcap is not read: its chunks are compressed with snappy',
    ],
    ['no index', () => madeMcap([states], { isIndexed: false }), '"mcap recover" makes one'],
    ['a cut', async () => (await madeMcap([states])).slice(0, 5000), 'a.mcap is not read: '],
    ['other bytes', () => Promise.resolve(new Uint8Array(500)), 'a.mcap is not read: '],
    ['no bytes', () => Promise.resolve(new Uint8Array()), 'a.mcap is not read: '],
    [
      'joints without names',
      () => madeMcap([{ ...commands, messages: [[0, { position: [1] }]] }]),
      'a message of /arm/joint_commands has no names of joints',
    ],
  ])('of a file with %s', async (_, make, words) => {
    const read = async () => mcapEpisode(await openMcap(fileOf(await make())))
    await expect(read()).rejects.toThrow(words)
  })
})
