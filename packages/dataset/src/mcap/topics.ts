/** What the topics of an MCAP file are, and how their messages are read. */
import { parse } from '@foxglove/rosmsg'
import { MessageReader } from '@foxglove/rosmsg2-serialization'
import type { McapTypes } from '@mcap/core'

/** A topic of a file. */
export interface McapTopic {
  readonly name: string
  /** As its schema says it: `sensor_msgs/msg/JointState`. */
  readonly schema: string
  readonly kind: 'joints' | 'picture' | null
  /** Why it is not shown, in words; null where it is. */
  readonly why: string | null
  /** As its summary counts them; null where it has none. */
  readonly messages: number | null
  /** Of one message. Throws for bytes that are not of the schema. */
  decode(bytes: Uint8Array): unknown
}

type Channel = McapTypes.TypedMcapRecords['Channel']
type Schema = McapTypes.TypedMcapRecords['Schema']

/** Without the packages that tools put around it: `sensor_msgs/msg/JointState`, `foxglove.CompressedImage`. */
const lastName = (schema: string) => schema.split(/[/.]/).at(-1) ?? schema

const kinds: Readonly<Record<string, McapTopic['kind']>> = {
  JointState: 'joints',
  JointStates: 'joints',
  CompressedImage: 'picture',
}

/** How messages are read, or in words why they are not. */
type Reading = Pick<McapTopic, 'kind' | 'decode'> | string

/** What reads messages of Protocol Buffers; given where a file has such. */
export type ProtobufReader = typeof import('./protobuf/read-protobuf.ts').protobufReading

/** Topics of a file. Of a channel without a schema nothing is known. */
export function topicReader(protobuf: ProtobufReader | null) {
  /** Of schemas, which are bytes of a file: channels share them, and one may take a while. */
  const ofSchema = new Map<Schema, Reading>()
  const protobufOf = (schema: Schema, read: ProtobufReader): Reading => {
    const reading = ofSchema.get(schema) ?? read(schema.name, schema.data)
    ofSchema.set(schema, reading)
    return reading
  }
  const readingOf = (encoding: string, schema: Schema): Reading =>
    encoding === 'protobuf' && schema.encoding === 'protobuf' && protobuf
      ? protobufOf(schema, protobuf)
      : byName(encoding, schema)
  return (channel: Channel, schema: Schema | undefined, messages: number | null): McapTopic => {
    const own = { name: channel.topic, schema: schema?.name ?? '', messages }
    const reading = schema ? readingOf(channel.messageEncoding, schema) : NEITHER
    if (typeof reading !== 'string') return { ...own, ...reading, why: null }
    const said = `${own.schema || 'no schema'}, ${channel.messageEncoding || 'no'} encoding`
    return { ...own, kind: null, why: `${said}: ${reading}`, decode: () => null }
  }
}

/** Of a message of joints; a picture is bounded by its chunk. */
const MOST_JOINT_BYTES = 1024 * 1024
/** Of a schema: 200 types of ROS take some 60 KB. */
const MOST_SCHEMA_BYTES = 1024 * 1024
/** Of all types of a schema: each is a call for each message. */
const MOST_FIELDS = 10_000

const NEITHER = 'neither joints nor compressed pictures'
const OTHER = 'joints and pictures are read in cdr with a ros2msg schema, in protobuf, and in json'

function byName(encoding: string, schema: Schema): Reading {
  const kind = kinds[lastName(schema.name)] ?? null
  if (kind === null) return NEITHER
  const text = new TextDecoder()
  const assertSize = ({ length }: Uint8Array) => {
    if (kind === 'joints' && length > MOST_JOINT_BYTES)
      throw new Error(`it has ${length} bytes, over ${MOST_JOINT_BYTES}`)
  }
  if (encoding === 'json')
    return {
      kind,
      decode(bytes) {
        assertSize(bytes)
        return JSON.parse(text.decode(bytes)) as unknown
      },
    }
  if (encoding !== 'cdr' || schema.encoding !== 'ros2msg') return OTHER
  let reader: MessageReader | null = null
  const decode = (bytes: Uint8Array) => {
    assertSize(bytes)
    reader ??= cdrReader(text.decode(schema.data))
    return reader.readMessage<unknown>(bytes)
  }
  return { kind, decode }
}

/** What the library quotes of a line may be all of the schema. */
const MOST_WORDS = 500

function typesOf(schema: string) {
  try {
    return parse(schema, { ros2: true })
  } catch (error) {
    throw new Error((error instanceof Error ? error.message : String(error)).slice(0, MOST_WORDS))
  }
}

function cdrReader(schema: string): MessageReader {
  if (schema.length > MOST_SCHEMA_BYTES)
    throw new Error(`its schema has ${schema.length} characters, over ${MOST_SCHEMA_BYTES}`)
  const types = typesOf(schema)
  const fields = types.reduce((sum, { definitions }) => sum + definitions.length, 0)
  if (fields > MOST_FIELDS) throw new Error(`its schema has ${fields} fields, over ${MOST_FIELDS}`)
  return new MessageReader(types)
}
