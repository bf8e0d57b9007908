/** Recordings whose messages are Protocol Buffers: what is read, and bytes that are made to do harm. */
import { describe, expect, it } from 'vitest'
import { mcapEpisode } from '../src/mcap/mcap-episode.ts'
import { jointMessage } from '../src/mcap/message-shapes.ts'
import { openMcap } from '../src/mcap/open-mcap.ts'
import { type ProtobufReading, protobufReading } from '../src/mcap/protobuf/read-protobuf.ts'
import { atSecond, type MadeTopic, madeMcap } from './support/made-mcap.ts'
import { header, jointStates, type MadeSchema, madeSchema, rosFields, rosLike, Type } from './support/made-protobuf.ts'

const STAMP = '2023-11-14T22:13:21.500Z'
const SECONDS = 1_700_000_001.5

const foxglove = (position: number): Uint8Array =>
  jointStates.message('made.JointStates', {
    timestamp: STAMP,
    joints: [
      { name: 'shoulder', position, velocity: position / 2 },
      { name: 'elbow', velocity: 3 },
    ],
  })
const ros = (position: number): Uint8Array =>
  rosLike.message('made.ArmReading', {
    ...{ header: { frame_id: 'base', stamp: STAMP }, name: ['shoulder', 'elbow'] },
    ...{ position: [position, -position], velocity: [1, 2] },
  })

const topicOf = (schema: string, { set }: MadeSchema, messages: MadeTopic['messages']): MadeTopic => ({
  ...{ name: `/${schema}`, schema, encoding: 'protobuf', text: set, messages },
})

async function episodeOf(...topics: readonly MadeTopic[]) {
  const bytes = await madeMcap(topics)
  const read = (start: number, end: number) => Promise.resolve(bytes.slice(start, end).buffer as ArrayBuffer)
  const file = await openMcap({ path: 'a.mcap', sizeBytes: bytes.length, read })
  return { file, ...(await mcapEpisode(file)) }
}

function readingOf({ set }: MadeSchema, name: string): ProtobufReading {
  const reading = protobufReading(name, set)
  if (typeof reading === 'string') throw new Error(reading)
  return reading
}
const decoded = (schema: MadeSchema, name: string, message: Uint8Array) =>
  jointMessage(readingOf(schema, name).decode(message))

describe('a recording in protobuf', () => {
  it('has the joints of foxglove.JointStates: what a joint does not tell stays as it was', async () => {
    const { state } = await episodeOf(
      topicOf('made.JointStates', jointStates, [
        [0, foxglove(1)],
        [1, jointStates.message('made.JointStates', { joints: [{ name: 'elbow', position: 5 }] })],
        [2, foxglove(2)],
      ]),
    )
    expect(state).toMatchObject({ topic: '/made.JointStates', names: ['shoulder', 'elbow'], isWhole: true })
    expect([...(state?.position ?? [])]).toEqual([1, Number.NaN, 1, 5, 2, 5])
    expect([...(state?.velocity ?? [])]).toEqual([0.5, 3, 0.5, 3, 1, 3])
    expect(state?.effort).toHaveLength(0)
    expect([...(state?.stamps ?? [])]).toEqual([SECONDS, Number.NaN, SECONDS])
  })

  it('has the joints of a message with the fields of sensor_msgs/JointState, whatever it is called', async () => {
    const { state, action, gaps } = await episodeOf(
      topicOf('made.ArmReading', rosLike, [
        [0, ros(1)],
        [1, ros(2)],
      ]),
      { ...topicOf('made.ArmReading', rosLike, [[0.5, ros(9)]]), name: '/arm/command' },
    )
    expect([...(state?.position ?? [])]).toEqual([1, -1, 2, -2])
    expect([...(state?.stamps ?? [])]).toEqual([SECONDS, SECONDS])
    expect([...(action?.values ?? [])]).toEqual([Number.NaN, Number.NaN, 9, -9])
    expect(gaps).toEqual([])
  })

  it('has its compressed pictures', async () => {
    const image = madeSchema({ CompressedImage: { data: { type: Type.BYTES }, format: { type: Type.STRING } } })
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 7])
    const message = image.message('made.CompressedImage', { data: jpeg.toString('base64'), format: 'jpeg' })
    const { file, pictures } = await episodeOf(topicOf('made.CompressedImage', image, [[0, message]]))
    const [topic] = pictures
    expect(topic && (await file.picture(topic, atSecond(1)))).toEqual({
      type: 'image/jpeg',
      bytes: new Uint8Array(jpeg),
    })
  })

  it('has foxglove.JointStates in JSON too', async () => {
    const json = {
      timestamp: { sec: 1_700_000_001, nsec: 500_000_000 },
      joints: [{ name: 'shoulder', position: 1 }, { name: 'elbow' }],
    }
    const { state } = await episodeOf({
      ...{ name: '/joints', schema: 'foxglove.JointStates', encoding: 'json', messages: [[0, json]] },
    })
    expect([...(state?.position ?? [])]).toEqual([1, Number.NaN])
    expect(state?.stamps[0]).toBe(SECONDS)
  })

  it('names what it does not read', async () => {
    const odometry = madeSchema({ Odometry: { data: { type: Type.BYTES } } })
    const { gaps } = await episodeOf(
      topicOf('made.Odometry', odometry, []),
      { ...topicOf('made.Other', odometry, []), name: '/other' },
      { ...topicOf('made.Odometry', odometry, []), name: '/text', text: 'message Odometry {}' },
    )
    expect(gaps).toEqual([
      'No topic has joints.',
      '/made.Odometry is not read: made.Odometry, protobuf encoding: neither joints nor compressed pictures.',
      '/other is not read: made.Other, protobuf encoding: its schema does not describe it.',
      expect.stringMatching(/^\/text is not read: made.Odometry, .*: its schema is not a FileDescriptorSet: /),
    ])
  })

  it('says which message it cannot read', async () => {
    const broken = topicOf('made.ArmReading', rosLike, [[0, ros(1).slice(0, -3)]])
    await expect(episodeOf(broken)).rejects.toThrow(
      'a.mcap is not read: a message of /made.ArmReading is not read: it is not a made.ArmReading: it was cut.',
    )
  })
})

