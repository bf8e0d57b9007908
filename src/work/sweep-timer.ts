/** Runs sweeps periodically on every hub. Row locks ensure that only one hub sweeps a job. */
import type { Logger } from 'pino'
import { asJob } from '../store/statement-time.ts'

/**
 * The queue's schedule has a resolution of minutes, which is too coarse. Contract: at least every 10 s, and at least
 * every second lease length.
 */
const MAX_INTERVAL_MS = 10_000

export interface SweepTimer {
  /** Waits for a running sweep. */
  close(): Promise<void>
}

/** The sweeps by name; each returns the number of jobs that it changed. */
export type Sweeps = Readonly<Record<string, () => Promise<number>>>

/**
 * Starts the sweeps. Rounds do not overlap, so that a slow database gets one sweep at a time; a failed sweep does not
 * prevent the others.
 */
export function startSweeping(log: Logger, leaseSeconds: number, sweeps: Sweeps): SweepTimer {
  const intervalMs = Math.min(MAX_INTERVAL_MS, leaseSeconds * 1000)
  let timer: NodeJS.Timeout
  let underWay: Promise<void> = Promise.resolve()
  let closed = false
  const round = async () => {
    for (const [name, sweep] of Object.entries(sweeps)) {
      try {
        const swept = await asJob(sweep)
        if (swept > 0) log.info({ sweep: name, swept }, 'a sweep moved jobs')
      } catch (error) {
        log.warn({ err: error, sweep: name }, 'a sweep failed and will be retried')
      }
    }
    if (!closed) wait()
  }
  const wait = () => {
    timer = setTimeout(() => {
      underWay = round()
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
