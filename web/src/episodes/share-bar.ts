/** What a person takes away of what is shown: a link to it, a line for a README, and a still of the robot. */
import { button } from '../viewer/panels/choices.ts'
import { element } from '../viewer/panels/element.ts'

export interface ShareOptions {
  /** The whole address of what is shown. */
  readonly link: () => URL
  /** What is shown, in a few words; also the name of a still. */
  readonly title: () => string
  /** The picture of the robot; null where there is none. */
  readonly still: () => Promise<Blob | null>
}

export function shareBar({ link, title, still }: ShareOptions): HTMLElement {
  const told = element('span', { role: 'status' })
  const copy = async (text: string, done: string) => {
    told.textContent = await navigator.clipboard.writeText(text).then(
      () => done,
      () => 'The browser does not allow copying here.',
    )
  }
  const save = async () => {
    const blob = await still()
    if (blob === null) {
      told.textContent = 'There is no robot to take a picture of: choose one.'
      return
    }
    const address = URL.createObjectURL(blob)
    element('a', { href: address, download: `${title().replaceAll(/[^a-z0-9]+/gi, '-')}.png` }).click()
    URL.revokeObjectURL(address)
    told.textContent = 'Saved.'
  }
  return element(
    'div',
    { class: 'viewer-toolbar', role: 'group', 'aria-label': 'Share' },
    button('Copy link', () => void copy(link().href, 'The link is copied: it opens what you see.')),
    button('Copy for a README', () => {
      const address = link()
      address.searchParams.set('embed', '1')
      void copy(`[${title()}](${address.href})`, 'A line for a README of this hub is copied: it plays there.')
    }),
    button('Save picture', () => void save()),
    told,
  )
}
