/** Reads of files that another process may still be writing. */
import { open, stat } from 'node:fs/promises'

/** At most `length` bytes from offset `from`; none if the file is missing. */
export async function readFrom(file: string, from: number, length: number): Promise<Uint8Array> {
  const handle = await open(file, 'r').catch(nullIfMissing)
  if (handle === null) return new Uint8Array()
  try {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

/** Size in bytes; 0 if missing. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(nullIfMissing))?.size ?? 0
}

/** `catch` handler for optional files. */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
