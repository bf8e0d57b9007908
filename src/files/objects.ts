/** Object store helpers of the file verbs: blob keys, and bounded concurrency. */
import { randomBytes } from 'node:crypto'
import { ObjectStoreError } from '../store/objects/object-store.ts'

/** Whether the error means that the upload does not exist (any more). */
export function isNoSuchUpload(error: unknown): boolean {
  return error instanceof ObjectStoreError && error.code === 'no_such_upload'
}

/** Whether the error means that the store has other parts than those that were listed. */
export function isOtherPart(error: unknown): boolean {
  return error instanceof ObjectStoreError && error.code === 'invalid_part'
}

/** Key prefix of uploads; collection touches nothing outside it. */
export const BLOB_PREFIX = 'blobs/'

/** A random key, never the digest, so that deleting old bytes cannot hit equal new ones. */
export const newStorageKey = (): string => storageKeys()()

/** The same for the files of one request: on a disk they share a folder, which is made and flushed for all of them. */
export function storageKeys(): () => string {
  const folder = randomBytes(1).toString('hex')
  return () => `${BLOB_PREFIX}${folder}/${randomBytes(19).toString('hex')}`
}

/** A random group for objects that are written together. */
export const newStorageGroup = newStorageKey

/** Like `Promise.allSettled`, with at most `limit` concurrent calls; results in order. */
export async function settleBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = []
  const queue = items.entries()
  const drain = async () => {
    for (const [index, item] of queue) {
      const [result] = await Promise.allSettled([work(item, index)])
      results[index] = result
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain))
  return results
}
