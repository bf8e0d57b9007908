/** The gating of a run after its command has ended. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Deadline } from './deadline.ts'
import type { Gating } from './gating.ts'
import type { Reporter } from './send-report.ts'

/**
 * Gates the remaining checkpoints after the command succeeded, while heartbeats keep the lease. A stop request ends the
 * gating; the run still succeeds.
 */
export async function gateRemaining(
  gating: Gating,
  reporter: Reporter,
  deadline: Deadline,
  { heartbeatMs, stop }: { readonly heartbeatMs: number; readonly stop: AbortSignal },
): Promise<void> {
  // A timer that is left keeps the process alive for as long as a heartbeat.
  const finished = new AbortController()
  const done = gating.finish().then(() => true)
  try {
    while (!(await Promise.race([done, delay(heartbeatMs, false, { signal: finished.signal })]))) {
      const answer = await reporter.post({})
      deadline.update(answer)
      if (answer.cancel_requested_at || deadline.isOver() || stop.aborted) await gating.close()
    }
  } finally {
    finished.abort()
  }
}
