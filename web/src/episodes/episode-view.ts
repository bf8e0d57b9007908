/** One episode: its videos, its curves, and the one time that they share. */
import { button } from '../viewer/panels/choices.ts'
import { element, freshId } from '../viewer/panels/element.ts'
import { type CurveChart, curveChart } from './curve-chart.ts'
import type { LoadedEpisode } from './dataset.ts'
import { frameAt } from './episode-curves.ts'
import { playhead } from './playhead.ts'

export interface EpisodeView {
  readonly node: HTMLElement
  close(): void
}

/** `fps`: of the dataset; the arrow keys of the slider move by one frame. */
export function episodeView({ curves, videos, missing }: LoadedEpisode, fps: number): EpisodeView {
  const { times, features } = curves
  const duration = times.at(-1) ?? 0
  const reels = videos.map(reelOf)
  const id = freshId()
  const slider = element('input', { id, type: 'range', min: 0, max: duration, step: 1 / fps, value: 0 })
  const told = element('output', { for: id })
  const play = button('Play', () => head.play(!head.isPlaying()))
  const charts: CurveChart[] = []
  const show = (time: number) => {
    const text = `${time.toFixed(2)} of ${duration.toFixed(2)} s, frame ${times.length === 0 ? 0 : frameAt(times, time)}`
    slider.value = String(time)
    slider.setAttribute('aria-valuetext', text)
    told.textContent = text
    play.textContent = head.isPlaying() ? 'Pause' : 'Play'
    for (const chart of charts) chart.at(time)
    ticker.run()
  }
  const head = playhead(duration, reels, show)
  const ticker = tickerOf(head)
  for (const feature of features) charts.push(curveChart(feature, times, head.seek))
  slider.addEventListener('input', () => head.seek(Number(slider.value)))
  // A video that has its first frame may have been loaded after the playhead moved.
  for (const { reel } of reels) reel.addEventListener('loadedmetadata', () => head.seek(head.time()))

  const notes = [
    ...(features.length === 0 ? ['The episode has no states or actions to plot.'] : []),
    ...missing.map((path) => `${path} is not in the repo.`),
  ]
  const node = element(
    'div',
    { class: reels.length === 0 ? 'episode' : 'episode episode-filmed' },
    transportOf(id, play, slider, told),
    ...(reels.length === 0 ? [] : [element('div', { class: 'episode-videos' }, ...reels.map(({ figure }) => figure))]),
    element(
      'div',
      { class: 'episode-curves' },
      ...notes.map((note) => element('p', { class: 'episode-note' }, note)),
      ...charts.map((chart) => chart.node),
    ),
  )
  const sizes = new ResizeObserver(() => {
    for (const chart of charts) chart.resize()
    show(head.time())
  })
  sizes.observe(node)
  return {
    node,
    close() {
      ticker.stop()
      sizes.disconnect()
      head.play(false)
      for (const chart of charts) chart.close()
      for (const { reel } of reels) {
        // Ends its download.
        reel.removeAttribute('src')
        reel.load()
      }
      node.remove()
    },
  }
}

/** The video of one camera, with what is shown where the browser does not play it. */
function reelOf({ camera, url, from }: LoadedEpisode['videos'][number]) {
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
  return { reel, from, figure }
}

/** Moves the playhead with the frames of the browser while it plays. */
function tickerOf(head: ReturnType<typeof playhead>) {
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

/** Play, the time as a slider, and the time as text. */
function transportOf(id: string, play: HTMLElement, slider: HTMLElement, told: HTMLElement): HTMLElement {
  return element(
    'div',
    { class: 'episode-transport', role: 'group', 'aria-label': 'Playback' },
    play,
    element('label', { for: id }, 'Time'),
    slider,
    told,
  )
}
