/** Reads that many streams of one caller ask for at once, as when a change wakes them: made once, for all of them. */
import { sharedEvent } from '../operation/shared-event.ts'
import { withoutShare } from '../store/connection-share.ts'
import type { Querier } from '../store/db.ts'

interface Waiting {
  readonly reading: Promise<unknown>
  askers: number
}

/** What is asked for and not begun. */
const waiting = new WeakMap<Querier, Map<string, Waiting>>()

/**
 * What `read` finds, for all who ask with an equal key before it begins, a turn of the event loop later. Nothing is
 * kept: later callers read again. A thing that is found for several is an event that they share.
 */
export function readTogether<T extends object>(
  db: Querier,
  key: string,
  read: () => Promise<T | null>,
): Promise<T | null> {
  const asked = waiting.get(db) ?? new Map<string, Waiting>()
  waiting.set(db, asked)
  const known = asked.get(key)
  if (known) {
    known.askers += 1
    return known.reading as Promise<T | null>
  }
  const first = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    asked.delete(key)
    if (made.askers === 1) return read()
    const found = await withoutShare(read)
    return found && sharedEvent(found)
  }
  const made: Waiting = { reading: first(), askers: 1 }
  asked.set(key, made)
  return made.reading as Promise<T | null>
}
