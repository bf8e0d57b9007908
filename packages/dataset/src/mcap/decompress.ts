/** The chunks of an MCAP file as they were before they were compressed. */
import { decompress } from 'fzstd'
import { unpackLz4 } from './lz4.ts'

/** Of one chunk: a file may claim any size. */
const MOST_BYTES = 256 * 1024 * 1024

type Unpack = (packed: Uint8Array, size: number) => Uint8Array

/** What a file's reader calls for compressed chunks: in zstd and in LZ4. */
export function decompressors() {
  /** The last one: pictures of one chunk are asked for one after the other. */
  let last: { readonly of: ArrayBufferLike; readonly at: number; readonly bytes: Uint8Array } | null = null
  const bounded = (unpack: Unpack) => (packed: Uint8Array, size: bigint) => {
    const { buffer: of, byteOffset: at } = packed
    if (last?.of === of && last.at === at) return last.bytes
    if (size > MOST_BYTES) throw new Error(`a chunk of it has ${size} bytes, over ${MOST_BYTES}.`)
    const bytes = unpack(packed, Number(size))
    last = { of, at, bytes }
    return bytes
  }
  return {
    zstd: bounded((packed, size) => decompress(packed, new Uint8Array(size))),
    lz4: bounded(unpackLz4),
  }
}
