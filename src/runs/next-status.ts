/** Applies the state machine to a run: derives its facts from the run's row and the actor, and turns its refusals into errors. Pure. */
import { HubError } from '../platform/errors.ts'
import { isClaimer, isOwnKey, type JobActor } from '../work/held-job.ts'
import type { JobStatus } from '../work/job-status.ts'
import { isDeadlineOver, isGraceOver, isHostedStopOver } from '../work/limits.ts'
import { refused } from '../work/refusals.ts'
import type { HeldRun } from './run-row.ts'
import { decideRun, type RunFacts, type RunTrigger } from './run-state.ts'

/** The credential that acts on a run, and what its request states about the claim. */
export interface RunActor extends JobActor {
  readonly hostedCallId?: string | null
  readonly resumeStep?: number | null
  readonly maxAttempts?: number
  /** Of a cancel: whether this deployment reaches what executes the run; default true. */
  readonly canBeEnded?: boolean
}

/** The facts of the state machine, from a run's row and the actor. */
export function runFacts(run: HeldRun, actor: RunActor): RunFacts {
  return {
    status: run.status,
    executor: run.executor,
    cancelRequested: run.cancelRequestedAt !== null,
    isClaimer: isClaimer(run, actor),
    isOwnCall: isOwnKey(run, actor) && run.hostedCallId === actor.hostedCallId,
    isBarred:
      run.barredCredential !== null &&
      run.barredCredential === actor.credentialId &&
      run.barredUntil !== null &&
      Date.parse(run.barredUntil) > Date.parse(run.now),
    namesHostedCall: actor.hostedCallId != null || actor.resumeStep != null,
    leaseOver: run.leaseOver,
    deadlineOver: isDeadlineOver(run),
    deadlineAsked: run.stopReason === 'max_hours',
    graceOver: isGraceOver(run),
    stopOver: isHostedStopOver(run),
    canBeEnded: actor.canBeEnded ?? true,
    attemptsSpent: run.lostLeases + 1 >= (actor.maxAttempts ?? Number.POSITIVE_INFINITY),
  }
}

/** The status that follows from `trigger`. Throws the refusal of the state machine; for a claimed run it names the holder. */
export function nextStatus(trigger: RunTrigger, run: HeldRun, actor: RunActor): JobStatus {
  const verdict = decideRun(trigger, runFacts(run, actor))
  if ('to' in verdict) return verdict.to
  const { refusal } = verdict
  throw refusal.type === 'conflict.lease_lost' ? leaseLost(run, refusal.detail) : refused(run, refusal)
}

function leaseLost({ barredUntil, now }: HeldRun, why: string): HubError {
  const until = barredUntil ?? now
  const detail = `${why} It may claim the run from ${until} on, or as soon as a report of the lost attempt was refused; other credentials may claim it now.`
  return new HubError('conflict.lease_lost', detail, {
    items: [{ type: 'conflict.lease_lost', detail, until }],
    facts: { retryAfterS: (Date.parse(until) - Date.parse(now)) / 1000 },
  })
}
