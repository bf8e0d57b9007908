/** Who waits for work hears of it: a hint for each account whose queue has something new. */
import type { Deps } from '../../operation/context.ts'
import type { Tx } from '../../store/db.ts'

const topicOf = (ownerId: string) => `runs-waiting:${ownerId}`

/** Says, after the commit, that a worker run of this account waits to be claimed. */
export function announceWaiting(tx: Tx, deps: Pick<Deps, 'events'>, ownerId: string): void {
  tx.afterCommit(() => deps.events.hint(topicOf(ownerId)))
}

/**
 * Yields at once, then whenever work of one of these accounts may have come (at the latest as often as the events look by themselves). Ends with the signal.
 */
export function watchWaiting(
  deps: Pick<Deps, 'events'>,
  ownerIds: readonly string[],
  signal: AbortSignal,
): AsyncIterable<void> {
  return deps.events.watch(ownerIds.map(topicOf), signal)
}
