/**
 * Tensors of an ONNX graph: what an input or output looks like, and how large a weight is. Field numbers are those of
 * onnx.proto3.
 */
import { FormatFault } from './format-fault.ts'
import type { Field, WireReader } from './protobuf-wire.ts'

export interface GraphValue {
  readonly name: string
  /** `float32`, `int64`, …; null if it is not a tensor. */
  readonly type: string | null
  /**
   * A size, the name of a symbolic size, or null for an unspecified one. The list is null if even the rank is unknown.
   */
  readonly shape: readonly (number | string | null)[] | null
}

/** TensorProto.DataType: its name and its bits. */
const elementTypes: Readonly<Record<number, readonly [name: string, bits: number]>> = {
  1: ['float32', 32],
  2: ['uint8', 8],
  3: ['int8', 8],
  4: ['uint16', 16],
  5: ['int16', 16],
  6: ['int32', 32],
  7: ['int64', 64],
  8: ['string', 0],
  9: ['bool', 8],
  10: ['float16', 16],
  11: ['float64', 64],
  12: ['uint32', 32],
  13: ['uint64', 64],
  14: ['complex64', 64],
  15: ['complex128', 128],
  16: ['bfloat16', 16],
  17: ['float8e4m3fn', 8],
  18: ['float8e4m3fnuz', 8],
  19: ['float8e5m2', 8],
  20: ['float8e5m2fnuz', 8],
  21: ['uint4', 4],
  22: ['int4', 4],
  23: ['float4e2m1', 4],
}

const typeName = (code: number) => elementTypes[code]?.[0] ?? `type ${code}`

/** A ValueInfoProto. */
export async function readValue(wire: WireReader, value: Field): Promise<GraphValue> {
  let name = ''
  let tensor: Pick<GraphValue, 'type' | 'shape'> = { type: null, shape: null }
  for await (const field of wire.fields(value)) {
    if (field.number === 1) name = await wire.text(field)
    if (field.number === 2)
      for await (const kind of wire.fields(field)) if (kind.number === 1) tensor = await readType(wire, kind)
  }
  return { name, ...tensor }
}

const MAX_RANK = 64

/** A TypeProto.Tensor. */
async function readType(wire: WireReader, tensor: Field): Promise<Pick<GraphValue, 'type' | 'shape'>> {
  let type: string | null = null
  let shape: (number | string | null)[] | null = null
  for await (const field of wire.fields(tensor)) {
    if (field.number === 1) type = typeName(Number(field.value))
    if (field.number === 2) {
      shape = []
      for await (const size of wire.fields(field)) {
        if (size.number === 1) shape.push(await readSize(wire, size))
        if (shape.length > MAX_RANK) throw new FormatFault(`A tensor has more than ${MAX_RANK} sizes.`)
      }
    }
  }
  return { type, shape }
}

/** Exporters write -1 or 0 for a size that is open. */
async function readSize(wire: WireReader, dimension: Field): Promise<number | string | null> {
  for await (const field of wire.fields(dimension)) {
    if (field.number === 1 && field.value !== null) {
      const size = Number(BigInt.asIntN(64, field.value))
      return size > 0 && Number.isSafeInteger(size) ? size : null
    }
    if (field.number === 2) return (await wire.text(field)) || null
  }
  return null
}

export interface Initializer {
  readonly name: string
  readonly elements: number
  /** The file next to the model that holds the weights; null where they are in the model. */
  readonly external: string | null
}

/**
 * A TensorProto; its weights are not read. Throws a `FormatFault` if its sizes and its bytes contradict each other:
 * they determine how large a policy is.
 */
export async function readInitializer(wire: WireReader, tensor: Field): Promise<Initializer> {
  let [name, type, rawBytes, hasTypedData, isExternal] = ['', 0, null as number | null, false, false]
  let external: string | null = null
  const sizes: bigint[] = []
  for await (const field of wire.fields(tensor)) {
    if (field.number === 1) for (const size of await wire.numbers(field, MAX_RANK)) sizes.push(size)
    else if (field.number === 2) type = Number(field.value)
    else if (field.number === 8) name = await wire.text(field)
    else if (field.number === 9) rawBytes = field.end - field.start
    else if ([4, 5, 6, 7, 10, 11].includes(field.number)) hasTypedData = true
    else if (field.number === 13) {
      const [key, value] = await readPair(wire, field)
      if (key === 'location') external = value
    } else if (field.number === 14) isExternal = field.value === 1n
    // The product of a million sizes has megabytes of digits, and takes hours.
    if (sizes.length > MAX_RANK) throw new FormatFault(`A tensor has more than ${MAX_RANK} sizes.`)
  }
  const elements = sizes.reduce((product, size) => product * BigInt.asIntN(64, size), 1n)
  if (sizes.some((size) => BigInt.asIntN(64, size) < 0n) || elements > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FormatFault(`The weights ${JSON.stringify(name)} have an impossible shape.`)
  const bits = BigInt(elementTypes[type]?.[1] ?? 0)
  const misses =
    rawBytes === null ? elements > 0n && !hasTypedData : bits > 0n && BigInt(rawBytes) !== (elements * bits + 7n) / 8n
  if (!isExternal && misses)
    throw new FormatFault(`The weights ${JSON.stringify(name)} are not as large as their shape.`)
  return { name, elements: Number(elements), external: isExternal ? (external ?? '') : null }
}

/** A StringStringEntryProto. */
export async function readPair(wire: WireReader, pair: Field): Promise<[key: string, value: string]> {
  let [key, value] = ['', '']
  for await (const field of wire.fields(pair)) {
    if (field.number === 1) key = await wire.text(field)
    if (field.number === 2) value = await wire.text(field)
  }
  return [key, value]
}
