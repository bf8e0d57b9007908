/**
 * The state machine of a run, as one table. Pure; SQL conditions and errors are derived from it. Spec, "States and
 * transitions", Run.
 */
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
 * `dispatch`: the spawn of the hosted function failed. `stop`: a limit or a tripwire asks the run to stop. `report`: a
 * report without a status; a report with one is `succeed`, `fail` or `confirmCancel`.
 */
export type RunTrigger =
  | 'claim'
  | 'reclaim'
  | 'sweep'
  | 'succeed'
  | 'fail'
  | 'confirmCancel'
  | 'report'
  | 'cancel'
  | 'stop'
  | 'dispatch'

/** The facts of a run, and of the credential that acts on it, that decide a transition. */
export interface RunFacts {
  readonly status: JobStatus
  readonly executor: JobExecutor | null
  readonly cancelRequested: boolean
  /** The actor is the credential that claimed the run, and no other attempt has begun since. */
  readonly isClaimer: boolean
  /** The actor is the key of the hosted call that executes the run, and names that call. */
  readonly isOwnCall: boolean
  /** The actor lost the run's last lease, and its runner may not have been notified yet. */
  readonly isBarred: boolean
  /** The claim has a member that only a hosted call may send. */
  readonly namesHostedCall: boolean
  /** The lease has expired, by the database's clock. */
  readonly leaseOver: boolean
  /** By the same clock, `max_hours` is used up. */
  readonly deadlineOver: boolean
  /** The run was asked to stop because of `max_hours`. */
  readonly deadlineAsked: boolean
  /** The run was asked to stop, and the grace period since its deadline has passed. */
  readonly graceOver: boolean
  /** A hosted run was asked to stop for another reason than its deadline, and its time to do so has passed. */
  readonly stopOver: boolean
  /** This deployment can end what executes the run: a worker stops by itself, a hosted call by its backend. */
  readonly canBeEnded: boolean
  /** The run has reached the maximum number of lost leases, including this one. */
  readonly attemptsSpent: boolean
}

type Condition = (run: RunFacts) => boolean

const always: Condition = () => true
const claimer: Condition = (run) => run.isClaimer
/** The runner has stopped reporting, or does not stop. */
const isLost: Condition = (run) => run.leaseOver || run.graceOver || run.stopOver

/** The first matching row applies; without one, nothing changes. */
export const runTransitions: readonly Transition<RunTrigger, RunFacts>[] = [
  {
    trigger: 'claim',
    from: 'queued',
    when: (run) => !run.isBarred && (run.executor === 'worker' ? !run.namesHostedCall : run.isOwnCall),
    to: 'running',
  },
  {
    trigger: 'reclaim',
    from: 'running',
    when: (run) => run.executor === 'hosted' && run.isOwnCall && run.isClaimer,
    to: 'running',
  },
  {
    trigger: 'sweep',
    from: 'running',
    when: (run) => isLost(run) && run.cancelRequested && !run.deadlineAsked,
    to: 'canceled',
  },
  { trigger: 'sweep', from: 'running', when: (run) => isLost(run) && run.deadlineOver, to: 'failed' },
  { trigger: 'sweep', from: 'running', when: (run) => run.leaseOver && run.attemptsSpent, to: 'failed' },
  { trigger: 'sweep', from: 'running', when: (run) => run.leaseOver, to: 'queued' },
  { trigger: 'report', from: 'running', when: claimer, to: 'running' },
  { trigger: 'succeed', from: 'running', when: claimer, to: 'succeeded' },
  { trigger: 'fail', from: 'running', when: claimer, to: 'failed' },
  { trigger: 'confirmCancel', from: 'running', when: (run) => run.isClaimer && run.cancelRequested, to: 'canceled' },
  { trigger: 'cancel', from: 'queued', when: always, to: 'canceled' },
  { trigger: 'cancel', from: 'running', when: (run) => run.canBeEnded, to: 'running' },
  { trigger: 'stop', from: 'running', when: always, to: 'running' },
  { trigger: 'dispatch', from: 'queued', when: (run) => run.executor === 'hosted', to: 'failed' },
]

export type RunVerdict = { readonly to: JobStatus } | { readonly refusal: JobRefusal }

/** The next state of a run with these facts after `trigger`. */
export function decideRun(trigger: RunTrigger, run: RunFacts): RunVerdict {
  const to = nextState(runTransitions, trigger, run)
  return to ? { to } : { refusal: refusalOf(trigger, run) }
}

const isTerminal = (status: JobStatus) => terminalStatuses.includes(status)

function refusalOf(trigger: RunTrigger, run: RunFacts): JobRefusal {
  if (isTerminal(run.status)) return refusals.ended('run', run.status)
  if (trigger === 'claim' || trigger === 'reclaim') return claimRefusal(run)
  if (trigger === 'cancel')
    return {
      type: 'not_supported',
      detail:
        'The run executes on a hosted backend that this deployment no longer uses, so it cannot be stopped from here.',
    }
  if (run.status === 'queued') return refusals.unclaimed('run')
  if (!run.isClaimer) return refusals.notClaimer('run')
  if (trigger === 'confirmCancel')
    return {
      type: 'validation.value',
      detail: 'The run was not asked to stop, so it cannot be reported as canceled.',
      loc: ['status'],
    }
  return { type: 'conflict.in_progress', detail: 'The run cannot change to that status now.' }
}

function claimRefusal(run: RunFacts): JobRefusal {
  if (run.status === 'running') return refusals.claimed('run')
  if (run.executor === 'worker' && run.namesHostedCall)
    return {
      type: 'validation.value',
      detail:
        'The id of a hosted call and a step to resume at are only for a hosted run; leave them out to claim a ' +
        'worker run.',
    }
  if (run.executor === 'worker' || run.isOwnCall)
    return {
      type: 'conflict.lease_lost',
      detail: 'This credential lost the lease of the run, and the runner that lost it may still be running.',
    }
  return refusals.hosted('run')
}
