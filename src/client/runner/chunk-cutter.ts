/** Cutting a growing output into chunks of a report. Pure. */

/** What a report takes of a log, in bytes of UTF-8 (spec, reportRun). */
export const MAX_CHUNK_BYTES = 256 * 1024

export interface Chunk {
  readonly text: string
  /** How many of the given bytes it is. */
  readonly size: number
}

const NEWLINE = 10

/**
 * The longest run of whole lines at the beginning of `bytes` that fits a chunk, or null when there is none yet. A line that is longer than a chunk is cut
 * between characters. With `isEnd` nothing comes after these bytes: what is left is a line, though its end is missing. Bytes that are no UTF-8 become
 * U+FFFD.
 */
export function cutChunk(bytes: Uint8Array, isEnd: boolean, maxBytes = MAX_CHUNK_BYTES): Chunk | null {
  let size = Math.min(bytes.length, maxBytes)
  const isFull = bytes.length >= maxBytes
  if (size === 0) return null
  for (;;) {
    const window = bytes.subarray(0, size)
    const lineEnd = window.lastIndexOf(NEWLINE) + 1
    const isAll = isEnd && size === bytes.length
    if (isAll) size = window.length
    else if (lineEnd > 0) size = lineEnd
    else if (isFull || size < bytes.length) size = characterEnd(window)
    else return null
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, size))
    // A byte that is no character grows to three.
    if (Buffer.byteLength(text) <= maxBytes) return { text, size }
    size = Math.max(1, Math.floor(size / 3))
  }
}

/** The length without a character that the end cuts off. */
function characterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
