/** A file of the object store as a source of ranges. */
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { releaseChunk } from '../../store/objects/release-chunk.ts'
import type { ByteSource } from '../policy/windowed-file.ts'

export interface StoredFile {
  readonly path: string
  readonly storageKey: string
  readonly sizeBytes: number
  /** Computed by the hub; null where it has not yet. */
  readonly sha256: string | null
}

/** Each fetch is one request of the store. Rejects with `ObjectStoreError`, or with the signal's reason. */
export const storedSource = (objects: ObjectStore, file: StoredFile, signal: AbortSignal): ByteSource => ({
  sizeBytes: file.sizeBytes,
  async fetch(start, end) {
    const bytes = new Uint8Array(end - start)
    if (bytes.length === 0) return bytes
    const { body } = await objects.get(file.storageKey, { range: { start, end: end - 1 }, signal })
    let filled = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      bytes.set(chunk, filled)
      filled += chunk.length
      releaseChunk(chunk)
    }
    if (filled !== bytes.length) throw new Error(`The store gave ${filled} bytes of ${file.path} for ${bytes.length}.`)
    return bytes
  },
})
