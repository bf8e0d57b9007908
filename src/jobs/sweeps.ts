/** What every hub does by the clock: leases and limits of runs, time limits of checks, limits of endpoints, spend holds and sessions of endpoints that expire, and hosted calls. */
import { expireHolds } from '../billing/holds/expire-holds.ts'
import { sweepChecks } from '../checks/end/sweep-checks.ts'
import { renewReservations } from '../endpoints/end/renew-reservations.ts'
import { sweepEndpoints } from '../endpoints/end/sweep-endpoints.ts'
import { sweepSessions } from '../endpoints/sessions/sweep-sessions.ts'
import { callEnded, type TendDeps, tendCalls } from '../hosting/tend-calls.ts'
import type { Deps } from '../operation/context.ts'
import { sweepLeases } from '../runs/lease/sweep-leases.ts'
import type { SweepDeps } from '../work/sweep.ts'
import { type SweepTimer, startSweeping } from '../work/sweep-timer.ts'
import { hostedKindOf, hostedKinds } from './hosted-kinds.ts'

/** Spawns, ends and asks after hosted calls; returns the number of those that were asked to end. */
export function sweepCalls(deps: TendDeps): Promise<number> {
  return tendCalls(deps, hostedKinds)
}

/** From now on the jobs of calls that end learn of it, those of the hub that ran before on the same data directory included. */
export function attendCalls(deps: Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'queue'>): Promise<void> {
  return deps.hosted.attend((call, how) => callEnded(deps, hostedKindOf(call.jobId), call, how))
}

/** Starts the sweeps. Calls have a clock of their own: a backend that is slow to answer must not make leases and limits wait. */
export function startSweepTimer(deps: SweepDeps & TendDeps): SweepTimer {
  const { leaseSeconds } = deps.config.runs
  const jobs = startSweeping(deps.log, leaseSeconds, {
    'run leases': () => sweepLeases(deps),
    'check limits': () => sweepChecks(deps),
    'spend holds': () => expireHolds(deps),
    'endpoint limits': () => sweepEndpoints(deps),
    'endpoint reservations': () => renewReservations(deps),
    'endpoint sessions': () => sweepSessions(deps),
  })
  const calls = startSweeping(deps.log, leaseSeconds, { 'hosted calls': () => sweepCalls(deps) })
  return {
    async close() {
      await Promise.all([jobs.close(), calls.close()])
    },
  }
}
