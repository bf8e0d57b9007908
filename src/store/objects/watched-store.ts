/** An object store whose calls metrics and traces can follow. */
import { storeCall } from '../../platform/signals.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * The same store, its own further members included. Signing makes no call, and a listing is many: neither is followed.
 */
export function watchedStore<Store extends ObjectStore>(store: Store): Store {
  const followed =
    <Args extends readonly unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      storeCall.follow({ name }, () => call(...args))
  return {
    ...store,
    createUpload: followed('create_upload', store.createUpload),
    listParts: followed('list_parts', store.listParts),
    completeUpload: followed('complete_upload', store.completeUpload),
    abortUpload: followed('abort_upload', store.abortUpload),
    head: followed('head', store.head),
    get: followed('get', store.get),
    put: followed('put', store.put),
    copy: followed('copy', store.copy),
    delete: followed('delete', store.delete),
  }
}
