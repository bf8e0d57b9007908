/**
 * Periodic work of every hub: leases and limits of runs, time limits of checks, limits and reservations of endpoints,
 * expiry of spend holds and of endpoint sessions, films of episodes, and hosted calls.
 */
import { expireHolds } from '../billing/holds/expire-holds.ts'
import { sweepChecks } from '../checks/end/sweep-checks.ts'
import { renewReservations } from '../endpoints/end/renew-reservations.ts'
import { sweepEndpoints } from '../endpoints/end/sweep-endpoints.ts'
import { sweepSessions } from '../endpoints/sessions/sweep-sessions.ts'
import { settleFilms } from '../films/settle-films.ts'
import { callEnded, type TendDeps, tendCalls } from '../hosting/tend-calls.ts'
import type { Deps } from '../operation/context.ts'
import { sweepLeases } from '../runs/lease/sweep-leases.ts'
import { asJob } from '../store/statement-time.ts'
import type { SweepDeps } from '../work/sweep.ts'
import { type SweepTimer, startSweeping } from '../work/sweep-timer.ts'
import { hostedKindOf, hostedKinds } from './hosted-kinds.ts'

/** Spawns and ends hosted calls and checks their status; returns the number of calls that were asked to end. */
export function sweepCalls(deps: TendDeps): Promise<number> {
  return tendCalls(deps, hostedKinds)
}

/**
 * Subscribes to the ends of hosted calls and applies them to their jobs, including calls of a previous hub process on
 * the same data directory.
 */
export function attendCalls(deps: Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'queue'>): Promise<void> {
  return deps.hosted.attend((call, how) => asJob(() => callEnded(deps, hostedKindOf(call.jobId), call, how)))
}

/** Starts the sweeps. Hosted calls have a separate timer, so that a slow backend does not delay leases and limits. */
export function startSweepTimer(deps: SweepDeps & TendDeps): SweepTimer {
  const { leaseSeconds } = deps.config.runs
  const jobs = startSweeping(deps.log, leaseSeconds, {
    'run leases': () => sweepLeases(deps),
    'check limits': () => sweepChecks(deps),
    'spend holds': () => expireHolds(deps),
    'endpoint limits': () => sweepEndpoints(deps),
    'endpoint reservations': () => renewReservations(deps),
    'endpoint sessions': () => sweepSessions(deps),
    'episode films': () => settleFilms(deps),
  })
  const calls = startSweeping(deps.log, leaseSeconds, { 'hosted calls': () => sweepCalls(deps) })
  return {
    async close() {
      await Promise.all([jobs.close(), calls.close()])
    },
  }
}
