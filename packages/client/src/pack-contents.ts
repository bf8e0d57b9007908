/** Contents as a tar archive, each file named by its digest: what one request carries of a push. */
import { Header } from 'tar/header'

const BLOCK_BYTES = 512
const FILE_MODE = 0o644

/** A content with its bytes. */
export interface Packed {
  readonly sha256: string
  readonly bytes: Uint8Array
}

/** The archive, in one piece: a request of it is sent again where it fails. */
export function packContents(contents: readonly Packed[]): Uint8Array<ArrayBuffer> {
  const padded = (size: number) => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  const sizes = contents.map(({ bytes }) => BLOCK_BYTES + padded(bytes.byteLength))
  // Two empty blocks are its end.
  const archive = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 2 * BLOCK_BYTES))
  let at = 0
  for (const [index, { sha256, bytes }] of contents.entries()) {
    new Header({ path: sha256, size: bytes.byteLength, mode: FILE_MODE, type: 'File' }).encode(archive, at)
    archive.set(bytes, at + BLOCK_BYTES)
    at += sizes[index] ?? 0
  }
  return archive
}
