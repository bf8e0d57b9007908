/** Reads the wanted fields of a message of Protocol Buffers by their numbers; all others are skipped. Pure. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** A single value that a field holds. */
export interface Scalar {
  readonly wire: WireType
  read(reader: BinaryReader): unknown
}

/** One wanted field. */
export interface WireField {
  readonly name: string
  readonly isList: boolean
  readonly of: Scalar | WireShape
  /** What it is where a message leaves it out; absent where that means that nothing was said. */
  readonly absent?: unknown
}

/** The wanted fields of a message by their numbers. It may hold itself: how deep messages nest is bounded. */
export interface WireShape {
  readonly fields: ReadonlyMap<number, WireField>
}

/** A field by name: a value, an object, or a list of them. */
export type WireMessage = Record<string, unknown>

/** Types of `.proto` files that are numbers, by the number that a descriptor has for them. */
export const numberTypes: ReadonlyMap<number, Scalar> = new Map([
  [1, { wire: WireType.Bit64, read: (reader) => reader.double() }],
  [2, { wire: WireType.Bit32, read: (reader) => reader.float() }],
  [3, { wire: WireType.Varint, read: (reader) => Number(reader.int64()) }],
  [4, { wire: WireType.Varint, read: (reader) => Number(reader.uint64()) }],
  [5, { wire: WireType.Varint, read: (reader) => reader.int32() }],
  [6, { wire: WireType.Bit64, read: (reader) => Number(reader.fixed64()) }],
  [7, { wire: WireType.Bit32, read: (reader) => reader.fixed32() }],
  [13, { wire: WireType.Varint, read: (reader) => reader.uint32() }],
  [15, { wire: WireType.Bit32, read: (reader) => reader.sfixed32() }],
  [16, { wire: WireType.Bit64, read: (reader) => Number(reader.sfixed64()) }],
  [17, { wire: WireType.Varint, read: (reader) => reader.sint32() }],
  [18, { wire: WireType.Varint, read: (reader) => Number(reader.sint64()) }],
] satisfies [number, Scalar][])

export const text: Scalar = { wire: WireType.LengthDelimited, read: (reader) => reader.string() }
export const bytes: Scalar = { wire: WireType.LengthDelimited, read: (reader) => reader.bytes() }

/** Descriptors nest types in types, and joints are three deep. */
const MOST_NESTED = 24

/** Fields and items of lists of one message, those of its parts too: an empty part takes two bytes of it, and a list of
 * numbers of 1 MiB has 131,072 of eight bytes. */
const MOST_VALUES = 200_000

/** Throws an `Error` in words for bytes that are not of the shape, or of too many parts. */
export function readWire(data: Uint8Array, shape: WireShape): WireMessage {
  let values = 0
  const count = () => {
    values += 1
    if (values > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values`)
  }
  const into = (target: WireMessage, reader: BinaryReader, { fields }: WireShape, nested: number) => {
    if (nested > MOST_NESTED) throw new Error(`its parts nest more than ${MOST_NESTED} deep`)
    while (reader.pos < reader.len) {
      count()
      const [number, wire] = reader.tag()
      const field = fields.get(number)
      if (field === undefined) reader.skip(wire, number, MOST_NESTED)
      else readField(target, field, { reader, wire, nested })
    }
  }
  const readField = (target: WireMessage, { name, isList, of }: WireField, at: At) => {
    const { reader, wire, nested } = at
    const list = isList ? (target[name] as unknown[]) : null
    if ('fields' in of) {
      if (wire !== WireType.LengthDelimited) throw new Error(`its ${name} is not a message`)
      const part = new BinaryReader(reader.bytes())
      // A part that comes twice is one: what the second says is added to the first.
      const known = list ? undefined : (target[name] as WireMessage | undefined)
      const made = known ?? startOf(of)
      into(made, part, of, nested + 1)
      if (list) list.push(made)
      else target[name] = made
    } else if (list && wire === WireType.LengthDelimited && of.wire !== wire) {
      const packed = new BinaryReader(reader.bytes())
      while (packed.pos < packed.len) {
        count()
        list.push(of.read(packed))
      }
    } else if (wire !== of.wire) throw new Error(`its ${name} has another type than its schema says`)
    else if (list) list.push(of.read(reader))
    else target[name] = of.read(reader)
  }
  const made = startOf(shape)
  into(made, new BinaryReader(data), shape, 0)
  return made
}

interface At {
  readonly reader: BinaryReader
  readonly wire: WireType
  readonly nested: number
}

/** Lists and what has a value of its own are there before anything is read. */
function startOf({ fields }: WireShape): WireMessage {
  const made: WireMessage = {}
  for (const { name, isList, absent } of fields.values())
    if (isList) made[name] = []
    else if (absent !== undefined) made[name] = absent
  return made
}
