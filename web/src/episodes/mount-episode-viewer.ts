/** The episodes of a dataset in an element of a page: a list to choose from, and the chosen one. */
import { INFO_PATH } from '@hub/dataset/info'
import { element } from '../viewer/panels/element.ts'
import type { EpisodeOptions, MountedEpisodes } from './episode-options.ts'
import { openEpisodes } from './open-episodes.ts'
import { problemNote, showDataset } from './show-dataset.ts'

/** Fills `container`. */
export function mountEpisodeViewer(container: HTMLElement, options: EpisodeOptions): MountedEpisodes {
  const root = element('div', { class: 'episodes' })
  container.replaceChildren(root)
  let open: MountedEpisodes | null = null
  let closed = false
  let { search } = options
  const read = () => {
    root.replaceChildren(element('p', { role: 'status' }, 'Reading the dataset…'))
    openEpisodes(options.files).then(
      (dataset) => {
        if (closed) return
        if (dataset === null)
          root.replaceChildren(
            note(`The repo has no ${INFO_PATH} and no .mcap file: episodes of LeRobot and of MCAP are shown.`),
          )
        else open = showDataset(root, dataset, { ...options, search })
      },
      (error: unknown) => {
        if (!closed) root.replaceChildren(problemNote(error, read))
      },
    )
  }
  read()
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
