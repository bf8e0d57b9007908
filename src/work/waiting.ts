/** Notifies waiting runners: a hint for each account with new queued work. */
import type { Deps } from '../operation/context.ts'
import type { Tx } from '../store/db.ts'
import type { JobKind } from './job-kind.ts'

const topicOf = ({ table }: JobKind, ownerId: string) => `${table}-waiting:${ownerId}`

/** Announces, after the commit, that a worker job of this account can be claimed. */
export function announceWaiting(tx: Tx, deps: Pick<Deps, 'events'>, job: JobKind, ownerId: string): void {
  tx.afterCommit(() => deps.events.hint(topicOf(job, ownerId)))
}

/** Yields at once, then each time work of one of these accounts may have arrived. Ends with the signal. */
export function watchWaiting(
  deps: Pick<Deps, 'events'>,
  job: JobKind,
  ownerIds: readonly string[],
  signal: AbortSignal,
): AsyncIterable<void> {
  return deps.events.watch(
    ownerIds.map((ownerId) => topicOf(job, ownerId)),
    signal,
  )
}
