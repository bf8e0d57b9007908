/**
 * Small files that a push reads once: the bytes that it hashes are those that it looks into and sends. To open, read and
 * close a file again takes as much of the processor as all else that is done for a small one.
 */
import { isSmall } from './upload-parts.ts'

/** Of all files together. The others are read again. */
const MAX_BYTES = 64 * 1_048_576
/** A buffer, and its place here. */
const BYTES_BESIDE = 512

/** A file as it was read. */
export interface ReadFile {
  readonly sha256: string
  readonly bytes: Buffer
}

export type ReadOnce = ReturnType<typeof readOnce>

/** Nothing is read yet. */
export function readOnce(maxBytes = MAX_BYTES) {
  const files = new Map<string, ReadFile>()
  let left = maxBytes
  const costOf = (size: number) => size + BYTES_BESIDE
  const forget = (file: string): ReadFile | undefined => {
    const read = files.get(file)
    if (read) left += costOf(read.bytes.length)
    files.delete(file)
    return read
  }
  return {
    /** Whether a file of this size would be kept. */
    hasRoomFor: (size: number): boolean => isSmall({ size }) && costOf(size) <= left,
    keep(file: string, read: ReadFile): void {
      forget(file)
      files.set(file, read)
      left -= costOf(read.bytes.length)
    },
    /** The bytes that were read of this file, if they are kept. */
    bytesOf: (file: string): Buffer | null => files.get(file)?.bytes ?? null,
    /** The same for the last time, if they have this digest. */
    take(file: string, sha256: string): Buffer | null {
      const read = forget(file)
      return read?.sha256 === sha256 ? read.bytes : null
    },
  }
}
