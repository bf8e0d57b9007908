/** Moves a playhead with the frames of the browser while it plays. */
import type { Playhead } from './playhead.ts'

export interface Ticker {
  /** Goes on until the playhead rests. */
  run(): void
  stop(): void
}

export function tickerOf(head: Pick<Playhead, 'isPlaying' | 'tick'>): Ticker {
  let frame = 0
  let before: number | null = null
  const run = () => {
    if (frame !== 0 || !head.isPlaying()) return
    frame = requestAnimationFrame((now) => {
      frame = 0
      head.tick(before === null ? 0 : now - before)
      before = head.isPlaying() ? now : null
      run()
    })
  }
  return { run, stop: () => cancelAnimationFrame(frame) }
}
