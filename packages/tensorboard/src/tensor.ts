/** Tensors as TensorBoard's summaries hold them. */
import { type Field, fieldsOf, signed, varintsOf } from './wire.ts'

export interface Tensor {
  readonly shape: readonly number[]
  readonly numbers: readonly (number | bigint)[]
  readonly strings: readonly Buffer[]
}

const FLOAT = 1

/** Bytes of a number in `tensor_content`, and how to read it; by the number of the type. */
const PACKED: Readonly<Record<number, readonly [number, (bytes: Buffer, at: number) => number | bigint]>> = {
  [FLOAT]: [4, (bytes, at) => shortest(bytes.readFloatLE(at))],
  2: [8, (bytes, at) => bytes.readDoubleLE(at)],
  3: [4, (bytes, at) => bytes.readInt32LE(at)],
  4: [1, (bytes, at) => bytes.readUInt8(at)],
  9: [8, (bytes, at) => signed(bytes.readBigUInt64LE(at))],
  10: [1, (bytes, at) => bytes.readUInt8(at)],
}

/** The tensor of a `TensorProto`. Types that no summary has (half, complex) have no numbers. */
export function tensorIn(message: Buffer): Tensor {
  let type = 0
  let content: Buffer | null = null
  const shape: number[] = []
  const numbers: (number | bigint)[] = []
  const strings: Buffer[] = []
  for (const field of fieldsOf(message)) {
    if (field.number === 1) type = Number(field.varint)
    else if (field.number === 2) shape.push(...dimensionsIn(field.bytes))
    else if (field.number === 4 && field.bytes.length > 0) content = field.bytes
    else if (field.number === 5) addAll(numbers, packed(FLOAT, field.bytes))
    else if (field.number === 6) addAll(numbers, packed(2, field.bytes))
    else if ([7, 10, 11].includes(field.number)) addAll(numbers, varintsOf(field).map(signed))
    else if (field.number === 8) strings.push(field.bytes)
  }
  return { shape, numbers: content === null ? numbers : packed(type, content), strings }
}

/** One by one: as arguments of one call, 100,000 of them are too many. */
export function addAll<Value>(to: Value[], values: readonly Value[]): void {
  for (const value of values) to.push(value)
}

function dimensionsIn(message: Buffer): number[] {
  return [...fieldsOf(message)].filter(({ number }) => number === 2).map(({ bytes }) => sizeIn(fieldsOf(bytes)))
}

function sizeIn(fields: Iterable<Field>): number {
  for (const { number, varint } of fields) if (number === 1) return Number(varint)
  return 0
}

function packed(type: number, bytes: Buffer): (number | bigint)[] {
  const [width, read] = PACKED[type] ?? [0, () => 0]
  const count = width === 0 ? 0 : Math.floor(bytes.length / width)
  return Array.from({ length: count }, (_, place) => read(bytes, place * width))
}

/** All doubles of a field. */
export const doublesIn = (bytes: Buffer) => packed(2, bytes).map(Number)

/** The number whose text is the shortest decimal that gives this float32. */
export function shortest(float: number): number {
  if (!Number.isFinite(float)) return float
  for (let digits = 1; digits < 9; digits += 1) {
    const decimal = Number(float.toPrecision(digits))
    if (Math.fround(decimal) === float) return decimal
  }
  return Number(float.toPrecision(9))
}
