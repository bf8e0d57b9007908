/** The columns of a job that decide its state changes, and the credential that acts on it. Pure decisions. */
import { column, columns, type RowOf } from '../store/columns.ts'

export type JobExecutor = 'worker' | 'hosted'

/**
 * The columns of a job's row `u` that the rules of all kinds use. A kind adds its own, and the type of its `status`.
 */
export const heldJobColumns = columns({
  id: column.text('u.id'),
  ownerId: column.text('u.owner_id'),
  status: column.text('u.status::text'),
  executor: column.enum.orNull('RunExecutor', 'u.executor'),
  attempt: column.int4('u.attempt'),
  claimCredential: column.text.orNull('u.claim_credential'),
  claimedBy: column.text.orNull('u.claimed_by'),
  claimedAt: column.timestamptz.orNull('u.claimed_at'),
  hostedCallId: column.text.orNull('u.hosted_call_id'),
  hostedCredential: column.text.orNull('u.hosted_credential'),
  cancelRequestedAt: column.timestamptz.orNull('u.cancel_requested_at'),
})

export type HeldJob = RowOf<typeof heldJobColumns>

/** The acting credential, and the attempt that its request names; absent if the request names none. */
export interface JobActor {
  readonly credentialId: string | null
  readonly attempt?: number | null
}

/** The fencing check: the actor is the credential that claimed the job, and no other attempt has started since. */
export function isClaimer(job: Pick<HeldJob, 'claimCredential' | 'attempt'>, actor: JobActor): boolean {
  if (job.claimCredential === null || job.claimCredential !== actor.credentialId) return false
  return actor.attempt == null || actor.attempt === job.attempt
}

/**
 * The actor is the key that was minted for the hosted call. The id of the call proves nothing, since everyone who sees
 * the job sees it.
 */
export function isOwnKey(job: Pick<HeldJob, 'hostedCredential'>, { credentialId }: JobActor): boolean {
  return job.hostedCredential !== null && job.hostedCredential === credentialId
}
