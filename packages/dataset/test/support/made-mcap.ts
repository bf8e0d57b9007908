/** Small MCAP files, as recorders of ROS 2 and of JSON write them. */
import { zstdCompressSync } from 'node:zlib'
import { parse } from '@foxglove/rosmsg'
import { MessageWriter } from '@foxglove/rosmsg2-serialization'
import { type IWritable, McapWriter } from '@mcap/core'

const header = `std_msgs/Header header
`
const headerParts = `
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`
const numbers = 'float64[] position\nfloat64[] velocity\nfloat64[] effort'
export const jointState = `${header}string[] name\n${numbers}${headerParts}`
export const compressedImage = `${header}string format\nuint8[] data${headerParts}`

export interface MadeTopic {
  readonly name: string
  readonly schema: string
  readonly encoding: 'cdr' | 'json' | 'protobuf' | 'flatbuffer'
  /** Of the schema. */
  readonly text?: string | Uint8Array
  /** By seconds of the file's clock; of protobuf their bytes. */
  readonly messages: readonly (readonly [seconds: number, message: unknown])[]
}

const START = 1_700_000_000
/** A time of a made file, in ns. */
export const atSecond = (seconds: number): bigint => BigInt(START) * 1_000_000_000n + BigInt(Math.round(seconds * 1e9))
/** As a message of ROS has it. */
export const stampOf = (seconds: number) => ({
  stamp: { sec: START + Math.floor(seconds), nanosec: Math.round((seconds % 1) * 1e9) },
  frame_id: '',
})

/** A message of joints, all of one time. */
export const jointsAt = (seconds: number, name: readonly string[], position: readonly number[]) =>
  [seconds, { header: stampOf(seconds), name, position, velocity: position.map((one) => one / 2), effort: [] }] as const

interface Making {
  readonly chunkSize?: number
  readonly compression?: '' | 'zstd' | 'lz4' | 'snappy'
  readonly isIndexed?: boolean
}

/** As LZ4 in one block whose bytes are as they were. */
function framedLz4(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32LE((bytes.length | 0x8000_0000) >>> 0)
  return Buffer.concat([Buffer.from('04224d18604073', 'hex'), length, bytes, Buffer.alloc(4)])
}

const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? new TextEncoder().encode(text) : text)

/** The bytes of a file; messages of all topics in the order of their times. */
export async function madeMcap(topics: readonly MadeTopic[], making: Making = {}): Promise<Uint8Array> {
  const { chunkSize = 4096, compression = 'zstd', isIndexed = true } = making
  const parts: Uint8Array[] = []
  let length = 0n
  const writable: IWritable = {
    position: () => length,
    write(bytes) {
      parts.push(bytes.slice())
      length += BigInt(bytes.length)
      return Promise.resolve()
    },
  }
  const compressChunk = (bytes: Uint8Array) => ({
    compression,
    compressedData: compression === 'lz4' ? framedLz4(bytes) : zstdCompressSync(bytes),
  })
  const writer = new McapWriter({
    ...{ writable, chunkSize, useChunkIndex: isIndexed, useMessageIndex: isIndexed },
    ...(isIndexed
      ? {}
      : { repeatSchemas: false, repeatChannels: false, useStatistics: false, useSummaryOffsets: false }),
    ...(compression === '' ? {} : { compressChunk }),
  })
  await writer.start({ profile: '', library: 'made' })
  const all: { channelId: number; seconds: number; data: Uint8Array }[] = []
  for (const { name, schema, encoding, text = '', messages } of topics) {
    const schemaEncoding = encoding === 'cdr' ? 'ros2msg' : encoding === 'json' ? 'jsonschema' : encoding
    const schemaId = await writer.registerSchema({
      ...{ name: schema, encoding: schemaEncoding, data: bytesOf(text) },
    })
    const channelId = await writer.registerChannel({
      ...{ topic: name, schemaId, messageEncoding: encoding, metadata: new Map() },
    })
    const ros = encoding === 'cdr' && typeof text === 'string' ? new MessageWriter(parse(text, { ros2: true })) : null
    for (const [seconds, message] of messages)
      all.push({
        ...{ channelId, seconds },
        data: ros
          ? ros.writeMessage(message)
          : message instanceof Uint8Array
            ? message
            : bytesOf(JSON.stringify(message)),
      })
  }
  for (const [sequence, { channelId, seconds, data }] of all.toSorted((a, b) => a.seconds - b.seconds).entries())
    await writer.addMessage({ channelId, sequence, logTime: atSecond(seconds), publishTime: atSecond(seconds), data })
  await writer.end()
  return new Uint8Array(Buffer.concat(parts))
}
