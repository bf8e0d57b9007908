/** Messages of Protocol Buffers that are in memory. */

export interface Field {
  readonly number: number
  /** Of a varint, unsigned; 0 for others. */
  readonly varint: bigint
  /** Of all but a varint. */
  readonly bytes: Buffer
}

/** The fields of a message, in order. Throws where it is broken. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  for (let at = 0; at < message.length; ) {
    const tag = varintAt(message, at)
    const [number, type] = [Number(tag.value >> 3n), Number(tag.value & 7n)]
    if (number === 0) throw new Error('a field has no number')
    if (type === 0) {
      const { value, end } = varintAt(message, tag.end)
      yield { number, varint: value, bytes: Buffer.alloc(0) }
      at = end
      continue
    }
    const length = type === 2 ? varintAt(message, tag.end) : { value: widthOf(type), end: tag.end }
    if (length.value > BigInt(message.length - length.end)) throw new Error('it ends in the middle of a field')
    at = length.end + Number(length.value)
    yield { number, varint: 0n, bytes: message.subarray(length.end, at) }
  }
}

function widthOf(type: number): bigint {
  if (type === 1) return 8n
  if (type === 5) return 4n
  throw new Error('a field has a type that is not read')
}

/** A varint at `start`, and where it ends. */
function varintAt(bytes: Buffer, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n
  for (let at = start; at < bytes.length && at < start + 10; at += 1) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start))
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + 1 }
  }
  throw new Error('it ends in the middle of a number')
}

/** All numbers of a repeated varint, packed or not. */
export function varintsOf({ bytes, varint }: Field): bigint[] {
  if (bytes.length === 0) return [varint]
  const found: bigint[] = []
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = varintAt(bytes, at)
    found.push(value)
    at = end
  }
  return found
}

/** A signed number; a bigint only where a number would not be exact. */
export function signed(value: bigint): number | bigint {
  const whole = BigInt.asIntN(64, value)
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}