describe('a message of joints', () => {
  const numbers = [1.5, -2, 0, 7]
  it.each([true, false])('has lists that are packed, and ones that are not: %s', (isPacked) => {
    const list = { type: Type.DOUBLE, isList: true, isPacked }
    const schema = madeSchema({ Header: header, Joints: { ...rosFields, position: list } })
    const message = schema.message('made.Joints', { name: ['a', 'b', 'c', 'd'], position: numbers })
    expect([...Array.from(decoded(schema, 'made.Joints', message)?.position ?? [])]).toEqual(numbers)
  })

  it.each(['DOUBLE', 'FLOAT', 'INT64', 'INT32', 'SFIXED32', 'SFIXED64', 'SINT32', 'SINT64'] as const)(
    'has numbers of the type %s',
    (type) => {
      const schema = madeSchema({
        Header: header,
        Joints: { ...rosFields, position: { type: Type[type], isList: true } },
      })
      const message = schema.message('made.Joints', { name: ['a', 'b'], position: [-3, 100_000] })
      expect(decoded(schema, 'made.Joints', message)?.position).toEqual([-3, 100_000])
    },
  )

  it.each(['UINT64', 'UINT32', 'FIXED32', 'FIXED64'] as const)('has numbers of the type %s', (type) => {
    const schema = madeSchema({
      Header: header,
      Joints: { ...rosFields, position: { type: Type[type], isList: true } },
    })
    const message = schema.message('made.Joints', { name: ['a'], position: [3_000_000_000] })
    expect(decoded(schema, 'made.Joints', message)?.position).toEqual([3_000_000_000])
  })

  it.each([
    ['proto3', undefined, 0],
    ['proto3', true, undefined],
    ['proto2', undefined, undefined],
    ['editions', undefined, undefined],
    ['editions', false, 0],
  ] as const)('of %s, optional: %s, that leaves a number out has %s for it', (syntax, isOptional, told) => {
    const position = { type: Type.DOUBLE, ...(isOptional === undefined ? {} : { isOptional }) }
    const joints = { type: Type.MESSAGE, isList: true, of: '.made.Joint' }
    const schema = madeSchema({ Joint: { name: { type: Type.STRING }, position }, Joints: { joints } }, { syntax })
    const message = schema.message('made.Joints', { joints: [{ name: 'a' }] })
    expect(decoded(schema, 'made.Joints', message)).toMatchObject({ names: ['a'], position: [told] })
  })

  it('has what its parts say together where one comes twice', () => {
    const time = { type: Type.MESSAGE, of: '.made.Time' }
    const schema = madeSchema({
      Time: { sec: { type: Type.INT32, isOptional: true }, nanosec: { type: Type.INT32, isOptional: true } },
      Header: { stamp: time },
      Joints: rosFields,
    })
    const part = (stamp: Record<string, number>) => schema.message('made.Joints', { header: { stamp } })
    const parts = [part({ sec: 5 }), part({ nanosec: 500_000_000 })]
    expect(decoded(schema, 'made.Joints', Buffer.concat(parts))?.stamp).toBe(5.5)
  })
})

