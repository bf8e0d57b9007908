/** Cuts a growing output into report-sized chunks. Pure. */

/** Maximum log bytes (UTF-8) per report (spec, reportRun). */
export const MAX_CHUNK_BYTES = 256 * 1024

export interface Chunk {
  readonly text: string
  /** How many input bytes it covers. */
  readonly size: number
}

const NEWLINE = 10

/**
 * As many complete lines from the start of `bytes` as fit a chunk, or null if there is none yet. A line longer than a
 * chunk is cut between characters. `isEnd`: the file ends here, so an unterminated last line is complete. Invalid UTF-8
 * becomes U+FFFD.
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
    // Each invalid byte becomes three (U+FFFD).
    if (Buffer.byteLength(text) <= maxBytes) return { text, size }
    size = Math.max(1, Math.floor(size / 3))
  }
}

/** The length without a character that is cut off at the end. */
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
