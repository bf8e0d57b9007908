/** What every hub does by the clock: leases and limits of runs, then hosted processes that have nothing to do any more. */
import { hostedCheck } from '../checks/dispatch/dispatch-check.ts'
import { endCalls as endCallsOf } from '../hosting/end-calls.ts'
import type { HostedKind } from '../hosting/hosted-kind.ts'
import type { Deps } from '../operation/context.ts'
import { hostedRun } from '../runs/dispatch/dispatch-run.ts'
import { sweepLeases } from '../runs/lease/sweep-leases.ts'
import type { SweepDeps } from '../work/sweep.ts'
import { type SweepTimer, startSweeping } from '../work/sweep-timer.ts'

const hostedKinds: readonly HostedKind[] = [hostedRun, hostedCheck]

/** Ends hosted processes whose job has ended; returns their number. */
export function endCalls(deps: Pick<Deps, 'db' | 'hosted' | 'log'>): Promise<number> {
  return endCallsOf(deps, hostedKinds)
}

/** Starts the sweeps, in this order: ending a job makes its process superfluous. */
export function startSweepTimer(deps: SweepDeps & Pick<Deps, 'hosted'>): SweepTimer {
  return startSweeping(deps.log, deps.config.runs.leaseSeconds, {
    'run leases': () => sweepLeases(deps),
    'hosted calls': () => endCalls(deps),
  })
}
