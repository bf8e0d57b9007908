/** A file of this machine, read in places. */
import { type FileHandle, open } from 'node:fs/promises'
import { unlimited, type WindowedFile, windowedFile } from './windowed-file.ts'

/**
 * What `read` makes of the file. Rejects with the system's error where the file cannot be opened, or became shorter
 * since.
 */
export async function readInPlaces<T>(path: string, read: (file: WindowedFile) => Promise<T>): Promise<T> {
  const handle = await open(path, 'r')
  try {
    const { size: sizeBytes } = await handle.stat()
    const fetch = (start: number, end: number) => bytesOf(handle, start, end)
    return await read(windowedFile({ sizeBytes, fetch }, unlimited))
  } finally {
    await handle.close()
  }
}

async function bytesOf(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
    filled += bytesRead
  }
  return bytes
}
