/** Work beside the reports, one look at a time. */
import { failureLine } from '../problem.ts'

export interface Background {
  /** Begins a look, unless one is under way or the last one began less than `everyMs` ago. */
  look(): void
  /** Waits for the look under way, and looks a last time at what is complete now. */
  finish(): Promise<void>
}

/** A failure is told once and passes with the next look. */
export function background(
  look: (isWhole: boolean) => Promise<void>,
  options: { readonly what: string; readonly everyMs?: number; readonly tell: (line: string) => void },
): Background {
  const { what, everyMs = 0, tell } = options
  let under: Promise<void> | null = null
  let beganAt = Number.NEGATIVE_INFINITY
  let told = ''
  const failed = (error: unknown) => {
    const line = `${what} wait: ${failureLine(error)}`
    if (line !== told) tell(line)
    told = line
  }
  return {
    look() {
      if (under || performance.now() - beganAt < everyMs) return
      beganAt = performance.now()
      under = look(false)
        .catch(failed)
        .finally(() => {
          under = null
        })
    },
    async finish() {
      await under
      await look(true).catch((error: unknown) => tell(`${what} are left: ${failureLine(error)}`))
    },
  }
}
