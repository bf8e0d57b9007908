/**
 * When a run has used up its `max_hours`, on this machine's monotonic clock. The hub sends the remaining time, so the
 * two clocks need not agree.
 */
import type { RemoteRun } from '@hub/client/run-shapes'
import { asDouble } from '@hub/formats/exact-json'

export interface Deadline {
  /**
   * Updates the deadline from a response. A slow response can only overstate the remaining time, so the earliest
   * deadline wins.
   */
  update(run: RemoteRun | null): void
  isOver(): boolean
  /** The run's error once the deadline is over. */
  readonly reason: string
}

/** The deadline of one attempt; without a limit it is never over. */
export function createDeadline(run: RemoteRun, now = () => performance.now()): Deadline {
  const cap = asDouble(run.recipe.max_hours)
  let atMs = Number.POSITIVE_INFINITY
  const deadline: Deadline = {
    update(answer) {
      const [end, asOf] = [answer?.deadline_at, answer?.spend?.as_of]
      if (end && asOf) atMs = Math.min(atMs, now() + Date.parse(end) - Date.parse(asOf))
    },
    isOver: () => now() >= atMs,
    reason: `The run used up its max_hours${cap === null ? '' : ` of ${cap}`}.`,
  }
  deadline.update(run)
  return deadline
}

/** Whether the hub asked the run to stop because of its deadline. */
export function isPastDeadline({ deadline_at: end, cancel_requested_at: asked }: RemoteRun): boolean {
  return Boolean(end && asked) && Date.parse(end ?? '') <= Date.parse(asked ?? '')
}

/** How long a claim lasts without a report. Both times come from the hub, so the clocks need not agree. */
export function leaseMs({ heartbeat_at: from, lease_expires_at: to }: RemoteRun): number {
  const length = from && to ? Date.parse(to) - Date.parse(from) : Number.NaN
  return length > 0 ? length : Number.POSITIVE_INFINITY
}
