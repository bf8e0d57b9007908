/** Recorded motions beside each other, on one time line. */

import type { ThemeName } from '@hub/robot-view/scene/theme'
import { frameNear } from '../../../episodes/episode-curves.ts'
import { playhead } from '../../../episodes/playhead.ts'
import { type RobotStage, robotStage } from '../../../episodes/replay/robot-stage.ts'
import { tickerOf } from '../../../episodes/ticker.ts'
import { transport } from '../../../episodes/transport.ts'
import type { KeptMotion } from './kept-motion.ts'

export interface MotionPlayer {
  readonly controls: HTMLElement
  /** A robot for each motion, in order. */
  readonly stages: readonly RobotStage[]
  close(): void
}

/** `onFault`: the robot at a place has another number of positions than its motion. */
export function motionPlayer(
  motions: readonly KeptMotion[],
  theme: ThemeName,
  onFault: (place: number) => void,
): MotionPlayer {
  const endOf = ({ motion: { times } }: KeptMotion) => times.at(-1) ?? 0
  const longest = motions.reduce((found, one) => (endOf(one) > endOf(found) ? one : found))
  const { times } = longest.motion
  const duration = endOf(longest)
  /** Places whose robot is open and has the positions of its motion. */
  const posed = new Set<number>()
  const show = (time: number) => {
    for (const [at, { motion }] of motions.entries()) {
      const frame = frameNear(motion.times, time)
      if (posed.has(at)) stages[at]?.pose({ frame, qpos: motion.qpos[frame] ?? [], ghost: null })
    }
    const text = `${time.toFixed(2)} of ${duration.toFixed(2)} s`
    controls.show(time, text, head.isPlaying())
    ticker.run()
  }
  const head = playhead(duration, [], show)
  const ticker = tickerOf(head)
  const controls = transport({
    duration,
    fps: duration > 0 ? times.length / duration : 1,
    speed: 1,
    loop: false,
    onPlay: () => head.play(!head.isPlaying()),
    onTime: head.seek,
    onStep(frames) {
      head.play(false)
      const to = frameNear(times, head.time()) + frames
      head.seek(times[Math.min(times.length - 1, Math.max(0, to))] ?? 0)
    },
    onSpeed: head.setSpeed,
    onLoop: head.setLoop,
  })
  const stages = motions.map(({ robot, entry, motion }, at) =>
    robotStage({
      repo: robot,
      entry,
      theme,
      onReady(_model, start) {
        if (start.length !== motion.qpos[0]?.length) return onFault(at)
        posed.add(at)
        show(head.time())
      },
    }),
  )
  head.seek(0)
  return {
    controls: controls.node,
    stages,
    close() {
      ticker.stop()
      head.play(false)
      for (const stage of stages) stage.close()
    },
  }
}
