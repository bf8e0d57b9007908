/**
 * When pictures are drawn: only after a change, or while something runs, and never where no one sees them. Pure but for
 * the two functions that it is given.
 */

export interface FrameLoop {
  /** A picture is due. */
  invalidate(): void
  /** While it runs every frame is drawn. */
  run(isRunning: boolean): void
  /** Whether the page and the canvas can be seen. */
  see(isSeen: boolean): void
  stop(): void
}

/** `elapsedMs`: since the frame before, 0 for the first one after a pause. */
export type OnFrame = (elapsedMs: number) => void

/** A pause of the browser is not time that passed. */
const MAX_ELAPSED_MS = 500

/** `request` and `cancel`: of `requestAnimationFrame`. */
export function frameLoop(
  onFrame: OnFrame,
  request: (call: (timeMs: number) => void) => number,
  cancel: (id: number) => void,
): FrameLoop {
  let waiting: number | null = null
  let due = false
  let running = false
  let seen = true
  let stopped = false
  let before: number | null = null

  const next = () => {
    if (waiting !== null || stopped || !seen || !(due || running)) return
    waiting = request((timeMs) => {
      waiting = null
      const elapsedMs = before === null ? 0 : Math.min(MAX_ELAPSED_MS, Math.max(0, timeMs - before))
      before = running ? timeMs : null
      due = false
      onFrame(elapsedMs)
      next()
    })
  }

  const pause = () => {
    if (waiting !== null) cancel(waiting)
    waiting = null
    before = null
  }

  return {
    invalidate() {
      due = true
      next()
    },
    run(isRunning) {
      running = isRunning
      if (!isRunning) before = null
      next()
    },
    see(isSeen) {
      seen = isSeen
      if (isSeen) next()
      else pause()
    },
    stop() {
      stopped = true
      pause()
    },
  }
}
