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
  CompressedImage: 'picture',
}

/** Null for a channel without a schema, of which nothing is known. */
export function topicOf(channel: Channel, schema: Schema | undefined, messages: number | null): McapTopic {
  const name = schema?.name ?? ''
  const kind = kinds[lastName(name)] ?? null
  const said = `${name || 'no schema'}, ${channel.messageEncoding || 'no'} encoding`
  const decode = schema && kind ? decoderOf(channel.messageEncoding, schema) : null
  const why =
    kind === null
      ? `${said}: neither joints nor compressed pictures`
      : decode === null
        ? `${said}: joints and pictures are read in cdr with a ros2msg schema, and in json`
        : null
  const none = () => null
  return { name: channel.topic, schema: name, kind: why === null ? kind : null, why, messages, decode: decode ?? none }
}

function decoderOf(encoding: string, schema: Schema): McapTopic['decode'] | null {
  const text = new TextDecoder()
  if (encoding === 'json') return (bytes) => JSON.parse(text.decode(bytes)) as unknown
  if (encoding !== 'cdr' || schema.encoding !== 'ros2msg') return null
  let reader: MessageReader | null = null
  return (bytes) => {
    reader ??= new MessageReader(parse(text.decode(schema.data), { ros2: true }))
    return reader.readMessage(bytes)
  }
}
