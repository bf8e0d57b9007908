/** The episodes around the shown one, to choose from. */
import { button } from '../viewer/panels/choices.ts'
import { element } from '../viewer/panels/element.ts'
import type { Dataset } from './dataset.ts'

/** Around the shown episode so many are listed. */
const LISTED = 50

/** `show(at)`: the place of the shown one. `onChoose`: an episode's index in the dataset. */
export function episodeIndex({ episodes, info: { fps } }: Dataset, onChoose: (episode: number) => void) {
  const node = element('ol', { class: 'episode-list', 'aria-label': 'Episodes' })
  return {
    node,
    show(at: number) {
      const first = Math.max(0, Math.min(at - LISTED / 2, episodes.length - LISTED))
      node.setAttribute('start', String(first))
      node.replaceChildren(
        ...episodes.slice(first, first + LISTED).map(({ index, length, tasks }, offset) => {
          const seconds = length === null ? '' : `${(length / fps).toFixed(1)} s`
          const made = button(`${index}`, () => onChoose(index))
          made.className = ''
          made.append(element('span', {}, [seconds, tasks[0] ?? ''].filter((part) => part !== '').join(' · ')))
          if (first + offset === at) made.setAttribute('aria-current', 'true')
          return element('li', {}, made)
        }),
      )
    },
  }
}
