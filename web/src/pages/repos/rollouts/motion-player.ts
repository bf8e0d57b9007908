/** Recorded motions beside each other, on one time line. */

import type { ThemeName } from '@hub/robot-view/scene/theme'
import { frameNear } from '../../../episodes/episode-curves.ts'
import { playThrough } from '../../../episodes/play-through.ts'
import { playhead } from '../../../episodes/playhead.ts'
import { type RobotStage, robotStage } from '../../../episodes/replay/robot-stage.ts'
import { tickerOf } from '../../../episodes/ticker.ts'
import { transport } from '../../../episodes/transport.ts'
import type { KeptMotion } from './kept-motion.ts'

export interface MotionPlayer {
  readonly controls: HTMLElement
  /** A robot for each motion, in order. */
  readonly stages: readonly RobotStage[]
  /** Of the longest motion. */
  frame(): number
  speed(): number
  /** Shows another frame of the longest motion. */
  go(frame: number): void
  /** Plays once from the first frame, for at most so many seconds of the clock. */
  playThrough(mostS: number): Promise<void>
  close(): void
}

interface PlayerOptions {
  readonly theme: ThemeName
  /** Where it begins, of the longest motion. */
  readonly frame: number
  readonly speed: number
  /** The robot at a place has another number of positions than its motion. */
  readonly onFault: (place: number) => void
  /** The time stands still at another frame, or the speed is another one. */
  readonly onRest: () => void
}

export function motionPlayer(
  motions: readonly KeptMotion[],
  { theme, frame: first, speed: given, onFault, onRest }: PlayerOptions,
): MotionPlayer {
  const endOf = ({ motion: { times } }: KeptMotion) => times.at(-1) ?? 0
  const longest = motions.reduce((found, one) => (endOf(one) > endOf(found) ? one : found))
  const { times } = longest.motion
  const duration = endOf(longest)
  const robots = motionRobots(motions, { theme, onFault, onReady: () => show(head.time()) })
  let speed = given
  let loops = false
  const show = (time: number) => {
    robots.pose(time)
    const text = `${time.toFixed(2)} of ${duration.toFixed(2)} s`
    controls.show(time, text, head.isPlaying())
    ticker.run()
    if (head.isPlaying()) return
    through.rest()
    onRest()
  }
  const head = playhead(duration, [], show)
  const ticker = tickerOf(head)
  const toFrame = (frame: number) => head.seek(times[Math.min(times.length - 1, Math.max(0, frame))] ?? 0)
  const through = playThrough(
    head,
    () => toFrame(0),
    () => loops,
  )
  const controls = transport({
    duration,
    fps: duration > 0 ? times.length / duration : 1,
    speed,
    loop: false,
    onPlay: () => head.play(!head.isPlaying()),
    onTime: head.seek,
    onStep(frames) {
      head.play(false)
      toFrame(frameNear(times, head.time()) + frames)
    },
    onSpeed(next) {
      speed = next
      head.setSpeed(next)
      onRest()
    },
    onLoop(isLoop) {
      loops = isLoop
      head.setLoop(isLoop)
    },
  })
  head.setSpeed(speed)
  toFrame(first)
  return {
    controls: controls.node,
    stages: robots.stages,
    frame: () => frameNear(times, head.time()),
    speed: () => speed,
    go(frame) {
      head.play(false)
      toFrame(frame)
    },
    playThrough: through.play,
    close() {
      ticker.stop()
      through.rest()
      head.play(false)
      for (const stage of robots.stages) stage.close()
    },
  }
}

interface RobotsOptions extends Pick<PlayerOptions, 'theme' | 'onFault'> {
  /** One more robot can be posed. */
  readonly onReady: () => void
}

/** The robots of motions, each posed as its motion is at a time. */
function motionRobots(motions: readonly KeptMotion[], { theme, onFault, onReady }: RobotsOptions) {
  /** Places whose robot is open and has the positions of its motion. */
  const posed = new Set<number>()
  const stages = motions.map(({ robot, entry, motion }, at) =>
    robotStage({
      repo: robot,
      entry,
      theme,
      onReady(_model, start) {
        if (start.length !== motion.qpos[0]?.length) return onFault(at)
        posed.add(at)
        onReady()
      },
    }),
  )
  return {
    stages,
    /** Robots that are not open yet are left out. */
    pose(time: number) {
      for (const [at, { motion }] of motions.entries()) {
        const frame = frameNear(motion.times, time)
        const frames = motion.times.length
        if (posed.has(at)) stages[at]?.pose({ frame, frames, qpos: motion.qpos[frame] ?? [], ghost: null })
      }
    },
  }
}
