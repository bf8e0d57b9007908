/** A file that is read in places: memory is one window, however large the file is. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

export interface ByteFile {
  readonly sizeBytes: number
  /** The bytes from `start` up to `end`. The caller keeps both within the file. */
  read(start: number, end: number): Uint8Array
  close(): void
}

/** Most fields of a graph are close together; skipped ones are not read. */
const WINDOW_BYTES = 64 * 1024

/** Throws the system's error where the file cannot be opened, or became shorter since. */
export function openByteFile(path: string): ByteFile {
  const descriptor = openSync(path, 'r')
  const sizeBytes = fstatSync(descriptor).size
  let window: Uint8Array = new Uint8Array(0)
  let windowStart = 0
  const fill = (start: number, lengthBytes: number) => {
    const bytes = new Uint8Array(lengthBytes)
    let filled = 0
    while (filled < lengthBytes) {
      const read = readSync(descriptor, bytes, filled, lengthBytes - filled, start + filled)
      if (read === 0) throw new Error('The file became shorter while it was read.')
      filled += read
    }
    return bytes
  }
  return {
    sizeBytes,
    read(start, end) {
      if (start < windowStart || end > windowStart + window.length) {
        window = fill(start, Math.min(Math.max(WINDOW_BYTES, end - start), sizeBytes - start))
        windowStart = start
      }
      return window.subarray(start - windowStart, end - windowStart)
    },
    close: () => closeSync(descriptor),
  }
}
