/** Hashes stored objects as a stream: memory use is one chunk, regardless of the size of the object. */
import { createHash } from 'node:crypto'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import { releaseChunk } from '../store/objects/release-chunk.ts'
import { SNIFF_BYTES } from './mime.ts'

export interface HashedObject {
  /** Lowercase hex. */
  readonly sha256: string
  readonly sizeBytes: number
  readonly firstBytes: Uint8Array
}

/** Reads the whole object once. */
export async function hashObject(objects: ObjectStore, key: string, signal?: AbortSignal): Promise<HashedObject> {
  const { body } = await objects.get(key, { signal })
  const hash = createHash('sha256')
  const first: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of paidChunks(body)) {
    signal?.throwIfAborted()
    // A copy: a slice would retain its whole chunk.
    if (sizeBytes < SNIFF_BYTES) first.push(Buffer.from(chunk.subarray(0, SNIFF_BYTES - sizeBytes)))
    hash.update(chunk)
    sizeBytes += chunk.length
    releaseChunk(chunk)
  }
  return { sha256: hash.digest('hex'), sizeBytes, firstBytes: Buffer.concat(first) }
}

/** The bytes needed for media type detection. */
export async function readFirstBytes(objects: ObjectStore, key: string, signal?: AbortSignal): Promise<Uint8Array> {
  const { body } = await objects.get(key, { range: { start: 0, end: SNIFF_BYTES - 1 }, signal })
  const chunks: Buffer[] = []
  for await (const chunk of paidChunks(body)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
