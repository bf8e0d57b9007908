/** What takes long, next to the reports: these keep the run's lease. */
import { LocalError, ProblemError } from '@hub/client/internal'
import { leaveBehind } from '@hub/runner/left-behind'
import { isRefusal, reasonOf } from '../run-claim.ts'
import type { TrackJournal } from '../track-journal.ts'

export interface Background {
  /** Begins a poll, unless one is going on or the last failed just now; whether a final one of this claim is done. */
  poll(isFinal: boolean): boolean
}

interface BackgroundOptions {
  /** What is brought to the hub, for a message. */
  readonly what: string
  readonly journal: TrackJournal
  readonly logLine: (line: string) => void
  readonly now?: () => number
}

const MAX_PAUSE_MS = 15_000
/** After a refusal that only a person can change. */
const PATIENCE_MS = 30_000

/**
 * One poll at a time. What the hub refuses is tried again while the command runs, as room may be made. A final poll
 * that is refused leaves it on this machine.
 */
export function inBackground(
  work: { poll(isFinal: boolean): Promise<void> },
  { what, journal, logLine, now = () => performance.now() }: BackgroundOptions,
): Background {
  const claim = () => `${journal.state.runId} ${journal.state.attempt}`
  let isBusy = false
  let doneFor = ''
  let failures = 0
  let dueAt = Number.NEGATIVE_INFINITY
  let said = ''
  let wasFinal = false

  async function run(isFinal: boolean): Promise<void> {
    const ours = claim()
    try {
      await work.poll(isFinal)
      failures = 0
      said = ''
      if (isFinal) doneFor = ours
    } catch (error) {
      failures += 1
      const isLast = isFinal && isPermanent(error)
      const line = `${what} ${isLast ? 'not sent' : 'delayed'}: ${reasonOf(error)}`
      if (line !== said) logLine(line)
      said = line
      const pause = isRefusal(error) ? PATIENCE_MS : Math.min(MAX_PAUSE_MS, 250 * 2 ** Math.min(failures, 10))
      // The last poll does not wait for the pause after one before it.
      dueAt = isFinal === wasFinal ? now() + pause : Number.NEGATIVE_INFINITY
      if (!isLast) return
      leaveBehind(journal, `Some ${what} were not sent`, error)
      doneFor = ours
    }
  }

  return {
    poll(isFinal) {
      if (isFinal && !wasFinal) dueAt = Number.NEGATIVE_INFINITY
      wasFinal = isFinal
      if (doneFor === claim()) return true
      if (isBusy || now() < dueAt) return false
      isBusy = true
      void run(isFinal).finally(() => {
        isBusy = false
      })
      return false
    },
  }
}

/** Another try right now would change nothing. */
const isPermanent = (error: unknown) =>
  error instanceof LocalError || (error instanceof ProblemError && [400, 403, 404, 413, 422].includes(error.status))
