/** What stands in or over the picture of a robot: its loading, its problem, and the buttons in its corner. */
import { bytes } from '../ui/format.ts'
import { button } from './panels/choices.ts'
import { element } from './panels/element.ts'
import type { Problem, Stage } from './protocol.ts'
import type { RobotViewer } from './viewer-face.ts'
import type { Loading } from './viewer-state.ts'

const stageNames: Readonly<Record<Stage, string>> = {
  engine: 'Loading MuJoCo',
  model: 'Reading the model',
  files: 'Downloading its files',
  compile: 'Compiling the model',
}

/** How far a robot is loaded. */
export function progressNode({ stage, doneBytes, totalBytes }: Loading): HTMLElement {
  const isThere = stage === 'engine' && totalBytes > 0 && doneBytes >= totalBytes
  const text = isThere ? 'Starting MuJoCo' : stageNames[stage]
  const bar = element('progress', { 'aria-label': text, max: 1 })
  // The engine's bytes are not known before the first ones come, and a model is read until no file is missing.
  const isCounted = stage === 'files' || (stage === 'engine' && totalBytes > 0 && !isThere)
  if (isCounted && totalBytes > 0) bar.value = doneBytes / totalBytes
  const size = isCounted ? ` (${bytes(doneBytes)} of ${bytes(totalBytes)})` : ''
  return element('div', { class: 'viewer-progress' }, element('p', {}, `${text}${size}`), bar)
}

/** Why there is no robot. */
export function problemNode({ title, details, fix }: Problem): HTMLElement {
  return element(
    'div',
    { class: 'viewer-problem', role: 'alert' },
    element('h2', {}, title),
    ...(details.length === 0 ? [] : [element('ul', {}, ...details.map((one) => element('li', {}, one)))]),
    element('p', {}, fix),
  )
}

/** Buttons in the corner of the picture. `signal`: the model is closed. */
export function stageButtons(place: HTMLElement, viewer: RobotViewer, signal: AbortSignal): HTMLElement {
  const whole = button('Full screen', () => {
    if (document.fullscreenElement === place) void document.exitFullscreen()
    // A browser may refuse; then nothing has changed.
    else void place.requestFullscreen().catch(() => undefined)
  })
  whole.hidden = !document.fullscreenEnabled
  const told = () => {
    whole.textContent = document.fullscreenElement === place ? 'Leave full screen' : 'Full screen'
  }
  // The place stays for the next model.
  place.addEventListener('fullscreenchange', told, { signal })
  told()
  const follow = button('Follow', () => viewer.follow(follow.getAttribute('aria-pressed') !== 'true'))
  const showFollow = () => {
    const state = viewer.state()
    const follows = state.phase === 'ready' ? state.follows : null
    follow.hidden = follows === null
    follow.setAttribute('aria-pressed', String(follows))
  }
  viewer.subscribe(showFollow)
  showFollow()
  return element(
    'div',
    { class: 'viewer-corner' },
    follow,
    button('Reset view', () => viewer.resetView()),
    whole,
  )
}
