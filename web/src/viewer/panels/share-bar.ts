/** What a person takes away of what is shown: a link to it, a line for a README, a still and a video of the robot. */
import { button } from './choices.ts'
import { element } from './element.ts'

export interface ShareOptions {
  /** The whole address of what is shown. */
  readonly link: () => URL
  /** What is shown, in a few words; also the name of a still. */
  readonly title: () => string
  /** The picture of the robot; null where there is none. */
  readonly still: () => Promise<Blob | null>
  /**
   * Plays what is shown and records the robot; null where there is none. Rejects in words. Left out where nothing can
   * play.
   */
  readonly film?: () => Promise<{ readonly blob: Blob; readonly ending: string } | null>
}

const NO_ROBOT = 'There is no robot to take a picture of: choose one.'

export function shareBar({ link, title, still, film }: ShareOptions): HTMLElement {
  const told = element('span', { role: 'status' })
  const copy = async (text: string, done: string) => {
    told.textContent = await navigator.clipboard.writeText(text).then(
      () => done,
      () => 'The browser does not allow copying here.',
    )
  }
  const save = (blob: Blob, name: string, ending: string) => {
    const address = URL.createObjectURL(blob)
    element('a', { href: address, download: `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.${ending}` }).click()
    URL.revokeObjectURL(address)
    told.textContent = 'Saved.'
  }
  const saveStill = async () => {
    const blob = await still()
    if (blob) save(blob, title(), 'png')
    else told.textContent = NO_ROBOT
  }
  const saveFilm = async (toFilm: HTMLButtonElement) => {
    if (!film) return
    toFilm.disabled = true
    told.textContent = 'Recording: it plays once.'
    const name = title().replace(/, frame \d+$/, '')
    await film().then(
      (made) => {
        if (made) save(made.blob, name, made.ending)
        else told.textContent = NO_ROBOT
      },
      (error: unknown) => {
        told.textContent = error instanceof Error ? error.message : String(error)
      },
    )
    toFilm.disabled = false
  }
  const copyLine = () => {
    const address = link()
    address.searchParams.set('embed', '1')
    void copy(`[${title()}](${address.href})`, 'A line for a README of this hub is copied: it is shown there.')
  }
  const toFilm = button('Save video', () => void saveFilm(toFilm))
  return element(
    'div',
    { class: 'viewer-toolbar', role: 'group', 'aria-label': 'Share' },
    button('Copy link', () => void copy(link().href, 'The link is copied: it opens what you see.')),
    button('Copy for a README', copyLine),
    button('Save picture', () => void saveStill()),
    ...(film ? [toFilm] : []),
    told,
  )
}
