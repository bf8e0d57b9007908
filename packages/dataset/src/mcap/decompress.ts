/** The chunks of an MCAP file as they were before they were compressed. */
import { decompress } from 'fzstd'

/** Of one chunk: a file may claim any size. */
const MOST_BYTES = 256 * 1024 * 1024

/** What a file's reader calls for compressed chunks. LZ4 is not read: no well-kept library does it in a page. */
export function decompressors() {
  /** The last one: pictures of one chunk are asked for one after the other. */
  let last: { readonly of: ArrayBufferLike; readonly at: number; readonly bytes: Uint8Array } | null = null
  return {
    zstd(packed: Uint8Array, size: bigint): Uint8Array {
      const { buffer: of, byteOffset: at } = packed
      if (last?.of === of && last.at === at) return last.bytes
      if (size > MOST_BYTES) throw new Error(`a chunk of it has ${size} bytes, over ${MOST_BYTES}.`)
      const bytes = decompress(packed, new Uint8Array(Number(size)))
      last = { of, at, bytes }
      return bytes
    },
  }
}
