/** A polling task that runs next to the reports, one poll at a time. */
import { failureLine } from '@hub/client/internal'

export interface BackgroundTask {
  /** Starts a poll, unless one is in progress or the last one started less than `everyMs` ago. */
  poll(): void
  /** Awaits the current poll, then polls a final time. */
  finish(): Promise<void>
}

/** After failures in a row: from a second, doubled up to a minute. A final poll does not wait. */
const MAX_PAUSE_MS = 60_000
const pauseMs = (failures: number) => (failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, 1000 * 2 ** (failures - 1)))

/** Logs each distinct failure once; a later poll retries. */
export function backgroundTask(
  poll: (isFinal: boolean) => Promise<void>,
  options: {
    readonly what: string
    readonly everyMs?: number
    readonly logLine: (line: string) => void
    /** Told when the final poll fails. */
    readonly leave?: (error: unknown) => void
    readonly now?: () => number
  },
): BackgroundTask {
  const { what, everyMs = 0, logLine, leave, now = () => performance.now() } = options
  let current: Promise<void> | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let lastLogged = ''
  const failed = (error: unknown) => {
    failures += 1
    failedAt = now()
    const line = `${what} delayed: ${failureLine(error)}`
    if (line !== lastLogged) logLine(line)
    lastLogged = line
  }
  return {
    poll() {
      if (current || now() - startedAt < everyMs || now() - failedAt < pauseMs(failures)) return
      startedAt = now()
      current = poll(false)
        .then(() => {
          failures = 0
          lastLogged = ''
        }, failed)
        .finally(() => {
          current = null
        })
    },
    async finish() {
      await current
      await poll(true).catch((error: unknown) => {
        logLine(`${what} not completed: ${failureLine(error)}`)
        leave?.(error)
      })
    },
  }
}
