/**
 * The position of a reader in an account's changes. Pure. Each change has the number of its transaction, and
 * transactions do not end in the order of their numbers. A position is therefore the oldest transaction that was still
 * running when everything before it had been read. The changes of that transaction and of later ones are read again,
 * and the reader skips those that it has seen.
 */
import { invalid } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, type KeyPart, type KeyRule } from '../../platform/page.ts'

export type ChangeKind = 'run' | 'robot_check' | 'endpoint' | 'endpoint_session' | 'spend_hold'

/**
 * All changes up to `thingId` in the transaction `xid` have been read. An empty id is the position before the
 * transaction's first change.
 */
export interface ChangePosition {
  readonly xid: number
  readonly thingId: string
}

/**
 * Rows of changes are kept for a day. Cursors expire an hour earlier, so that no row is deleted before a valid cursor
 * has passed it.
 */
export const CHANGES_KEPT_SECONDS = 86_400
const CURSOR_LIVES_SECONDS = CHANGES_KEPT_SECONDS - 3_600

const isXid: KeyRule<number> = (part: KeyPart): part is number => Number.isSafeInteger(part) && Number(part) >= 0
const isThing: KeyRule<string> = (part: KeyPart): part is string =>
  typeof part === 'string' && /^[a-z0-9_]{0,64}$/.test(part)

const listingOf = (ownerId: string, kind: ChangeKind) => `changes:${kind}:${ownerId}`

/** The cursor of a position that was read at `nowMs`. */
export function changeCursor(
  ownerId: string,
  kind: ChangeKind,
  { xid, thingId }: ChangePosition,
  nowMs: number,
): string {
  return encodeCursor(listingOf(ownerId, kind), [xid, thingId, Math.floor(nowMs / 1000)])
}

/**
 * The position in a cursor; 422 `validation.cursor` for the cursor of another account or kind, and for one that is
 * older than 23 hours.
 */
export function readChangeCursor(ownerId: string, kind: ChangeKind, cursor: string, nowMs: number): ChangePosition {
  const [xid, thingId, at] = decodeCursor<[number, string, number]>(listingOf(ownerId, kind), cursor, [
    isXid,
    isThing,
    isXid,
  ])
  if (nowMs / 1000 - at > CURSOR_LIVES_SECONDS) throw tooOld()
  return { xid, thingId }
}

/** 422 for a cursor from which nothing can be resumed. */
export function tooOld(): Error {
  const detail = 'The cursor is too old: subscribe without one, and read the list again.'
  return invalid('validation.cursor', detail, ['after'])
}
