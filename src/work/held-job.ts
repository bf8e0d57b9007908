/** A job as verbs that move it see it, and who acts on it. Pure decisions. */
import { type ErrorType, HubError } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'

export type JobExecutor = 'worker' | 'hosted'

/** The columns of a job's row `u` that the rules of all kinds use. A kind adds its own, and the type of its `status`. */
export const heldJobColumns = columns({
  id: column<string>('u.id'),
  ownerId: column<string>('u.owner_id'),
  status: column<string>('u.status'),
  executor: column<JobExecutor | null>('u.executor'),
  attempt: column<number>('u.attempt'),
  claimCredential: column<string | null>('u.claim_credential'),
  claimedBy: column<string | null>('u.claimed_by'),
  claimedAt: column<string | null>('u.claimed_at'),
  hostedCallId: column<string | null>('u.hosted_call_id'),
  hostedCredential: column<string | null>('u.hosted_credential'),
  cancelRequestedAt: column<string | null>('u.cancel_requested_at'),
})

export type HeldJob = RowOf<typeof heldJobColumns>

/** The acting credential, and the attempt that it takes to be the current one; absent if it does not send it. */
export interface JobActor {
  readonly credentialId: string | null
  readonly attempt?: number | null
}

/** The fencing check: the actor is the credential that claimed the job, and no other attempt has started since. */
export function isClaimer(job: Pick<HeldJob, 'claimCredential' | 'attempt'>, actor: JobActor): boolean {
  if (job.claimCredential === null || job.claimCredential !== actor.credentialId) return false
  return actor.attempt == null || actor.attempt === job.attempt
}

/** The actor is the key that was minted for the hosted call. Everyone who sees the job sees the call's id, so that proves nothing. */
export function isOwnKey(job: Pick<HeldJob, 'hostedCredential'>, { credentialId }: JobActor): boolean {
  return job.hostedCredential !== null && job.hostedCredential === credentialId
}

/** A row of a table of states: the first that fits is what happens; where none does, nothing happens. */
export interface Transition<Trigger, Facts extends { readonly status: string }> {
  readonly trigger: Trigger
  readonly from: Facts['status']
  readonly when: (facts: Facts) => boolean
  readonly to: Facts['status']
}

/** Where the table leads a job of these facts; null where it does not. */
export function nextState<Trigger, Facts extends { readonly status: string }>(
  table: readonly Transition<Trigger, Facts>[],
  trigger: Trigger,
  facts: Facts,
): Facts['status'] | null {
  return table.find((row) => row.trigger === trigger && row.from === facts.status && row.when(facts))?.to ?? null
}

/** The reason for a rejection: an error type and a message. */
export interface JobRefusal {
  readonly type: ErrorType
  readonly detail: string
}

/** Messages common to all kinds of jobs; `name` is the job in messages. */
export const refusals = {
  ended: (name: string, status: string): JobRefusal => ({
    type: 'conflict.terminal',
    detail: `The ${name} has ended: it is ${status}.`,
  }),
  claimed: (name: string): JobRefusal => ({
    type: 'conflict.already_claimed',
    detail: `The ${name} is already claimed.`,
  }),
  hosted: (name: string): JobRefusal => ({
    type: 'conflict.wrong_kind',
    detail: `The ${name} executes on the hosted backend; only the function that it was dispatched to can claim it.`,
  }),
  unclaimed: (name: string): JobRefusal => ({
    type: 'conflict.not_claimer',
    detail: `The ${name} is queued and has no holder: claim it first.`,
  }),
  notClaimer: (name: string): JobRefusal => ({
    type: 'conflict.not_claimer',
    detail: `Another credential holds the ${name}, or the claim was lost.`,
  }),
} as const

/** The rejection as an error; a conflict over a held job names its holder. */
export function refused(
  job: Pick<HeldJob, 'status' | 'claimedBy' | 'claimedAt'>,
  { type, detail }: JobRefusal,
): HubError {
  const isHeld = job.status === 'running' && job.claimedBy !== null
  const sentence =
    isHeld && type.startsWith('conflict.') ? `${detail} ${job.claimedBy} has held it since ${job.claimedAt}.` : detail
  const holder = isHeld ? { holder: job.claimedBy, since: job.claimedAt } : {}
  return new HubError(type, sentence, { items: [{ type, detail: sentence, ...holder }] })
}
