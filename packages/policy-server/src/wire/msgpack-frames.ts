/**
 * Binary frames: MessagePack maps as `openpi-client` writes and reads them. An array of NumPy is a map with the byte
 * keys `__ndarray__`, `data`, `dtype` and `shape`, a scalar of NumPy one with `__npgeneric__`, `data` and `dtype`.
 */

import { isJsonObject } from '@hub/formats/exact-json'
import { decode, encode } from '@msgpack/msgpack'
import { FrameFault } from './frame-fault.ts'
import { assertSound } from './msgpack-shape.ts'
import { kinds, NdArray, type Tensor } from './tensors.ts'

/** Throws a `FrameFault` unless the bytes are one map. */
export function readMsgpackFrame(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  assertSound(bytes)
  let value: unknown
  try {
    value = decode(bytes, { useBigInt64: true, mapKeyConverter: keyText })
  } catch {
    throw new FrameFault('The frame is not MessagePack.')
  }
  if (!isJsonObject(value)) throw new FrameFault('The frame is not a map.')
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpacked(member)]))
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key
  if (key instanceof Uint8Array) return new TextDecoder().decode(key)
  throw new FrameFault('A key is neither a text nor bytes.')
}

/** NumPy's arrays are at the top of an observation: what is deeper stays as it is, and is not an input of a model. */
function unpacked(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const { data, dtype, shape } = value
  if (value.__npgeneric__ === true) return data
  if (value.__ndarray__ !== true) return value
  const isShape = Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0)
  if (typeof dtype !== 'string' || !isShape || !(data instanceof Uint8Array))
    throw new FrameFault('An array lacks its data, dtype or shape.')
  return new NdArray(dtype, shape, data)
}

/** A map of arrays and plain values. */
export function writeMsgpackFrame(tensors: Readonly<Record<string, Tensor>>, others: object): Uint8Array {
  const entries = [
    ...Object.entries(tensors).map(([name, tensor]) => [encode(name), arrayBytes(tensor)] as const),
    ...Object.entries(others).map(([name, value]) => [encode(name), encode(value)] as const),
  ]
  return Buffer.concat([mapHead(entries.length), ...entries.flat()])
}

function arrayBytes({ data, dims, type }: Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = data
  return Buffer.concat([
    mapHead(4),
    ...[byteKey('__ndarray__'), encode(true)],
    ...[byteKey('data'), encode(new Uint8Array(buffer, byteOffset, byteLength))],
    ...[byteKey('dtype'), encode(kinds[type].dtype)],
    ...[byteKey('shape'), encode([...dims])],
  ])
}

/** The library writes keys as texts; the client looks for bytes. */
const byteKey = (name: string) => encode(Buffer.from(name))

/** A map of up to 65,535 members. */
const mapHead = (members: number) =>
  members < 16 ? Uint8Array.of(0x80 | members) : Uint8Array.of(0xde, members >> 8, members & 0xff)
