/** An MCAP file by ranges of its bytes: its topics, the motion of its joints, and its pictures. */
import { McapIndexedReader } from '@mcap/core'
import type { ByteFile } from '../parquet.ts'
import { type JointSeries, jointSeries } from './joint-series.ts'
import { mcapBytes } from './mcap-bytes.ts'
import { jointMessage, type PictureMessage, pictureMessage } from './message-shapes.ts'
import { type McapTopic, topicReader } from './topics.ts'

export type { PictureMessage } from './message-shapes.ts'

/** A file whose summary has been read. */
export interface McapFile {
  /** By name. */
  readonly topics: readonly McapTopic[]
  /**
   * The motion on a topic of joints, from the start of the file until chunks of so many bytes are read, or of so many
   * once they are unpacked; `isWhole` of the series says whether that was its end.
   */
  joints(topic: McapTopic, mostBytes?: number, mostPlainBytes?: number): Promise<JointSeries>
  /** The last picture of a topic that is not after a time, in ns; null where there is none. */
  picture(topic: McapTopic, time: bigint): Promise<PictureMessage | null>
}

/** Of the chunks of one topic: joints alone need little, but a recorder puts pictures into the same chunks. */
const MOST_BYTES = 64 * 1024 * 1024

/** Of the same chunks once they are unpacked: text of JSON becomes a tenth, and a broken file may claim anything. */
const MOST_PLAIN_BYTES = 1024 * 1024 * 1024

/** Messages are decoded for so long at once: a worker says meanwhile that it lives, a page draws. */
const MOST_MS = 50
const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve))

/** The CRC of a chunk is compared once, where it is made plain, and not for each of its pictures. */
const CHECKED = { validateCrcs: false } as const

/** Rejects with an `Error` in words where the file cannot be read. */
export async function openMcap(file: ByteFile): Promise<McapFile> {
  const readable = mcapBytes(file)
  const told = (error: unknown) =>
    new Error(`${file.path} is not read: ${error instanceof Error ? inWords(error.message) : String(error)}`)
  const reader = await McapIndexedReader.Initialize({ readable }).catch((error: unknown) => {
    throw told(error)
  })
  readable.knows(reader.chunkIndexes)
  const counts = reader.statistics?.channelMessageCounts
  const channels = [...reader.channelsById.values()]
  // Files and pages without it do not load it.
  const isProtobuf = channels.some(({ messageEncoding }) => messageEncoding === 'protobuf')
  const protobuf = isProtobuf ? (await import('./protobuf/read-protobuf.ts')).protobufReading : null
  const topicOf = topicReader(protobuf)
  const countOf = (id: number) => (counts ? Number(counts.get(id) ?? 0n) : null)
  const topics = channels
    .map((channel) => topicOf(channel, reader.schemasById.get(channel.schemaId), countOf(channel.id)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const idsOf = (topic: McapTopic) =>
    new Set(channels.filter(({ topic: name }) => name === topic.name).map(({ id }) => id))
  return {
    topics,
    async joints(topic, mostBytes = MOST_BYTES, mostPlainBytes = MOST_PLAIN_BYTES) {
      const ids = idsOf(topic)
      const chunks = reader.chunkIndexes
        .filter(({ messageIndexOffsets }) => Array.from(messageIndexOffsets.keys()).some((id) => ids.has(id)))
        .toSorted((a, b) => Number(a.messageStartTime - b.messageStartTime))
      let [bytes, plainBytes] = [0, 0]
      const over = chunks.find(({ chunkLength, uncompressedSize }, at) => {
        bytes += Number(chunkLength)
        plainBytes += Number(uncompressedSize)
        return at > 0 && (bytes > mostBytes || plainBytes > mostPlainBytes)
      })
      const endTime = over && over.messageStartTime - 1n
      const series = jointSeries(topic.name)
      let since = performance.now()
      try {
        for await (const { logTime, data } of reader.readMessages({ topics: [topic.name], endTime, ...CHECKED })) {
          const message = jointMessage(decoded(topic, data))
          if (message === null) throw new Error(`a message of ${topic.name} has no names of joints.`)
          if (!series.add(logTime, message)) break
          if (performance.now() - since < MOST_MS) continue
          await nextTurn()
          since = performance.now()
        }
      } catch (error) {
        throw told(error)
      }
      return series.done(endTime === undefined)
    },
    async picture(topic, endTime) {
      const asked = { topics: [topic.name], endTime, reverse: true, ...CHECKED }
      try {
        for await (const { data } of reader.readMessages(asked)) return pictureMessage(decoded(topic, data))
        return null
      } catch (error) {
        throw told(error)
      }
    },
  }
}

function decoded({ name, decode }: McapTopic, message: Uint8Array): unknown {
  try {
    return decode(message)
  } catch (error) {
    throw new Error(`a message of ${name} is not read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What the library says for its developers, for a person. */
function inWords(message: string): string {
  const text = message.replace(/ ?\[library=.*\]$/, '')
  if (text === 'File is not indexed')
    return 'it has no index, as a recording that was cut off: "mcap recover" makes one.'
  return text.endsWith('.') ? text : `${text}.`
}
