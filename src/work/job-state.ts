/** The states of jobs: their names, how state tables are read, and why a change is refused. Pure. */
import { HubError, type Loc, type PlainErrorType } from '../platform/errors.ts'
import type { HeldJob } from './held-job.ts'

/** The states that runs and checks share; endpoints have other names for their two final states. Spec, "JobStatus". */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'

/** Final states. */
export const terminalStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'canceled']

/** Whether a job of any kind has ended, by any of its final states: its status can no longer change. */
export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running'

/** A row of a state table. The first matching row applies; if no row matches, the state does not change. */
export interface Transition<Trigger, Facts extends { readonly status: string }> {
  readonly trigger: Trigger
  readonly from: Facts['status']
  readonly when: (facts: Facts) => boolean
  readonly to: Facts['status']
}

/** The next state of a job with these facts; null if no row matches. */
export function nextState<Trigger, Facts extends { readonly status: string }>(
  table: readonly Transition<Trigger, Facts>[],
  trigger: Trigger,
  facts: Facts,
): Facts['status'] | null {
  return table.find((row) => row.trigger === trigger && row.from === facts.status && row.when(facts))?.to ?? null
}

/** The reason for a refusal: an error type, a message, and the input field that caused it, if any. */
export interface JobRefusal {
  readonly type: PlainErrorType
  readonly detail: string
  readonly loc?: Loc
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

/** The refusal as an error; a conflict over a claimed job names its holder. */
export function refused(
  job: Pick<HeldJob, 'status' | 'claimedBy' | 'claimedAt'>,
  { type, detail, loc }: JobRefusal,
): HubError {
  const isHeld = job.status === 'running' && job.claimedBy !== null
  const sentence =
    isHeld && type.startsWith('conflict.') ? `${detail} ${job.claimedBy} has held it since ${job.claimedAt}.` : detail
  const holder = isHeld ? { holder: job.claimedBy, since: job.claimedAt } : {}
  return new HubError(type, sentence, { items: [{ type, detail: sentence, ...(loc && { loc }), ...holder }] })
}
