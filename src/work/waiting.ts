/**
 * Offers queued work: a hint for the runners that wait for work of an account, or the background job that gives a
 * hosted job its call.
 */
import type { Deps } from '../operation/context.ts'
import type { Tx } from '../store/db.ts'
import type { HeldJob, JobExecutor } from './held-job.ts'
import type { JobKind } from './job-kind.ts'

/** Sent when a worker job of this account can be claimed. */
export const waitingTopic = ({ table }: JobKind, ownerId: string) => `${table}-waiting:${ownerId}`

/** Announces, after the commit, that a worker job of this account can be claimed. */
export function announceWaiting(tx: Tx, deps: Pick<Deps, 'events'>, job: JobKind, ownerId: string): void {
  tx.afterCommit(() => deps.events.hint(waitingTopic(job, ownerId)))
}

/**
 * Offers a new job to who executes it: a worker is told after the commit, a hosted call is started if the transaction
 * commits.
 */
export async function offerJob(
  tx: Tx,
  deps: Pick<Deps, 'events' | 'queue'>,
  job: JobKind,
  { id, ownerId, executor }: Pick<HeldJob, 'id' | 'ownerId'> & { readonly executor: JobExecutor },
): Promise<void> {
  tx.afterCommit(() => deps.events.hint(id))
  if (executor === 'worker') announceWaiting(tx, deps, job, ownerId)
  else await deps.queue.send(tx, 'hosted-dispatch', { jobId: id })
}
