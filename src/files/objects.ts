/** The object store as the file verbs use it: where blobs lie, and never too many calls at a time. */
import { randomBytes } from 'node:crypto'
import { ObjectStoreError } from '../store/objects/object-store.ts'

/** Whether the store says that there is no such upload (any more). */
export function isNoSuchUpload(error: unknown): boolean {
  return error instanceof ObjectStoreError && error.code === 'no_such_upload'
}

/** Where the bytes of uploads live; collection touches nothing outside. */
export const BLOB_PREFIX = 'blobs/'

/** A random key, never the digest: deleting old bytes and storing equal new ones then never meet on one name. */
export function newStorageKey(): string {
  const name = randomBytes(20).toString('hex')
  return `${BLOB_PREFIX}${name.slice(0, 2)}/${name.slice(2)}`
}

/** Maps with at most `limit` calls under way, in order, and says of each item how it went. */
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
