/** Plays once from the beginning to the end, as a video of it is recorded. Pure but for the clock. */
import type { Playhead } from './playhead.ts'

export interface PlayThrough {
  /** The time stands still. */
  rest(): void
  /** Ends with what is played, or after so many seconds of the clock; a person may stop it before. */
  play(mostS: number): Promise<void>
}

/** `begin` goes to the first frame, `loops` says whether a person wants it to begin again. */
export function playThrough(
  head: Pick<Playhead, 'play' | 'setLoop'>,
  begin: () => void,
  loops: () => boolean,
): PlayThrough {
  let rested: (() => void) | null = null
  return {
    rest: () => rested?.(),
    async play(mostS) {
      head.play(false)
      begin()
      const ended = new Promise<void>((resolve) => {
        rested = resolve
      })
      head.setLoop(false)
      head.play(true)
      const stop = setTimeout(() => head.play(false), 1000 * mostS)
      await ended
      clearTimeout(stop)
      rested = null
      head.setLoop(loops())
    },
  }
}