describe('bytes made to do harm', () => {
  const outcomeOf = (make: () => unknown) => {
    try {
      make()
      return 'read'
    } catch (error) {
      return error instanceof Error ? error.message : `no Error: ${error}`
    }
  }
  const inWords = /^(read|it is not a made\.\w+: [a-z][^\n]*)$/

  it.each([
    ['made.JointStates', jointStates, foxglove(1)],
    ['made.ArmReading', rosLike, ros(1)],
  ] as const)(
    'any byte of a message of %s changed, or the message cut, is read or refused in words',
    (name, schema, whole) => {
      const { decode } = readingOf(schema, name)
      const changed = Array.from(whole, (byte, at) =>
        [0x01, 0x80, 0xff].map((bits) => outcomeOf(() => decode(whole.with(at, byte ^ bits)))),
      ).flat()
      const cut = Array.from(whole, (_, at) => outcomeOf(() => decode(whole.subarray(0, at))))
      expect([...changed, ...cut].filter((one) => !inWords.test(one))).toEqual([])
      expect(new Set(changed).size).toBeGreaterThan(2)
      expect(cut).toContain(`it is not a ${name}: it was cut`)
    },
  )

  it('any byte of a schema changed, or the schema cut, is read or refused in words', () => {
    const { set } = jointStates
    const reading = (bytes: Uint8Array) => {
      const made = protobufReading('made.JointStates', bytes)
      return typeof made === 'string' ? made : outcomeOf(() => made.decode(foxglove(1)))
    }
    const told = [
      'it is not a made.JointStates',
      'its schema does not describe it',
      'its schema is not a FileDescriptorSet',
    ]
    const isTold = (one: string) => [...told, 'read', 'neither joints'].some((words) => one.startsWith(words))
    const all = Array.from(set, (byte, at) => [
      ...[0x01, 0x80, 0xff].map((bits) => reading(set.with(at, byte ^ bits))),
      reading(set.subarray(0, at)),
    ]).flat()
    expect(new Set(all).size).toBeGreaterThan(5)
    expect(all.filter((one) => !isTold(one))).toEqual([])
  })

  const joints = readingOf(rosLike, 'made.ArmReading')
  const length = (bytes: number) =>
    [bytes, bytes >> 7, bytes >> 14, bytes >> 21].map((one, at) => (one & 127) | (at < 3 ? 128 : 0))
  it.each([
    ['a name that is a number', [0x10, 1], 'its name has another type than its schema says'],
    ['a position that is a text of odd length', [0x1a, 3, 1, 2, 3], 'it was cut'],
    ['a position that is a varint', [0x18, 1], 'its position has another type than its schema says'],
    ['a header that is a number', [0x08, 1], 'its header is not a message'],
    ['a name longer than the message', [0x12, ...length(1 << 26), 65], 'it was cut'],
    ['an unknown field longer than the message', [0x7a, ...length(1 << 26)], 'it was cut'],
    ['a group without an end', [0x7b], 'it was cut'],
    ['an end without a group', [0x7c], 'cant skip wire type 4'],
    ['groups in groups', Array(2_000).fill(0x7b), 'maximum recursion depth reached'],
    ['a varint without an end', Array(20).fill(0xff), 'invalid varint'],
    ['the field 0', [0x02, 0], 'illegal tag: field no 0 wire type 2'],
  ])('%s is refused', (_, bytes, why) => {
    expect(outcomeOf(() => joints.decode(Uint8Array.from(bytes)))).toBe(`it is not a made.ArmReading: ${why}`)
  })

  it('a message and a schema over a mebibyte are refused before they are read', () => {
    const bytes = new Uint8Array(1024 * 1024 + 1)
    expect(outcomeOf(() => joints.decode(bytes))).toBe('it has 1048577 bytes, over 1048576')
    expect(protobufReading('made.ArmReading', bytes)).toBe('its schema has 1048577 bytes, over 1048576')
  })

  it('no more values are read than a message needs', () => {
    const empty = Uint8Array.from({ length: 1024 * 1024 }, (_, at) => (at % 2 === 0 ? 0x0a : 0))
    expect(protobufReading('made.JointStates', empty)).toBe(
      'its schema is not a FileDescriptorSet: it has more than 200000 values',
    )
    const names = Uint8Array.from(empty, (byte) => (byte === 0 ? 0 : 0x12))
    expect(outcomeOf(() => joints.decode(names))).toBe('it is not a made.ArmReading: it has more than 200000 values')
  })

  it('types that hold themselves are read no deeper than joints are', () => {
    const self = { type: Type.MESSAGE, of: '.made.Joints' }
    const schema = madeSchema({
      Joints: { header: self, stamp: self, name: { type: Type.STRING, isList: true }, position: rosFields.position },
    })
    let message = schema.message('made.Joints', { name: ['a'], position: [1] })
    for (let depth = 0; depth < 200; depth += 1)
      message = Buffer.concat([Uint8Array.of(0x0a, ...length(message.length)), message])
    expect(decoded(schema, 'made.Joints', message)?.names).toEqual([])
    expect(readingOf(schema, 'made.Joints').kind).toBe('joints')
  })

  it('types that nest without end in a schema are refused', () => {
    let type: Uint8Array = Uint8Array.of(0x0a, 1, 65)
    for (let depth = 0; depth < 200; depth += 1)
      type = Buffer.concat([Uint8Array.of(0x1a, ...length(type.length)), type])
    const file = Buffer.concat([Uint8Array.of(0x22, ...length(type.length)), type])
    const set = Buffer.concat([Uint8Array.of(0x0a, ...length(file.length)), file])
    expect(protobufReading('A', set)).toBe('its schema is not a FileDescriptorSet: its parts nest more than 24 deep')
  })

  it('a name out of JavaScript is a name', () => {
    const message = rosLike.message('made.ArmReading', { name: ['__proto__', 'constructor'], position: [1, 2] })
    expect(decoded(rosLike, 'made.ArmReading', message)).toMatchObject({ names: ['__proto__', 'constructor'] })
  })
})
