/** An object store whose calls metrics and traces can follow, and whose callers have their processor time. */
import { storeCall } from '../../platform/signals.ts'
import type { ObjectStore } from './object-store.ts'
import { paidCall, paidWrite } from './paid-calls.ts'

type Call<Args extends readonly unknown[], T> = (...args: Args) => Promise<T>

/**
 * The same store, its own further members included. Signing makes no call, and a listing is many: neither is followed.
 */
export function watchedStore<Store extends ObjectStore>(store: Store): Store {
  const written =
    <Args extends readonly unknown[], T>(name: string, call: Call<Args, T>): Call<Args, T> =>
    (...args) =>
      paidWrite(() => storeCall.follow({ name }, () => call(...args)))
  const called =
    <Args extends readonly unknown[], T>(name: string, call: Call<Args, T>): Call<Args, T> =>
    (...args) =>
      paidCall(() => storeCall.follow({ name }, () => call(...args)))
  const { putTogether } = store
  return {
    ...store,
    ...(putTogether && {
      putTogether: ((group, bodies, options) =>
        paidCall(
          () => storeCall.follow({ name: 'put_together' }, () => putTogether(group, bodies, options)),
          bodies.length,
        )) satisfies ObjectStore['putTogether'],
    }),
    createUpload: written('create_upload', store.createUpload),
    listParts: called('list_parts', store.listParts),
    completeUpload: written('complete_upload', store.completeUpload),
    abortUpload: called('abort_upload', store.abortUpload),
    head: called('head', store.head),
    get: called('get', store.get),
    put: written('put', store.put),
    copy: written('copy', store.copy),
    delete: (keys, signal) =>
      paidCall(() => storeCall.follow({ name: 'delete' }, () => store.delete(keys, signal)), keys.length),
  }
}
