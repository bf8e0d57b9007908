/** The episodes of a dataset in an element of a page: a list to choose from, and the chosen one. */
import { INFO_PATH } from '@hub/dataset/info'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { element } from '../viewer/panels/element.ts'
import { type DatasetFiles, openDataset } from './dataset.ts'
import type { ReplayRobots } from './replay/robot-replay.ts'
import { problemNote, showDataset } from './show-dataset.ts'

export interface MountedEpisodes {
  /** The address of the page has changed, by a link or by "back". */
  go(search: string): void
  close(): void
}

export interface EpisodeOptions {
  readonly files: DatasetFiles
  readonly robots: ReplayRobots
  /** The page of these episodes: its repo, `owner/slug`, and its address without a query. */
  readonly page: { readonly name: string; readonly address: string }
  /** In a README: only what moves. */
  readonly isEmbedded: boolean
  readonly theme: ThemeName
  /** The query of the page's address. */
  readonly search: string
  /** Keeps what is looked at in the address of the page. */
  onAddress(search: string): void
}

/** Fills `container`. */
export function mountEpisodeViewer(container: HTMLElement, options: EpisodeOptions): MountedEpisodes {
  const root = element('div', { class: 'episodes' }, element('p', { role: 'status' }, 'Reading the dataset…'))
  container.replaceChildren(root)
  let open: MountedEpisodes | null = null
  let closed = false
  let { search } = options
  openDataset(options.files).then(
    (dataset) => {
      if (closed) return
      if (dataset === null)
        root.replaceChildren(note(`The repo has no ${INFO_PATH}: episodes are shown of LeRobot datasets.`))
      else open = showDataset(root, dataset, { ...options, search })
    },
    (error: unknown) => {
      if (!closed) root.replaceChildren(problemNote(error))
    },
  )
  return {
    go(next) {
      search = next
      open?.go(next)
    },
    close() {
      closed = true
      open?.close()
      root.remove()
    },
  }
}

const note = (text: string) => element('p', { class: 'episode-note' }, text)
