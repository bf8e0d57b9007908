/** MCAP files by ranges: joints and pictures of the encodings that recorders use, and what is not read, by name. */
import { type IReadable, McapIndexedReader } from '@mcap/core'
import { describe, expect, it } from 'vitest'
import { mcapEpisode } from '../src/mcap/mcap-episode.ts'
import { openMcap } from '../src/mcap/open-mcap.ts'
import { topicReader } from '../src/mcap/topics.ts'
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
      return Promise.resolve(new Uint8Array(bytes.subarray(start, end)).buffer)
    },
  }
}
const readableOf = ({ sizeBytes, read }: ReturnType<typeof fileOf>): IReadable => ({
  size: () => Promise.resolve(BigInt(sizeBytes)),
  read: async (offset, size) => new Uint8Array(await read(Number(offset), Number(offset + size))),
})
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

  it('is read to a bound of what its chunks unpack to, however few bytes they have', async () => {
    const file = fileOf(await madeMcap([states]))
    const [{ uncompressedSize: size = 0n } = {}] = (await McapIndexedReader.Initialize({ readable: readableOf(file) }))
      .chunkIndexes
    expect(size).toBeGreaterThan(0n)
    const mcap = await openMcap(file)
    const [topic] = mcap.topics
    if (!topic) throw new Error('The file has a topic.')
    const part = await mcap.joints(topic, 64 * 1024 * 1024, 3 * Number(size))
    expect([part.isWhole, part.times.length > 0, part.times.length < 200]).toEqual([false, true, true])
    expect((await mcap.joints(topic)).isWhole).toBe(true)
  })

  it('lets others work while its messages are decoded', async () => {
    const file = await opened([{ ...states, messages: rows.map((row, at) => jointsAt(at / 20, JOINTS, row)) }])
    const [topic] = file.topics
    if (!topic) throw new Error('The file has a topic.')
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    })
    const slow = (bytes: Uint8Array) => {
      const until = performance.now() + 2
      while (performance.now() < until);
      return topic.decode(bytes)
    }
    await file.joints({ ...topic, decode: slow })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
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

const manyFields = (count: number, width: number) =>
  Array.from({ length: count }, (_, at) => `uint8 f${`${at}`.padStart(width, '0')}`).join('\n')

