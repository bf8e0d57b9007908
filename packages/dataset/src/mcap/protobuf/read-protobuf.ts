/** Messages of Protocol Buffers with the fields of joints, or of a compressed picture, by the names of the fields. */
import { type FieldDescriptor, type MessageDescriptor, messageTypes } from './descriptors.ts'
import { bytes, numberTypes, readWire, type Scalar, text, type WireField, type WireShape } from './wire-message.ts'

/** How a topic's messages are read. */
export interface ProtobufReading {
  readonly kind: 'joints' | 'picture'
  /** Throws an `Error` in words for bytes that are not of the schema. */
  decode(message: Uint8Array): unknown
}

/** Fields that are read where a type has them; a list of one item says that the field is a list. */
interface Wanted {
  readonly [field: string]: 'text' | 'number' | 'bytes' | Wanted | readonly ['text' | 'number' | Wanted]
}

/** As `google.protobuf.Timestamp` and the times of ROS call them. */
const time = {
  ...{ seconds: 'number', sec: 'number', secs: 'number' },
  ...{ nanos: 'number', nanosec: 'number', nsec: 'number', nsecs: 'number' },
} as const satisfies Wanted
const stamps = { timestamp: time, header: { stamp: time } } as const satisfies Wanted
/** As `sensor_msgs/JointState` has them: a list for each kind of number. */
const rows: Wanted = { ...stamps, name: ['text'], position: ['number'], velocity: ['number'], effort: ['number'] }
/** As `foxglove.JointStates` has them: a part for each joint. */
const parts: Wanted = {
  ...stamps,
  joints: [{ name: 'text', position: 'number', velocity: 'number', effort: 'number' }],
}
const picture: Wanted = { data: 'bytes' }

/** Of a schema: 200 types of ROS take some 60 KB. */
const MOST_SCHEMA_BYTES = 1024 * 1024
/** Of a message of joints; a picture is bounded by its chunk. */
const MOST_JOINT_BYTES = 1024 * 1024

/** How messages of the type `name` are read, or in words why they are not. `set` is a `FileDescriptorSet`. */
export function protobufReading(name: string, set: Uint8Array): ProtobufReading | string {
  if (set.length > MOST_SCHEMA_BYTES) return `its schema has ${set.length} bytes, over ${MOST_SCHEMA_BYTES}`
  let types: ReadonlyMap<string, MessageDescriptor>
  try {
    types = messageTypes(set)
  } catch (error) {
    return `its schema is not a FileDescriptorSet: ${inWords(error)}`
  }
  if (!types.has(name)) return 'its schema does not describe it'
  const joints = [shapeOf(types, name, rows), shapeOf(types, name, parts)].find(hasJoints)
  if (joints) return { kind: 'joints', decode: decoderOf(name, joints, MOST_JOINT_BYTES) }
  const coded = shapeOf(types, name, picture)
  // Any message may have a field of this name.
  return coded.fields.size > 0 && name.split('.').at(-1) === 'CompressedImage'
    ? { kind: 'picture', decode: decoderOf(name, coded, Number.POSITIVE_INFINITY) }
    : 'neither joints nor compressed pictures'
}

function decoderOf(name: string, shape: WireShape, mostBytes: number): ProtobufReading['decode'] {
  return (message) => {
    if (message.length > mostBytes) throw new Error(`it has ${message.length} bytes, over ${mostBytes}`)
    try {
      return readWire(message, shape)
    } catch (error) {
      throw new Error(`it is not a ${name}: ${inWords(error)}`)
    }
  }
}

/** Names, and numbers of one kind at least, of joints or of each joint. */
function hasJoints({ fields }: WireShape): boolean {
  const known = [...fields.values()]
  const joints = known.find(({ name }) => name === 'joints')
  if (joints) return 'fields' in joints.of && hasJoints(joints.of)
  const has = (one: string) => known.some(({ name }) => name === one)
  return has('name') && (has('position') || has('velocity') || has('effort'))
}

/** Fields of other types than wanted are none. `wanted` is not recursive, however the types are. */
function shapeOf(types: ReadonlyMap<string, MessageDescriptor>, name: string, wanted: Wanted): WireShape {
  const fields = new Map<number, WireField>()
  for (const [field, want] of Object.entries(wanted)) {
    const told = types.get(name)?.get(field)
    const isList = Array.isArray(want)
    if (!told || told.isList !== isList) continue
    const of = partOf(types, told, isList ? want[0] : want)
    if (of) fields.set(told.number, { name: field, isList, of, ...(told.hasPresence ? {} : absentOf(of)) })
  }
  return { fields }
}

/** Of types without presence: a writer leaves out zero and the empty text. */
const absentOf = (of: Scalar | WireShape) => ('fields' in of || of === bytes ? {} : { absent: of === text ? '' : 0 })

const TYPE_STRING = 9
const TYPE_MESSAGE = 11
const TYPE_BYTES = 12

/** Null where the field has another type. */
function partOf(
  types: ReadonlyMap<string, MessageDescriptor>,
  { type, typeName }: FieldDescriptor,
  want: 'text' | 'number' | 'bytes' | Wanted,
): Scalar | WireShape | null {
  if (want === 'number') return numberTypes.get(type) ?? null
  if (want === 'text') return type === TYPE_STRING ? text : null
  if (want === 'bytes') return type === TYPE_BYTES ? bytes : null
  return type === TYPE_MESSAGE ? shapeOf(types, typeName, want) : null
}

/** The library's words are for its callers: reading beyond the last byte is either of two of its errors. */
function inWords(error: unknown): string {
  if (error instanceof RangeError) return 'it was cut'
  return error instanceof Error ? error.message : String(error)
}
