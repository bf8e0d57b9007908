/** Counts the time in which a reader works, leaving out what it waits for. */

export interface ParseClock {
  /** The reader works (again). */
  run(): void
  /** The reader waits for files. */
  hold(): void
}

/** Calls `onOver` once, when it has run for `limitMs` in all; never after `hold`. */
export function parseClock(limitMs: number, onOver: () => void): ParseClock {
  let leftMs = limitMs
  let sinceMs = 0
  let timer: NodeJS.Timeout | undefined
  return {
    run() {
      if (timer) return
      sinceMs = performance.now()
      timer = setTimeout(onOver, Math.max(0, leftMs))
    },
    hold() {
      if (!timer) return
      clearTimeout(timer)
      timer = undefined
      leftMs -= performance.now() - sinceMs
    },
  }
}
