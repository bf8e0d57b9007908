/** The object store as verbs use it: a missing or unreachable store is an error. */
import { HubError } from '../../platform/errors.ts'
import type { ObjectStore } from './object-store.ts'
import { storeGone } from './store-gone.ts'

/** 503 `not_configured.object_store` in a deployment without one. */
export function requireObjects({ objects }: { readonly objects: ObjectStore | null }): ObjectStore {
  if (objects) return objects
  throw new HubError(
    'not_configured.object_store',
    'This deployment has no object store (OBJECT_STORE=none), so it keeps no files.',
  )
}

/**
 * What a failed store call means to the client: 503 `unavailable` if the store does not respond or is full, 502
 * `store.lost` without the object, else the error unchanged.
 */
export function asStoreRefusal(error: unknown): unknown {
  return storeGone(error) ?? error
}
