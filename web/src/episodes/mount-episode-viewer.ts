/** The episodes of a dataset in an element of a page: a list to choose from, and the chosen one. */
import type { Episode } from '@hub/dataset/episode-list'
import { INFO_PATH } from '@hub/dataset/info'
import { button } from '../viewer/panels/choices.ts'
import { element, freshId } from '../viewer/panels/element.ts'
import { type Dataset, type DatasetFiles, openDataset } from './dataset.ts'
import { type EpisodeView, episodeView } from './episode-view.ts'

export interface MountedEpisodes {
  close(): void
}

/** Fills `container`. */
export function mountEpisodeViewer(container: HTMLElement, files: DatasetFiles): MountedEpisodes {
  const root = element('div', { class: 'episodes' }, element('p', { role: 'status' }, 'Reading the dataset…'))
  container.replaceChildren(root)
  let open: { close(): void } | null = null
  let closed = false
  openDataset(files).then(
    (dataset) => {
      if (closed) return
      if (dataset === null)
        root.replaceChildren(note(`The repo has no ${INFO_PATH}: episodes are shown of LeRobot datasets.`))
      else open = showDataset(root, dataset)
    },
    (error: unknown) => {
      if (!closed) root.replaceChildren(problem(error))
    },
  )
  return {
    close() {
      closed = true
      open?.close()
      root.remove()
    },
  }
}

const note = (text: string) => element('p', { class: 'episode-note' }, text)

const problem = (error: unknown) =>
  element('p', { class: 'viewer-problem', role: 'alert' }, error instanceof Error ? error.message : String(error))

/** Around the shown episode so many are listed. */
const LISTED = 50

function showDataset(root: HTMLElement, dataset: Dataset): { close(): void } {
  const { episodes, info } = dataset
  const place = element('div', { class: 'episode-place' })
  const list = element('ol', { class: 'episode-list', 'aria-label': 'Episodes' })
  const id = freshId()
  const input = element('input', {
    id,
    type: 'number',
    min: 0,
    max: Math.max(0, episodes.length - 1),
    step: 1,
    value: 0,
  })
  const status = element('p', { class: 'episode-note', role: 'status' })
  let view: EpisodeView | null = null
  let asked = 0

  const show = (at: number) => {
    const episode = episodes[at]
    if (!episode) return
    asked += 1
    const own = asked
    input.value = String(at)
    listAround({ list, episodes, at, fps: info.fps, show })
    status.textContent = `Loading episode ${episode.index}…`
    dataset.load(episode).then(
      (loaded) => {
        if (own !== asked) return
        view?.close()
        view = episodeView(loaded, info.fps)
        place.replaceChildren(view.node)
        const task = episode.tasks.length === 0 ? '' : `${episode.tasks.join('; ')} · `
        const megabytes = (dataset.bytes() / 1e6).toFixed(2)
        status.textContent = `${task}${loaded.curves.times.length} frames at ${info.fps} a second · ${megabytes} MB of tables read`
      },
      (error: unknown) => {
        if (own !== asked) return
        view?.close()
        view = null
        place.replaceChildren(problem(error))
        status.textContent = ''
      },
    )
  }
  input.addEventListener('change', () => show(Number(input.value)))
  const step = (by: number) => show(Math.min(episodes.length - 1, Math.max(0, Number(input.value) + by)))
  root.replaceChildren(
    element(
      'div',
      { class: 'viewer-toolbar', role: 'group', 'aria-label': 'Episode' },
      element('label', { for: id }, 'Episode'),
      input,
      element('span', {}, `of ${episodes.length}`),
      element(
        'span',
        { class: 'episode-steps' },
        button('Previous', () => step(-1)),
        button('Next', () => step(1)),
      ),
      element('span', { class: 'dim' }, `LeRobot ${info.version}`),
    ),
    status,
    element('div', { class: 'episode-main' }, place, list),
  )
  if (episodes.length === 0) status.textContent = 'The dataset has no episodes yet.'
  else show(0)
  return {
    close() {
      asked += 1
      view?.close()
    },
  }
}

function listAround({
  list,
  episodes,
  at,
  fps,
  show,
}: {
  readonly list: HTMLElement
  readonly episodes: readonly Episode[]
  readonly at: number
  readonly fps: number
  readonly show: (at: number) => void
}): void {
  const first = Math.max(0, Math.min(at - LISTED / 2, episodes.length - LISTED))
  list.setAttribute('start', String(first))
  list.replaceChildren(
    ...episodes.slice(first, first + LISTED).map(({ index, length, tasks }, offset) => {
      const seconds = length === null ? '' : `${(length / fps).toFixed(1)} s`
      const made = button(`${index}`, () => show(first + offset))
      made.className = ''
      made.append(element('span', {}, [seconds, tasks[0] ?? ''].filter((part) => part !== '').join(' · ')))
      if (first + offset === at) made.setAttribute('aria-current', 'true')
      return element('li', {}, made)
    }),
  )
}
