/** Which episode is shown, and which one beside it. */
import { button } from '../viewer/panels/choices.ts'
import { element, freshId } from '../viewer/panels/element.ts'
import type { Dataset } from './dataset.ts'

export interface EpisodeBar {
  readonly nodes: readonly HTMLElement[]
  show(shown: { readonly episode: number; readonly beside: number | null }): void
  tell(text: string): void
}

/** Episodes are given by their index in the dataset. */
export function episodeBar(
  { episodes, info }: Dataset,
  hear: { onEpisode(episode: number): void; onBeside(episode: number | null): void },
): EpisodeBar {
  const [id, besideId] = [freshId(), freshId()]
  const last = episodes.at(-1)?.index ?? 0
  const number = { type: 'number', min: 0, max: last, step: 1 } as const
  const input = element('input', { id, ...number, value: 0 })
  const beside = element('input', { id: besideId, ...number, placeholder: '–' })
  const status = element('p', { class: 'episode-note', role: 'status' })
  const step = (by: number) => {
    const at = episodes.findIndex(({ index }) => index === Number(input.value))
    const next = episodes[Math.min(episodes.length - 1, Math.max(0, at + by))]
    if (next) hear.onEpisode(next.index)
  }
  input.addEventListener('change', () => hear.onEpisode(Number(input.value)))
  beside.addEventListener('change', () => hear.onBeside(beside.value === '' ? null : Number(beside.value)))
  return {
    nodes: [
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
        element('label', { for: besideId }, 'Beside it'),
        beside,
        element('span', { class: 'dim' }, info.form),
      ),
      status,
    ],
    show(shown) {
      input.value = String(shown.episode)
      beside.value = shown.beside === null ? '' : String(shown.beside)
    },
    tell(text) {
      status.textContent = text
    },
  }
}
