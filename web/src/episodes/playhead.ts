/** The one time that curves, videos and robots share. Pure but for what it is given. */

/** A video as the playhead uses it: an element has all of this. */
export interface Reel {
  currentTime: number
  playbackRate?: number
  readonly paused: boolean
  /** 2 and more: there is a picture at the current time (`HTMLMediaElement.readyState`). */
  readonly readyState: number
  play(): Promise<void>
  pause(): void
}

export interface Playhead {
  time(): number
  isPlaying(): boolean
  seek(time: number): void
  play(isPlaying: boolean): void
  /** Seconds of the episode for each of the clock. */
  setSpeed(speed: number): void
  /** Whether it begins again at the end. */
  setLoop(isLoop: boolean): void
  /** Advances by the time that passed, in ms; the first video that plays decides. */
  tick(elapsedMs: number): void
}

/** Videos farther from the playhead than this are put to it, in s of the clock: less is not seen. */
const DRIFT = 0.12

/** Browsers play videos no faster. Beyond that the clock decides, and videos are put to it. */
const MOST_REEL_SPEED = 16

/** `reels`: each with the second at which the episode begins in it. `onTime` is called after each change. */
export function playhead(
  durationS: number,
  reels: readonly { readonly reel: Reel; readonly from: number }[],
  onTime: (time: number) => void,
): Playhead {
  let time = 0
  let playing = false
  let speed = 1
  let isLoop = false
  const clamped = (value: number) => Math.min(Math.max(0, value), durationS)
  const align = () => {
    const drift = playing ? DRIFT * Math.max(1, speed) : 1e-3
    for (const { reel, from } of reels)
      if (Math.abs(reel.currentTime - from - time) > drift) reel.currentTime = from + time
  }
  const head: Playhead = {
    time: () => time,
    isPlaying: () => playing,
    seek(next) {
      time = clamped(next)
      align()
      onTime(time)
    },
    play(isPlaying) {
      if (isPlaying && time >= durationS) head.seek(0)
      playing = isPlaying
      for (const { reel } of reels) {
        if (!isPlaying) reel.pause()
        // A browser may refuse, or the video may be gone: then the clock continues without it.
        else void reel.play().catch(() => undefined)
      }
      onTime(time)
    },
    setSpeed(next) {
      speed = next
      for (const { reel } of reels) reel.playbackRate = Math.min(next, MOST_REEL_SPEED)
    },
    setLoop(next) {
      isLoop = next
    },
    tick(elapsedMs) {
      if (!playing) return
      const leads = (reel: Reel) => speed <= MOST_REEL_SPEED && !reel.paused && reel.readyState >= 2
      const leader = reels.find(({ reel }) => leads(reel))
      const led = leader ? leader.reel.currentTime - leader.from : time + (speed * elapsedMs) / 1000
      // A leader that has just sought may be a frame behind.
      time = clamped(leader && Math.abs(led - time) > Math.max(1, speed) ? time : led)
      align()
      if (time < durationS) onTime(time)
      // An episode of one frame has no time to play again.
      else head.play(isLoop && durationS > 0)
    },
  }
  return head
}
