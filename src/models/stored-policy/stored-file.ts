/** A file of the object store as a source of ranges. */

import type { ByteSource } from '@hub/formats/policy/windowed-file'
import { asLostFile } from '../../files/lost-file.ts'
import { turns } from '../../platform/turns.ts'
import type { Querier } from '../../store/db.ts'
import { type ObjectStore, ObjectStoreError } from '../../store/objects/object-store.ts'
import { paidChunks } from '../../store/objects/paid-calls.ts'
import { releaseChunk } from '../../store/objects/release-chunk.ts'

export interface StoredFile {
  readonly path: string
  readonly storageKey: string
  readonly sizeBytes: number
  /** Computed by the hub; null where it has not yet. */
  readonly sha256: string | null
}

/** The store, and the database that says what should be in it. */
export interface Stored {
  readonly db: Querier
  readonly objects: ObjectStore
}

/**
 * Each fetch is one request of the store. Rejects with `ObjectStoreError`, 502 or 409 for a file that is not in it, or
 * with the signal's reason.
 */
export const storedSource = ({ db, objects }: Stored, file: StoredFile, signal: AbortSignal): ByteSource => ({
  sizeBytes: file.sizeBytes,
  fetch: (start, end) =>
    fetchRange({ objects, file, signal, start, end }).catch(async (error: unknown) => {
      throw await asLostFile(db, file, error)
    }),
  rest: () => turns.next(),
})

async function fetchRange({
  objects,
  file,
  signal,
  start,
  end,
}: {
  readonly objects: ObjectStore
  readonly file: StoredFile
  readonly signal: AbortSignal
  readonly start: number
  readonly end: number
}): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start)
  if (bytes.length === 0) return bytes
  const { body } = await objects.get(file.storageKey, { range: { start, end: end - 1 }, signal })
  let filled = 0
  for await (const chunk of paidChunks(body)) {
    signal.throwIfAborted()
    bytes.set(chunk, filled)
    filled += chunk.length
    releaseChunk(chunk)
  }
  if (filled !== bytes.length)
    throw new ObjectStoreError('no_such_object', `The store gave ${filled} bytes of ${bytes.length}.`)
  return bytes
}
