/** Counts the time in which a reader works, leaving out what it waits for. */

export interface ParseClock {
  /** The reader works (again). */
  run(): void
  /** The reader waits for files. */
  hold(): void
}

/** Asks `onOver` when it has run for `limitMs` in all, never after `hold`; the milliseconds that it answers are granted beyond them, 0 ends it. */
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
