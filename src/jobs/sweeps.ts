/** What every hub does by the clock: leases and limits of runs, time limits of checks, then hosted processes that have nothing to do any more. */
import { hostedCheck } from '../checks/dispatch/dispatch-check.ts'
import { sweepChecks } from '../checks/end/sweep-checks.ts'
import { type DispatchDeps, failJob, forgetUnstarted } from '../hosting/dispatch.ts'
import { endCalls as endCallsOf } from '../hosting/end-calls.ts'
import type { HostedKind } from '../hosting/hosted-kind.ts'
import type { HostedCall } from '../hosting/places.ts'
import type { Deps } from '../operation/context.ts'
import { hostedRun } from '../runs/dispatch/dispatch-run.ts'
import { sweepLeases } from '../runs/lease/sweep-leases.ts'
import type { SweepDeps } from '../work/sweep.ts'
import { type SweepTimer, startSweeping } from '../work/sweep-timer.ts'

export const hostedKinds: readonly HostedKind[] = [hostedRun, hostedCheck]

/** Ends hosted processes whose job has ended; returns their number. */
export function endCalls(deps: Pick<Deps, 'db' | 'hosted' | 'log'>): Promise<number> {
  return endCallsOf(deps, hostedKinds)
}

/** Takes over the calls of the hub that ran before on the same data directory: the jobs of those that have ended learn of it, those that never started are started. */
export function adoptCalls(deps: DispatchDeps): Promise<void> {
  const kindOf = ({ jobId }: HostedCall) => hostedKinds.find(({ job }) => jobId.startsWith(`${job.idPrefix}_`))
  return deps.hosted.adopt({
    async ended(call) {
      const kind = kindOf(call)
      if (kind) await failJob(deps, kind, call.jobId, call.callId, 'its process ended while the hub was down.')
    },
    async unstarted(call) {
      const kind = kindOf(call)
      if (kind) await forgetUnstarted(deps, kind, call)
    },
  })
}

/** Starts the sweeps, in this order: ending a job makes its process superfluous. */
export function startSweepTimer(deps: SweepDeps & Pick<Deps, 'hosted'>): SweepTimer {
  return startSweeping(deps.log, deps.config.runs.leaseSeconds, {
    'run leases': () => sweepLeases(deps),
    'check limits': () => sweepChecks(deps),
    'hosted calls': () => endCalls(deps),
  })
}
