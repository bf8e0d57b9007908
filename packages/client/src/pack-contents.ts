/** Contents as a tar archive, each file named by its digest: what one request carries of a push. */
import { Header } from 'tar/header'

const BLOCK_BYTES = 512
const FILE_MODE = 0o644

/** A content with its bytes. */
export interface Packed {
  readonly sha256: string
  readonly bytes: Uint8Array
}

const MIB = 1_048_576

/**
 * Packs contents into archives, each in one piece so that a failed request can be sent again. The memory of a freed
 * archive is used for the next one: new memory costs a page fault for each page, and now and then a round of the
 * collector.
 */
export function contentsPacker() {
  const free: ArrayBuffer[] = []

  function memoryFor(size: number): Buffer {
    const at = free.findIndex(({ byteLength }) => byteLength >= size)
    const [known] = at < 0 ? [] : free.splice(at, 1)
    return Buffer.from(known ?? new ArrayBuffer(Math.ceil(size / MIB) * MIB), 0, size)
  }

  return {
    pack(contents: readonly Packed[]): Uint8Array<ArrayBuffer> {
      const padded = (size: number) => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
      // Two empty blocks are its end.
      const ending = 2 * BLOCK_BYTES
      const size = contents.reduce((sum, { bytes }) => sum + BLOCK_BYTES + padded(bytes.byteLength), ending)
      const archive = memoryFor(size) as Buffer<ArrayBuffer>
      let at = 0
      for (const { sha256, bytes } of contents) {
        const [from, to] = [at + BLOCK_BYTES, at + BLOCK_BYTES + bytes.byteLength]
        archive.fill(0, at, from)
        new Header({ path: sha256, size: bytes.byteLength, mode: FILE_MODE, type: 'File' }).encode(archive, at)
        archive.set(bytes, from)
        at = from + padded(bytes.byteLength)
        archive.fill(0, to, at)
      }
      return archive.fill(0, at)
    },
    /** Nothing reads the archive any more: the next one is written over it. */
    free(archive: Uint8Array<ArrayBuffer>): void {
      free.push(archive.buffer)
    },
  }
}

export type ContentsPacker = ReturnType<typeof contentsPacker>
