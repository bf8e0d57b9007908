/** Measures the working time of a reader, without waiting. */

export interface ParseClock {
  /** The reader works (again). */
  run(): void
  /** The reader waits for files. */
  hold(): void
}

/**
 * Calls `onOver` after `limitMs` of total running time, never after `hold`; it returns the milliseconds to grant in
 * addition, 0 to end.
 */
export function parseClock(limitMs: number, onOver: () => number): ParseClock {
  let leftMs = limitMs
  let sinceMs = 0
  let timer: NodeJS.Timeout | undefined
  const run = () => {
    if (timer) return
    sinceMs = performance.now()
    timer = setTimeout(expire, Math.max(0, leftMs))
  }
  const expire = () => {
    timer = undefined
    leftMs = onOver()
    if (leftMs > 0) run()
  }
  return {
    run,
    hold() {
      if (!timer) return
      clearTimeout(timer)
      timer = undefined
      leftMs -= performance.now() - sinceMs
    },
  }
}
