/** A polling task that runs next to the reports, one poll at a time. */
import { failureLine } from '@hub/client/internal'

export interface BackgroundTask {
  /** Starts a poll, unless one is in progress or the last one started less than `everyMs` ago. */
  poll(): void
  /** Awaits the current poll, then polls a final time. */
  finish(): Promise<void>
}

/** Logs each distinct failure once; the next poll retries. */
export function backgroundTask(
  poll: (isFinal: boolean) => Promise<void>,
  options: { readonly what: string; readonly everyMs?: number; readonly logLine: (line: string) => void },
): BackgroundTask {
  const { what, everyMs = 0, logLine } = options
  let current: Promise<void> | null = null
  let startedAt = Number.NEGATIVE_INFINITY
  let lastLogged = ''
  const failed = (error: unknown) => {
    const line = `${what} delayed: ${failureLine(error)}`
    if (line !== lastLogged) logLine(line)
    lastLogged = line
  }
  return {
    poll() {
      if (current || performance.now() - startedAt < everyMs) return
      startedAt = performance.now()
      current = poll(false)
        .catch(failed)
        .finally(() => {
          current = null
        })
    },
    async finish() {
      await current
      await poll(true).catch((error: unknown) => logLine(`${what} not completed: ${failureLine(error)}`))
    },
  }
}
