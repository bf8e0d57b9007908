/** Reading an object's parts as one stream. */
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { noSuchObject } from './disk-layout.ts'
import { systemCode } from './disk-write.ts'
import { ObjectStoreError } from './object-store.ts'

/** `lengthBytes` bytes of one file, from `start` on. */
export interface Segment {
  readonly path: string
  readonly start: number
  readonly lengthBytes: number
}

const CHUNK_BYTES = 256 * 1024

/** The segments that hold bytes `start` to `end` (inclusive) of consecutive files. */
export function segmentsOf(
  files: ReadonlyArray<{ path: string; sizeBytes: number; at?: number }>,
  start: number,
  end: number,
): Segment[] {
  let offset = 0
  return files.flatMap(({ path, sizeBytes, at = 0 }) => {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, sizeBytes - 1)
    offset += sizeBytes
    return from <= to ? [{ path, start: at + from, lengthBytes: to - from + 1 }] : []
  })
}

/**
 * A stream over segments, one file open at a time. `first` is the open file of the first segment: the opener knows that
 * the object existed, and an open file outlives its deletion.
 */
export function readSegments(segments: readonly Segment[], first: FileHandle): Readable {
  let handle: FileHandle | null = first
  let index = 0
  let doneBytes = 0

  const closeHandle = async () => {
    const closing = handle
    handle = null
    await closing?.close()
  }
  const nextChunk = async (): Promise<Buffer | null> => {
    let segment = segments[index]
    if (segment && doneBytes === segment.lengthBytes) {
      await closeHandle()
      index += 1
      doneBytes = 0
      segment = segments[index]
    }
    if (!segment) return null
    handle ??= await open(segment.path, 'r').catch((error: unknown) => {
      throw systemCode(error) === 'ENOENT' ? noSuchObject() : error
    })
    const wantedBytes = Math.min(CHUNK_BYTES, segment.lengthBytes - doneBytes)
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(wantedBytes),
      0,
      wantedBytes,
      segment.start + doneBytes,
    )
    if (bytesRead === 0)
      throw new ObjectStoreError('no_such_object', 'A part of the object is shorter than its name says.')
    doneBytes += bytesRead
    return bytesRead === wantedBytes ? buffer : buffer.subarray(0, bytesRead)
  }

  let reading: Promise<void> = Promise.resolve()
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      reading = nextChunk().then(
        (chunk) => void this.push(chunk),
        (error: Error) => void this.destroy(error),
      )
    },
    destroy(error, callback) {
      // A read in progress must end before its file is closed.
      reading.then(closeHandle).then(
        () => callback(error),
        (closeError: Error) => callback(error ?? closeError),
      )
    },
  })
}
