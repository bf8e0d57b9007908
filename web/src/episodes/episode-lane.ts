/** One episode in a view: its robot, its videos and its curves, at a time that is given. */
import { element } from '../viewer/panels/element.ts'
import { type CurveChart, curveChart } from './curve-chart.ts'
import type { LoadedEpisode } from './dataset.ts'
import { frameAt } from './episode-curves.ts'
import { pictureReel } from './picture-reel.ts'

/** An episode that is shown. */
export interface ShownEpisode {
  readonly loaded: LoadedEpisode
  /** Of each of several. */
  readonly title: string | null
  /** Its robot, and what belongs to it. */
  readonly robot: readonly HTMLElement[]
  /** Another frame is shown. */
  onFrame(frame: number): void
}

export interface EpisodeLane {
  readonly node: HTMLElement
  readonly times: Float64Array
  readonly reels: readonly { readonly reel: HTMLVideoElement; readonly from: number }[]
  at(time: number): void
  /** The frame that is shown. */
  frame(): number
  resize(): void
  close(): void
}

/** A video is put to the middle of a frame: at its border rounding would decide which of two is seen. */
const WITHIN_FRAME = 0.25

/** `onSeek`: a time that the person pointed at. */
export function episodeLane(shown: ShownEpisode, fps: number, onSeek: (time: number) => void): EpisodeLane {
  const { curves, videos, missing, pictures } = shown.loaded
  const { times, features } = curves
  const reels = videos.map((video) => reelOf(video, fps))
  const shots = pictures.map(pictureReel)
  const charts: CurveChart[] = features.map((feature) => curveChart(feature, times, onSeek, shown.title))
  const notes = [
    ...(features.length === 0 ? ['The episode has no states or actions to plot.'] : []),
    ...missing.map((path) => `${path} is not in the repo.`),
    ...shown.loaded.notes,
  ]
  const figures = [...reels.map(({ figure }) => figure), ...shots.map(({ node }) => node)]
  const films = figures.length === 0 ? [] : [element('div', { class: 'episode-videos' }, ...figures)]
  const title = shown.title === null ? [] : [element('h2', { class: 'episode-title' }, shown.title)]
  const node = element(
    'div',
    { class: 'episode-lane' },
    ...title,
    element('div', { class: 'episode-sight' }, ...shown.robot, ...films),
    element(
      'div',
      { class: 'episode-curves' },
      ...notes.map((note) => element('p', { class: 'episode-note' }, note)),
      ...charts.map((chart) => chart.node),
    ),
  )
  let frame = -1
  return {
    node,
    times,
    reels,
    at(time) {
      for (const part of [...charts, ...shots]) part.at(time)
      const next = times.length === 0 ? 0 : frameAt(times, time)
      if (next === frame) return
      frame = next
      shown.onFrame(frame)
    },
    frame: () => Math.max(0, frame),
    resize() {
      for (const chart of charts) chart.resize()
    },
    close() {
      for (const part of [...charts, ...shots]) part.close()
      for (const { reel } of reels) {
        // Ends its download.
        reel.removeAttribute('src')
        reel.load()
      }
    },
  }
}

/** The video of one camera, with what is shown where the browser does not play it. */
function reelOf({ camera, url, from }: LoadedEpisode['videos'][number], fps: number) {
  const reel = element('video', {
    src: url,
    preload: 'auto',
    muted: true,
    playsinline: true,
    'aria-label': `Video of ${camera}`,
  })
  reel.muted = true
  reel.addEventListener('error', () => figure.classList.add('episode-broken'))
  const figure = element(
    'figure',
    {},
    reel,
    element('figcaption', {}, camera),
    element('p', { class: 'episode-unplayable' }, 'The browser does not play this video. Its codec may be missing.'),
  )
  return { reel, from: from + WITHIN_FRAME / fps, figure }
}
