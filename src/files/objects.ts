/** The object store as the file verbs use it: present, or a refusal; unreachable, or a refusal; never too many calls at a time. */
import { randomBytes } from 'node:crypto'
import type { Deps } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { type ObjectStore, ObjectStoreError } from '../store/objects/object-store.ts'
import { storeGone } from '../store/objects/store-gone.ts'

/** 503 `not_configured.object_store` in a deployment without one. */
export function requireObjects(deps: Pick<Deps, 'objects'>): ObjectStore {
  if (deps.objects) return deps.objects
  throw new HubError(
    'not_configured.object_store',
    'This deployment has no object store (OBJECT_STORE=none), so it keeps no files.',
  )
}

/** What a failed store call means to the client: 503 `unavailable` when the store does not answer or is full, else the error as it is. */
export function asStoreRefusal(error: unknown): unknown {
  return storeGone(error) ?? error
}

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
