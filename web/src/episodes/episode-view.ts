/** One episode, or two beside each other: robots, videos and curves, and the one time that they share. */
import { element } from '../viewer/panels/element.ts'
import { frameNear } from './episode-curves.ts'
import { type EpisodeLane, episodeLane, type ShownEpisode } from './episode-lane.ts'
import { playThrough } from './play-through.ts'
import { playhead } from './playhead.ts'
import { tickerOf } from './ticker.ts'
import { transport } from './transport.ts'

export interface EpisodeView {
  readonly node: HTMLElement
  /** Of the first episode. */
  frame(): number
  isPlaying(): boolean
  /** Plays from the first frame to the last, or for so many seconds of the clock; a person may stop it before. */
  playThrough(mostS: number): Promise<void>
  close(): void
}

export interface EpisodeViewOptions {
  /** Of the dataset. */
  readonly fps: number
  /** The frame of the first episode that is shown first. */
  readonly frame: number
  readonly speed: number
  readonly loop: boolean
  /** A person chose how it plays. */
  onPace(part: { readonly speed: number } | { readonly loop: boolean }): void
  /** The time stands still at another frame. */
  onRest(): void
}

/** Times are those of frames, unless it plays. */
export function episodeView(shown: readonly ShownEpisode[], options: EpisodeViewOptions): EpisodeView {
  const { fps } = options
  const lanes: EpisodeLane[] = shown.map((one) => episodeLane(one, fps, (time) => toTime(time)))
  const times = lanes.map((lane) => lane.times).toSorted((a, b) => b.length - a.length)[0] ?? new Float64Array()
  const duration = Math.max(0, ...lanes.map((lane) => lane.times.at(-1) ?? 0))
  const reels = lanes.flatMap((lane) => lane.reels)
  const show = (time: number) => {
    for (const lane of lanes) lane.at(time)
    const text = `${time.toFixed(2)} of ${duration.toFixed(2)} s, frame ${lanes[0]?.frame() ?? 0}`
    controls.show(time, text, head.isPlaying())
    ticker.run()
    if (head.isPlaying()) return
    options.onRest()
    through.rest()
  }
  let loops = options.loop
  const head = playhead(duration, reels, show)
  const ticker = tickerOf(head)
  const toFrame = (frame: number) => head.seek(times[Math.min(times.length - 1, Math.max(0, frame))] ?? 0)
  const toTime = (time: number) => toFrame(frameNear(times, time))
  const through = playThrough(
    head,
    () => toFrame(0),
    () => loops,
  )
  const controls = transport({
    ...options,
    duration,
    onPlay: () => {
      head.play(!head.isPlaying())
      if (!head.isPlaying()) toTime(head.time())
    },
    onTime: toTime,
    onStep(frames) {
      if (head.isPlaying()) head.play(false)
      toFrame(frameNear(times, head.time()) + frames)
    },
    onSpeed(speed) {
      head.setSpeed(speed)
      options.onPace({ speed })
    },
    onLoop(isLoop) {
      loops = isLoop
      head.setLoop(isLoop)
      options.onPace({ loop: isLoop })
    },
  })
  head.setSpeed(options.speed)
  head.setLoop(options.loop)
  // A video that has its first frame may have been loaded after the playhead moved.
  for (const { reel } of reels) reel.addEventListener('loadedmetadata', () => head.seek(head.time()))
  const node = element(
    'div',
    { class: lanes.length > 1 ? 'episode episode-beside' : 'episode episode-alone' },
    controls.node,
    element('div', { class: 'episode-lanes' }, ...lanes.map((lane) => lane.node)),
  )
  const sizes = new ResizeObserver(() => {
    for (const lane of lanes) lane.resize()
    show(head.time())
  })
  sizes.observe(node)
  toFrame(options.frame)
  return {
    node,
    frame: () => lanes[0]?.frame() ?? 0,
    isPlaying: head.isPlaying,
    playThrough: through.play,
    close() {
      ticker.stop()
      through.rest()
      sizes.disconnect()
      head.play(false)
      for (const lane of lanes) lane.close()
      node.remove()
    },
  }
}
