/**
 * An object that was written whole from memory is one file: the length of a header, the header, the bytes. So it takes
 * one new file, one flush and one rename, where a folder with a document takes three, three and two.
 */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ObjectDocument } from './disk-layout.ts'
import { openIfThere, systemCode, writeAll, writeFlushed } from './disk-write.ts'

/** Of the number that the file begins with. */
const LENGTH_BYTES = 4
/** A key has up to 900 characters and a media type few: what is longer is stored as a folder. */
const MAX_HEADER_BYTES = 4096

type Header = Omit<ObjectDocument, 'parts'>

/** The header of an object of these bytes; null if it is too long for one. */
export function headerOf(
  key: string,
  bytes: Uint8Array,
  contentType: string | null,
): { readonly header: Buffer; readonly document: ObjectDocument } | null {
  const [etag, sizeBytes] = [createHash('md5').update(bytes).digest('hex'), bytes.byteLength]
  const fields: Header = { key, contentType, sizeBytes, etag }
  const text = Buffer.from(JSON.stringify(fields))
  if (text.byteLength > MAX_HEADER_BYTES) return null
  const header = Buffer.alloc(LENGTH_BYTES + text.byteLength)
  header.writeUInt32BE(text.byteLength)
  text.copy(header, LENGTH_BYTES)
  return { header, document: documentOf(fields, header.byteLength) }
}

const documentOf = (fields: Header, at: number): ObjectDocument => ({
  ...fields,
  parts: [{ file: '', sizeBytes: fields.sizeBytes, at }],
})

/** Writes the new file `path`, flushed; it is deleted if that fails. */
export async function writeWhole(path: string, header: Uint8Array, bytes: Uint8Array): Promise<void> {
  await writeFlushed(path, (handle) => writeAll(handle, [header, bytes], header.byteLength + bytes.byteLength, 0))
}

/** The open file of an object and what its header says; null if there is no file. */
export async function openWhole(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly object: ObjectDocument } | null> {
  const handle = await openIfThere(path, 'r')
  if (!handle) return null
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LENGTH_BYTES + MAX_HEADER_BYTES), 0, null, 0)
    const end = LENGTH_BYTES + buffer.readUInt32BE(0)
    if (end > bytesRead) throw new Error(`${path} is not an object of this store.`)
    const fields = JSON.parse(buffer.toString('utf8', LENGTH_BYTES, end)) as Header
    return { handle, object: documentOf(fields, end) }
  } catch (error) {
    await handle.close()
    // A folder has taken its place since.
    if (systemCode(error) === 'EISDIR') return null
    throw error
  }
}
