/** Tensors between frames and the model: element types, shapes, and values as clients write them. Pure. */
import { FrameFault } from './frame-fault.ts'

type Data =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array

/** An element type: its array, its name in NumPy, and whether a value belongs to it. */
interface Kind {
  readonly of: { new (length: number): Data; readonly BYTES_PER_ELEMENT: number }
  readonly dtype: string
  readonly range: readonly [bigint, bigint] | null
}

const whole = (bits: bigint, isSigned: boolean) =>
  isSigned ? ([-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] as const) : ([0n, 2n ** bits - 1n] as const)

/** What a model may take and give. Half floats and texts are none of them. */
export const kinds = {
  float32: { of: Float32Array, dtype: '<f4', range: null },
  float64: { of: Float64Array, dtype: '<f8', range: null },
  int8: { of: Int8Array, dtype: '|i1', range: whole(8n, true) },
  int16: { of: Int16Array, dtype: '<i2', range: whole(16n, true) },
  int32: { of: Int32Array, dtype: '<i4', range: whole(32n, true) },
  int64: { of: BigInt64Array, dtype: '<i8', range: whole(64n, true) },
  uint8: { of: Uint8Array, dtype: '|u1', range: whole(8n, false) },
  uint16: { of: Uint16Array, dtype: '<u2', range: whole(16n, false) },
  uint32: { of: Uint32Array, dtype: '<u4', range: whole(32n, false) },
  uint64: { of: BigUint64Array, dtype: '<u8', range: whole(64n, false) },
  bool: { of: Uint8Array, dtype: '|b1', range: [0n, 1n] },
} as const satisfies Readonly<Record<string, Kind>>

export type ElementType = keyof typeof kinds

export const isElementType = (type: string): type is ElementType => Object.hasOwn(kinds, type)

export interface TensorSpec {
  readonly name: string
  readonly type: ElementType
  /** A size, or the name of one that is open. */
  readonly shape: readonly (number | string)[]
}

export interface Tensor {
  readonly type: ElementType
  readonly dims: readonly number[]
  readonly data: Data
}

/** An array as NumPy lays it out: row after row. */
export class NdArray {
  readonly dtype: string
  readonly dims: readonly number[]
  readonly bytes: Uint8Array

  constructor(dtype: string, dims: readonly number[], bytes: Uint8Array) {
    this.dtype = dtype
    this.dims = dims
    this.bytes = bytes
  }
}

const elementsOf = (dims: readonly number[]) => dims.reduce((product, size) => product * size, 1)

/**
 * The elements of an array of the client. Throws a `FrameFault` for a type that is not read, or bytes that do not fit
 * the shape.
 */
function numbersOf({ dtype, dims, bytes }: NdArray): Data {
  const kind = Object.values(kinds).find((one) => one.dtype === dtype || `<${one.dtype.slice(1)}` === dtype)
  if (!kind) throw new FrameFault(`Arrays of ${JSON.stringify(dtype)} are not read; send a little-endian number type.`)
  const elements = elementsOf(dims)
  if (elements * kind.of.BYTES_PER_ELEMENT !== bytes.byteLength)
    throw new FrameFault(`An array of ${JSON.stringify(dtype)} and shape [${dims}] has ${bytes.byteLength} bytes.`)
  const data = new kind.of(elements)
  new Uint8Array(data.buffer).set(bytes)
  return data
}

/** Shape and elements of nested lists, at most `MAX_RANK` deep. */
function nested(value: unknown): { readonly dims: readonly number[]; readonly flat: readonly unknown[] } {
  const dims: number[] = []
  let flat: readonly unknown[] = [value]
  while (Array.isArray(flat[0])) {
    const rows = flat as readonly unknown[]
    const [first] = rows
    const size = Array.isArray(first) ? first.length : 0
    if (rows.some((row) => !Array.isArray(row) || row.length !== size))
      throw new FrameFault('Its rows differ in length.')
    dims.push(size)
    if (dims.length > MAX_RANK) throw new FrameFault(`It has more than ${MAX_RANK} dimensions.`)
    flat = rows.flat(1)
  }
  return { dims, flat }
}

const MAX_RANK = 16

/**
 * The tensor in `value`: an array of NumPy, a number, or nested lists of them. Throws a `FrameFault` if a number does
 * not belong to the type; floats are rounded to the type's precision.
 */
export function tensorOf(type: ElementType, value: unknown): Tensor {
  const isArray = value instanceof NdArray
  const { dims, flat } = isArray ? { dims: value.dims, flat: numbersOf(value) } : nested(value)
  const kind: Kind = kinds[type]
  if (isArray && value.dtype === kind.dtype && type !== 'bool') return { type, dims, data: flat as Data }
  const data = new kind.of(flat.length)
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array
  for (let index = 0; index < flat.length; index += 1) {
    const element = kind.range ? wholeOf(flat[index], kind.range, type) : floatOf(flat[index])
    data[index] = isBig ? BigInt(element) : Number(element)
  }
  return { type, dims, data }
}

function wholeOf(value: unknown, [least, most]: readonly [bigint, bigint], type: string): bigint {
  const number = typeof value === 'boolean' ? Number(value) : value
  const big = typeof number === 'bigint' ? number : Number.isSafeInteger(number) ? BigInt(number as number) : null
  if (big === null || big < least || big > most) throw new FrameFault(`${shown(value)} is not of the type ${type}.`)
  return big
}

function floatOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  throw new FrameFault(`${shown(value)} is not a number.`)
}

const shown = (value: unknown) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value)?.slice(0, 40))
