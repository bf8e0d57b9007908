/**
 * The header of a safetensors file: eight bytes with the length of a JSON object, and that object. The weights after it
 * are not read.
 */
import { isJsonObject } from '../exact-json.ts'
import { hasMoreValues } from '../json-values.ts'
import { FormatFault } from './format-fault.ts'
import type { WindowedFile } from './windowed-file.ts'

export interface SafetensorsHeader {
  readonly tensors: number
  /** Elements of all tensors. */
  readonly params: number
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface SafetensorsTensor {
  readonly name: string
  /** `F32`, `BF16`, `I64`, … */
  readonly type: string
  readonly shape: readonly number[]
}

export interface SafetensorsContent {
  readonly header: SafetensorsHeader
  /** In the order of the file's header. */
  readonly tensors: readonly SafetensorsTensor[]
}

/** A header of 10,000 tensors has 1 MiB. */
const MAX_HEADER_BYTES = 8 * 1024 * 1024
/** Those of 25,000 tensors: files with more of them are split. They are parsed at once. */
const MAX_HEADER_VALUES = 250_000
const LENGTH_BYTES = 8

/** Throws a `FormatFault` if it is not a safetensors file, and the source's error if it cannot be read. */
export const readSafetensorsHeader = async (file: WindowedFile): Promise<SafetensorsHeader> =>
  (await readSafetensorsContent(file)).header

/** The header, and each tensor that it names. Throws as `readSafetensorsHeader`. */
export async function readSafetensorsContent(file: WindowedFile): Promise<SafetensorsContent> {
  if (file.sizeBytes < LENGTH_BYTES) throw new FormatFault('It is too short for its header.')
  await file.hold(0, LENGTH_BYTES)
  const head = file.read(0, LENGTH_BYTES)
  const lengthBytes = new DataView(head.buffer, head.byteOffset, LENGTH_BYTES).getBigUint64(0, true)
  if (lengthBytes > BigInt(MAX_HEADER_BYTES)) throw new FormatFault(`Its header claims ${lengthBytes} bytes.`)
  const end = LENGTH_BYTES + Number(lengthBytes)
  if (end > file.sizeBytes) throw new FormatFault('It is too short for its header.')
  await file.hold(LENGTH_BYTES, end)
  return content(parsed(file.read(LENGTH_BYTES, end)), file.sizeBytes - end)
}

function parsed(bytes: Uint8Array): Record<string, unknown> {
  if (hasMoreValues(bytes, MAX_HEADER_VALUES))
    throw new FormatFault(`Its header has more than ${MAX_HEADER_VALUES} values.`)
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new FormatFault('Its header is not JSON.')
  }
  if (!isJsonObject(header)) throw new FormatFault('Its header is not a JSON object.')
  return header
}

function content(
  { __metadata__: metadata, ...named }: Record<string, unknown>,
  weightBytes: number,
): SafetensorsContent {
  let params = 0
  const tensors = Object.entries(named).map(([name, value]): SafetensorsTensor => {
    const tensor = tensorOf(value, weightBytes)
    if (tensor === null)
      throw new FormatFault(
        `The tensor ${JSON.stringify(name.slice(0, 100))} is not as large as its shape, or not in the file.`,
      )
    params += elementsOf(tensor.shape)
    return { name, ...tensor }
  })
  return { header: { tensors: tensors.length, params, metadata: isJsonObject(metadata) ? metadata : {} }, tensors }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/**
 * The bits of `F32`, `BF16`, `F8_E4M3`, `I64`, `BOOL`, …; null for a type that is not known, or has none: any number of
 * such elements fits into no bytes.
 */
function bitsOf(type: unknown): number | null {
  if (type === 'BOOL') return 8
  const [, bits] = (typeof type === 'string' && /^[A-Z]+(\d+)(?:_|$)/.exec(type)) || []
  return Number(bits) || null
}

const elementsOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1)

/** Null if its bytes are not as many as its shape and type say, or not in the file. */
function tensorOf(tensor: unknown, weightBytes: number): Pick<SafetensorsTensor, 'type' | 'shape'> | null {
  if (!isJsonObject(tensor) || !Array.isArray(tensor.shape) || !Array.isArray(tensor.data_offsets)) return null
  const [begin, end, ...more] = tensor.data_offsets as unknown[]
  if (!isCount(begin) || !isCount(end) || more.length > 0 || begin > end || end > weightBytes) return null
  const shape: unknown[] = tensor.shape
  const bits = bitsOf(tensor.dtype)
  if (!shape.every(isCount) || bits === null) return null
  return Math.ceil((elementsOf(shape) * bits) / 8) === end - begin ? { type: String(tensor.dtype), shape } : null
}
