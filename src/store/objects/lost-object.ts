/**
 * An object that rows of the database name and the store does not have: the hub's own data is lost.
 * docs/decisions/files.md, "A lost object is 502".
 */
import { HubError } from '../../platform/errors.ts'
import { ObjectStoreError } from './object-store.ts'

/** Whether a call of the store failed for want of the object. */
export function isNoSuchObject(error: unknown): boolean {
  return error instanceof ObjectStoreError && error.code === 'no_such_object'
}

/** 502 `store.lost`. `what` names it as clients know it, and as the subject of a sentence; its key is for the log. */
export function lostObject(what: string, cause: unknown, key?: string): HubError {
  return new HubError(
    'store.lost',
    `${what} is not in the object store any more, though the hub keeps it there. Trying again does not help: its operator has to bring it back from a backup.`,
    { cause: key === undefined ? cause : new Error(`There is no object ${key}.`, { cause }) },
  )
}

/** A failed read of `what` as the client gets it; any other error unchanged. */
export function asLost(what: string, error: unknown, key?: string): unknown {
  return isNoSuchObject(error) ? lostObject(what, error, key) : error
}
