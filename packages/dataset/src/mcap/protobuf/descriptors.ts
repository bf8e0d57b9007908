/** The message types of a `FileDescriptorSet`, as a recorder puts it beside its messages. Pure. */
import {
  numberTypes,
  readWire,
  type Scalar,
  text,
  type WireField,
  type WireMessage,
  type WireShape,
} from './wire-message.ts'

/** One field as its `.proto` file has it. */
export interface FieldDescriptor {
  readonly name: string
  readonly number: number
  readonly isList: boolean
  /** A number of `FieldDescriptorProto.Type`. */
  readonly type: number
  /** Of a message: its full name, without the dot before it. */
  readonly typeName: string
  /** Whether a message that leaves it out says nothing of it; else it says the type's zero. */
  readonly hasPresence: boolean
}

/** Fields of a message type by their names. */
export type MessageDescriptor = ReadonlyMap<string, FieldDescriptor>

const int = numberTypes.get(5) as Scalar
const one = (name: string, of: WireField['of']): WireField => ({ name, isList: false, of })
const many = (name: string, of: WireField['of']): WireField => ({ name, isList: true, of })
const shape = (fields: Readonly<Record<number, WireField>>): WireShape => ({
  fields: new Map(Object.entries(fields).map(([number, field]) => [Number(number), field])),
})

// What is needed of google/protobuf/descriptor.proto.
const features = shape({ 1: one('field_presence', int) })
const fieldShape = shape({
  ...{ 1: one('name', text), 3: one('number', int), 4: one('label', int), 5: one('type', int) },
  ...{ 6: one('type_name', text), 8: one('options', shape({ 21: one('features', features) })) },
  9: one('oneof_index', int),
})
const messageFields = new Map([
  [1, one('name', text)],
  [2, many('field', fieldShape)],
])
const messageShape: WireShape = { fields: messageFields }
messageFields.set(3, many('nested_type', messageShape))
const setShape = shape({
  1: many(
    'file',
    shape({
      ...{ 2: one('package', text), 4: many('message_type', messageShape), 12: one('syntax', text) },
      8: one('options', shape({ 50: one('features', features) })),
    }),
  ),
})

const REPEATED = 3
/** Of `FeatureSet.FieldPresence`. */
const IMPLICIT = 2

/** By full name: `foxglove.JointStates`. Throws an `Error` in words for what is no such set. */
export function messageTypes(set: Uint8Array): ReadonlyMap<string, MessageDescriptor> {
  const types = new Map<string, MessageDescriptor>()
  const add = (within: string, message: WireMessage, hasPresence: (field: WireMessage) => boolean) => {
    const name = within === '' ? textOf(message.name) : `${within}.${textOf(message.name)}`
    types.set(name, new Map(partsOf(message.field).map((field) => [textOf(field.name), fieldOf(field, hasPresence)])))
    for (const nested of partsOf(message.nested_type)) add(name, nested, hasPresence)
  }
  for (const file of partsOf(readWire(set, setShape).file)) {
    const syntax = textOf(file.syntax)
    const ofFile = presenceOf(file)
    const hasPresence = (field: WireMessage) =>
      syntax === 'proto3'
        ? field.oneof_index !== undefined
        : syntax !== 'editions' || (presenceOf(field) ?? ofFile) !== IMPLICIT
    for (const message of partsOf(file.message_type)) add(textOf(file.package), message, hasPresence)
  }
  return types
}

const fieldOf = (field: WireMessage, hasPresence: (field: WireMessage) => boolean): FieldDescriptor => ({
  ...{ name: textOf(field.name), number: Number(field.number), type: Number(field.type) },
  ...{ isList: field.label === REPEATED, typeName: textOf(field.type_name).replace(/^\./, '') },
  hasPresence: hasPresence(field),
})

const partsOf = (value: unknown) => (value ?? []) as readonly WireMessage[]
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function presenceOf({ options }: WireMessage): number | undefined {
  const of = (options as { features?: { field_presence?: number } } | undefined)?.features
  return of?.field_presence
}
