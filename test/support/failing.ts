/** A store and a database that fail as those of a process that dies do. */
import type { Db } from '../../src/store/db.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'

export class Died extends Error {}

export interface Fault {
  /** The call that fails, counted from 1. */
  readonly at: number
  /** After the call has had its effect, or instead of it. */
  readonly when: 'before' | 'after'
  readonly error: Error
}

/** The real store, with one failing call. From then on every call fails, as for a process that is gone, when `dead`. */
export function failing(store: ObjectStore, fault: Fault, dead: boolean): { store: ObjectStore; calls: () => number } {
  let calls = 0
  const proxy = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        calls += 1
        const hit = calls === fault.at || (dead && calls > fault.at)
        if (hit && fault.when === 'before') throw fault.error
        const result: unknown = await member.apply(target, args)
        if (!hit) return result
        if (name === 'get') (result as Awaited<ReturnType<ObjectStore['get']>>).body.destroy()
        throw fault.error
      }
    },
  })
  return { store: proxy, calls: () => calls }
}

/** A database whose transactions all fail from now on: nothing is put back, as when the process is gone. */
export const deadDb = (db: Db, isDead: () => boolean): Db => ({
  ...db,
  withTx: (work) => (isDead() ? Promise.reject(new Died()) : db.withTx(work)),
})
