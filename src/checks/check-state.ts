/** The state machine of a check, as one table. Pure. Spec, "Robot check states". */
import type { JobExecutor } from '../work/held-job.ts'
import {
  type JobRefusal,
  type JobStatus,
  nextState,
  refusals,
  type Transition,
  terminalStatuses,
} from '../work/job-state.ts'

/**
 * `report`: a report that does not end the check. `dispatch`: a hosted call could not be started, or ended without a
 * report. `sweep`: the time limit is enforced. Publishing does not change the status.
 */
export type CheckTrigger = 'claim' | 'report' | 'succeed' | 'fail' | 'cancel' | 'dispatch' | 'sweep'

/** The facts of a check, and of the credential that acts on it, that decide a transition. */
export interface CheckFacts {
  readonly status: JobStatus
  readonly executor: JobExecutor
  /** The actor is the credential that claimed the check. */
  readonly isClaimer: boolean
  /** The actor is the key of the hosted call that executes the check. */
  readonly isOwnKey: boolean
  /** By the database's clock, the time limit of a hosted check is used up. */
  readonly deadlineOver: boolean
}

const always = () => true
const claimer = (check: CheckFacts) => check.isClaimer
const hosted = (check: CheckFacts) => check.executor === 'hosted'

export const checkTransitions: readonly Transition<CheckTrigger, CheckFacts>[] = [
  { trigger: 'claim', from: 'queued', when: (check) => check.executor === 'worker' || check.isOwnKey, to: 'running' },
  { trigger: 'report', from: 'running', when: claimer, to: 'running' },
  { trigger: 'succeed', from: 'running', when: claimer, to: 'succeeded' },
  { trigger: 'fail', from: 'running', when: claimer, to: 'failed' },
  { trigger: 'cancel', from: 'queued', when: always, to: 'canceled' },
  { trigger: 'cancel', from: 'running', when: always, to: 'canceled' },
  { trigger: 'dispatch', from: 'queued', when: hosted, to: 'failed' },
  { trigger: 'dispatch', from: 'running', when: hosted, to: 'failed' },
  { trigger: 'sweep', from: 'running', when: (check) => check.deadlineOver, to: 'failed' },
]

export type CheckVerdict = { readonly to: JobStatus } | { readonly refusal: JobRefusal }

/** The next state of a check with these facts after `trigger`. */
export function decideCheck(trigger: CheckTrigger, check: CheckFacts): CheckVerdict {
  const to = nextState(checkTransitions, trigger, check)
  return to ? { to } : { refusal: refusalOf(trigger, check) }
}

function refusalOf(trigger: CheckTrigger, check: CheckFacts): JobRefusal {
  if (terminalStatuses.includes(check.status)) return refusals.ended('check', check.status)
  if (trigger === 'claim') return check.status === 'running' ? refusals.claimed('check') : refusals.hosted('check')
  if (check.status === 'queued') return refusals.unclaimed('check')
  return refusals.notClaimer('check')
}
