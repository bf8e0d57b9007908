/** Runs the lease sweep by the clock, on every hub: the locks of the rows see to it that each run is swept by one. */
import { endCalls } from '../../hosting/end-calls.ts'
import type { Deps } from '../../operation/context.ts'
import { sweepLeases } from './sweep-leases.ts'

/** The queue's own clock counts in minutes, which is too slow for this. Contract: at least every 10 s, and at least every second lease length. */
const MAX_INTERVAL_MS = 10_000

export interface SweepTimer {
  /** Waits for a sweep that is under way. */
  close(): Promise<void>
}

/** Begins to sweep. One sweep follows the other, so that a slow database has one to bear at a time. */
export function startSweepTimer(
  deps: Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log' | 'objects' | 'queue'>,
): SweepTimer {
  const intervalMs = Math.min(MAX_INTERVAL_MS, deps.config.runs.leaseSeconds * 1000)
  let timer: NodeJS.Timeout
  let underWay: Promise<void> = Promise.resolve()
  let closed = false
  const sweep = async () => {
    try {
      const swept = await sweepLeases(deps)
      if (swept > 0) deps.log.info({ runs: swept }, 'runs were swept')
      await endCalls(deps)
    } catch (error) {
      deps.log.warn({ err: error }, 'the lease sweep failed and is tried again')
    }
    if (!closed) wait()
  }
  const wait = () => {
    timer = setTimeout(() => {
      underWay = sweep()
    }, intervalMs)
  }
  wait()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await underWay
    },
  }
}
