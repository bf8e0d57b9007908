/** Schemas and messages of Protocol Buffers as recorders write them, by the library's own writer. */
import { create, createFileRegistry, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf'
import {
  Edition,
  FeatureSet_FieldPresence,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  type FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'

/** A number of `FieldDescriptorProto.Type`. */
export const Type = {
  ...{ DOUBLE: 1, FLOAT: 2, INT64: 3, UINT64: 4, INT32: 5, FIXED64: 6, FIXED32: 7, BOOL: 8, STRING: 9 },
  ...{ MESSAGE: 11, BYTES: 12, UINT32: 13, SFIXED32: 15, SFIXED64: 16, SINT32: 17, SINT64: 18 },
} as const satisfies Record<string, FieldDescriptorProto_Type>

interface MadeField {
  readonly type: FieldDescriptorProto_Type
  readonly isList?: boolean
  readonly isPacked?: boolean
  /** False: a field of an edition without presence. */
  readonly isOptional?: boolean
  /** Of a message, from the root: `.google.protobuf.Timestamp`. */
  readonly of?: string
}
type MadeMessage = Readonly<Record<string, MadeField>>

/** A schema and what writes its messages. */
export interface MadeSchema {
  readonly set: Uint8Array
  /** Of a message type by its full name, out of the JSON form of Protocol Buffers. */
  message(name: string, json: JsonValue): Uint8Array
}

/** Messages by name in one file; fields are numbered from 1 in their order. */
export function madeSchema(
  messages: Readonly<Record<string, MadeMessage>>,
  { syntax = 'proto3' }: { readonly syntax?: 'proto2' | 'proto3' | 'editions' } = {},
): MadeSchema {
  const time = { seconds: { type: Type.INT64 }, nanos: { type: Type.INT32 } }
  const set = create(FileDescriptorSetSchema, {
    file: [
      {
        ...{ name: 'google/protobuf/timestamp.proto', package: 'google.protobuf', syntax: 'proto3' },
        messageType: [{ name: 'Timestamp', ...fieldsOf(time) }],
      },
      {
        ...{ name: 'made.proto', package: 'made', dependency: ['google/protobuf/timestamp.proto'] },
        ...(syntax === 'editions' ? { syntax, edition: Edition.EDITION_2023 } : { syntax }),
        messageType: Object.entries(messages).map(([name, fields]) => ({ name, ...fieldsOf(fields) })),
      },
    ],
  })
  const registry = createFileRegistry(set)
  return {
    set: toBinary(FileDescriptorSetSchema, set),
    message(name, json) {
      const type = registry.getMessage(name)
      if (!type) throw new Error(`${name} is of the schema.`)
      return toBinary(type, fromJson(type, json))
    },
  }
}

function fieldsOf(fields: MadeMessage) {
  const made = Object.entries(fields).map(([name, { type, isList, isPacked, isOptional, of }], at) => ({
    ...{ name, number: at + 1, type, typeName: of ?? '', jsonName: name },
    label: isList ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...(isPacked === undefined ? {} : { options: { packed: isPacked } }),
    ...(isOptional === false ? { options: { features: { fieldPresence: FeatureSet_FieldPresence.IMPLICIT } } } : {}),
    ...(isOptional ? { proto3Optional: true, oneofIndex: 0 } : {}),
  }))
  const optional = made.filter((field) => 'proto3Optional' in field)
  // `optional` of proto3 is a oneof of its own.
  for (const [index, field] of optional.entries()) field.oneofIndex = index
  return {
    field: made.map((field) => create(FieldDescriptorProtoSchema, field as FieldDescriptorProto)),
    oneofDecl: optional.map(({ name }) => ({ name: `_${name}` })),
  }
}

const stamp = { type: Type.MESSAGE, of: '.google.protobuf.Timestamp' }
const one = { type: Type.DOUBLE, isOptional: true }
/** As `foxglove.JointStates`: a part for each joint, whose numbers may be left out. */
export const jointStates = madeSchema({
  JointState: { name: { type: Type.STRING }, position: one, velocity: one, effort: one },
  JointStates: { timestamp: stamp, joints: { type: Type.MESSAGE, isList: true, of: '.made.JointState' } },
})
const many = { type: Type.DOUBLE, isList: true }
export const rosFields = {
  header: { type: Type.MESSAGE, of: '.made.Header' },
  name: { type: Type.STRING, isList: true },
  ...{ position: many, velocity: many, effort: many },
} satisfies MadeMessage
export const header = { frame_id: { type: Type.STRING }, stamp } satisfies MadeMessage
/** With the fields of `sensor_msgs/JointState`, under a name that says nothing of it. */
export const rosLike = madeSchema({ Header: header, ArmReading: rosFields })
