/** When a run has used up its `max_hours`, by the steady clock of this machine: the hub says how much is left, so the two need not agree on the time. */
import { asDouble } from '../exact-json.ts'
import type { RemoteRun } from '../run-shapes.ts'

export interface Deadline {
  /** Takes what an answer says is left; an answer that took long can only say too much, so the earliest counts. */
  see(run: RemoteRun | null): void
  isOver(): boolean
  /** Why a run that is over has failed. */
  readonly reason: string
}

/** Of one attempt; without a limit it is never over. */
export function createDeadline(run: RemoteRun, now = () => performance.now()): Deadline {
  const cap = asDouble(run.recipe.max_hours)
  let atMs = Number.POSITIVE_INFINITY
  const deadline: Deadline = {
    see(answer) {
      const [end, asOf] = [answer?.deadline_at, answer?.spend?.as_of]
      if (end && asOf) atMs = Math.min(atMs, now() + Date.parse(end) - Date.parse(asOf))
    },
    isOver: () => now() >= atMs,
    reason: `The run used up its max_hours${cap === undefined ? '' : ` of ${cap}`}.`,
  }
  deadline.see(run)
  return deadline
}

/** Whether it was its deadline for which the hub asked the run to stop. */
export function isPastDeadline({ deadline_at: end, cancel_requested_at: asked }: RemoteRun): boolean {
  return Boolean(end && asked) && Date.parse(end ?? '') <= Date.parse(asked ?? '')
}

/** How long a claim lasts without a report. Both times are the hub's, so clocks need not agree. */
export function leaseMs({ heartbeat_at: from, lease_expires_at: to }: RemoteRun): number {
  const length = from && to ? Date.parse(to) - Date.parse(from) : Number.NaN
  return length > 0 ? length : Number.POSITIVE_INFINITY
}