describe('a message of joints, or a schema, that none has is refused', () => {
  const read = async (topic: MadeTopic) => mcapEpisode(await opened([topic]))
  const names = Array.from({ length: 120_000 }, (_, at) => `joint_${at}`)

  it.each(['cdr', 'json'] as const)('over a mebibyte, in %s', async (encoding) => {
    const topic = { ...states, encoding, messages: [jointsAt(0, names, [1])] }
    await expect(read(topic)).rejects.toThrow(/a message of \/joint_states is not read: it has \d+ bytes, over 1048576/)
  })

  it.each([
    ['of very many fields', manyFields(10_001, 5), /^its schema has 10001 fields, over 10000$/],
    ['of more than a mebibyte', manyFields(9000, 120), /^its schema has \d+ characters, over 1048576$/],
    ['that is none, and quoted in short', 'x'.repeat(5000), /^Could not parse line: 'x{400,480}$/],
  ])('a schema %s', (_what, text, words) => {
    const schema = { id: 1, name: 'sensor_msgs/msg/JointState', encoding: 'ros2msg', data: Buffer.from(text) }
    const channel = { id: 1, schemaId: 1, topic: '/a', messageEncoding: 'cdr', metadata: new Map<string, string>() }
    const topic = topicReader(null)({ type: 'Channel', ...channel }, { type: 'Schema', ...schema }, null)
    expect(() => topic.decode(Uint8Array.of(0, 1, 0, 0))).toThrow(words)
  })
})

describe('what is not read is said', () => {
  it.each([
    [130, '2 more are not checked or shown: joint_128, joint_129'],
    [
      150,
      `22 more are not checked or shown: ${[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `joint_${128 + at}`).join(', ')}, …`,
    ],
    [400, 'at least 128 more are not checked or shown: joint_128'],
  ])('of joints after the first 128, of %i', async (count, words) => {
    const names = Array.from({ length: count }, (_, at) => `joint_${at}`)
    const topic: MadeTopic = { ...states, messages: [jointsAt(0, names, Array(count).fill(0))] }
    const { state, gaps } = await mcapEpisode(await opened([topic]))
    expect(state?.names.length).toBe(128)
    expect(gaps).toEqual([expect.stringMatching(`^Of /joint_states 128 joints are read; ${words}`)])
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
      /^a.mcap is not read: the chunk at byte \d+ is not read: it is compressed with snappy: /,
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

describe('a chunk that lies is named with its place', () => {
  const compressions = ['', 'zstd', 'lz4'] as const
  /** Where each chunk is in a file, and what its index has behind its times. */
  const chunkOf = async (bytes: Uint8Array) => {
    const readable = {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (start: bigint, size: bigint) => Promise.resolve(bytes.subarray(Number(start), Number(start + size))),
    }
    const [, index] = (await McapIndexedReader.Initialize({ readable })).chunkIndexes
    if (!index) throw new Error('The file has two chunks.')
    return { at: Number(index.chunkStartOffset), index }
  }
  /** Writes a size into a chunk, and into its index where that is to agree. A sum of the index is left out. */
  const sized = async (compression: (typeof compressions)[number], more: number, isIndexed: boolean) => {
    const bytes = Buffer.from(await madeMcap([states], { compression }))
    const { at, index } = await chunkOf(bytes)
    const size = index.uncompressedSize + BigInt(more)
    bytes.writeBigUInt64LE(size, at + 25)
    bytes.writeUInt32LE(0, at + 33)
    const sizes = Buffer.alloc(16)
    sizes.writeBigUInt64LE(index.compressedSize)
    sizes.writeBigUInt64LE(index.uncompressedSize, 8)
    const indexAt = bytes.lastIndexOf(sizes)
    if (isIndexed) bytes.writeBigUInt64LE(size, bytes.indexOf(sizes, at + 100) + 8)
    expect(indexAt).toBeGreaterThan(at)
    bytes.writeUInt32LE(0, bytes.length - 12)
    return { bytes, at }
  }
  const read = async (bytes: Uint8Array) => mcapEpisode(await openMcap(fileOf(bytes)))

  it.each(compressions.flatMap((one) => [1, -1, 5000].map((more) => [one, more] as const)))(
    '"%s", whose length is said to be longer by %i',
    async (compression, more) => {
      const agreed = await sized(compression, more, true)
      await expect(read(agreed.bytes)).rejects.toThrow(`the chunk at byte ${agreed.at} is not read: it`)
      const alone = await sized(compression, more, false)
      await expect(read(alone.bytes)).rejects.toThrow(
        new RegExp(
          `the chunk at byte ${alone.at} is not read: it says that it has \\d+ bytes, and its index says \\d+`,
        ),
      )
    },
  )

  it.each(compressions)('"%s", whose CRC is another; none is compared where there is none', async (compression) => {
    const bytes = Buffer.from(await madeMcap([states], { compression }))
    const { at } = await chunkOf(bytes)
    const words = `the chunk at byte ${at} is not read: its bytes are not those of its CRC`
    bytes.writeUInt32LE((bytes.readUInt32LE(at + 33) ^ 1) >>> 0, at + 33)
    await expect(read(bytes)).rejects.toThrow(words)
    bytes.writeUInt32LE(0, at + 33)
    expect((await read(bytes)).times).toHaveLength(200)
  })

  it('of a picture too', async () => {
    const bytes = Buffer.from(await madeMcap([camera], { chunkSize: 16_384 }))
    const { at } = await chunkOf(bytes)
    bytes.writeUInt32LE(7, at + 33)
    const file = await openMcap(fileOf(bytes))
    const [topic] = file.topics
    expect(topic && (await file.picture(topic, atSecond(0)))?.type).toBe('image/jpeg')
    await expect(topic && file.picture(topic, atSecond(1))).rejects.toThrow(`the chunk at byte ${at} is not read`)
  })
})
