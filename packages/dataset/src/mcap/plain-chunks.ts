/** The chunks of an MCAP file as if none was compressed, once their length and their CRC are as they say. */
import { crc32 } from '@foxglove/crc'
import type { McapTypes } from '@mcap/core'
import { unpackZstd } from '../zstd.ts'
import { unpackLz4 } from './lz4.ts'

/** Of one chunk: a file may claim any size. */
const MOST_BYTES = 256 * 1024 * 1024

/** What the index of a file says of a chunk. */
export type ChunkIndex = McapTypes.TypedMcapRecords['ChunkIndex']

/** https://mcap.dev/spec#chunk-op0x06: an opcode, a length, two times, then size, CRC, compression and records. */
const LENGTH_AT = 1
const SIZE_AT = LENGTH_AT + 8 + 8 + 8
const CRC_AT = SIZE_AT + 8
const COMPRESSION_AT = CRC_AT + 4
/** Of a chunk that is not compressed. */
const HEAD_BYTES = COMPRESSION_AT + 4 + 8

const unpackers: Readonly<Record<string, (packed: Uint8Array, size: number) => Uint8Array>> = {
  zstd: unpackZstd,
  lz4: unpackLz4,
}

/**
 * Makes chunks plain, each once while it is the last one: pictures of one chunk are asked for one after the other. What
 * it is given is a chunk as it stands in the file. Throws an `Error` that says where a chunk is that is none.
 */
export function plainChunks() {
  let last: { readonly place: number; readonly bytes: Uint8Array } | null = null
  return (index: ChunkIndex, chunk: Uint8Array): Uint8Array => {
    const place = Number(index.chunkStartOffset)
    if (last?.place === place) return last.bytes
    try {
      last = { place, bytes: plainChunk(index, chunk) }
    } catch (error) {
      throw new Error(
        `the chunk at byte ${place} is not read: ${error instanceof Error ? error.message : String(error)}.`,
      )
    }
    return last.bytes
  }
}

function plainChunk({ uncompressedSize, compression }: ChunkIndex, chunk: Uint8Array): Uint8Array {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const recordsAt = COMPRESSION_AT + 4 + new TextEncoder().encode(compression).length + 8
  if (chunk.length < recordsAt) throw new Error(`it has ${chunk.length} bytes`)
  const said = new TextDecoder().decode(chunk.subarray(COMPRESSION_AT + 4, recordsAt - 8))
  const size = Number(view.getBigUint64(SIZE_AT, true))
  if (view.getUint32(COMPRESSION_AT, true) !== recordsAt - 8 - COMPRESSION_AT - 4 || said !== compression)
    throw new Error('its compression is not that of its index')
  if (size !== Number(uncompressedSize))
    throw new Error(`it says that it has ${size} bytes, and its index says ${uncompressedSize}`)
  if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, over ${MOST_BYTES}`)
  const records = chunk.subarray(recordsAt)
  if (Number(view.getBigUint64(recordsAt - 8, true)) !== records.length)
    throw new Error(`its records have another length than the ${records.length} bytes of it`)
  const unpack = unpackers[compression]
  const isPlain = compression === ''
  if (!(isPlain || unpack))
    throw new Error(`it is compressed with ${compression}: "mcap compress --compression zstd" rewrites the file`)
  const plain = unpack ? unpack(records, size) : records
  if (plain.length !== size) throw new Error(`it says that it has ${size} bytes, and has ${plain.length}`)
  const crc = view.getUint32(CRC_AT, true)
  // 0 stands for none.
  if (crc !== 0 && crc32(plain) !== crc) throw new Error('its bytes are not those of its CRC')
  return isPlain ? chunk : asChunk(chunk, plain)
}

/** A chunk record with the times of another one. */
function asChunk(packed: Uint8Array, records: Uint8Array): Uint8Array {
  const made = new Uint8Array(HEAD_BYTES + records.length)
  made.set(packed.subarray(0, SIZE_AT))
  const view = new DataView(made.buffer)
  view.setBigUint64(LENGTH_AT, BigInt(made.length - LENGTH_AT - 8), true)
  view.setBigUint64(SIZE_AT, BigInt(records.length), true)
  view.setBigUint64(HEAD_BYTES - 8, BigInt(records.length), true)
  made.set(records, HEAD_BYTES)
  return made
}
