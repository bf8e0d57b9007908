/**
 * One box that finds repos, runs, people and pages. The hub is asked once the person pauses; runs, and the people of
 * the person's orgs, are read once, when it opens, and found among them here. Arrows choose, Enter goes, Escape closes.
 */
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useReading } from '../../ui/use-reading.ts'
import { useSettled } from '../../ui/use-settled.ts'
import { useSession } from '../session.tsx'
import { answersOf, once, pagesFor, peopleFor, runsFor, variablesFor } from './found.ts'
import './palette.css'
import { palettePeopleQuery, paletteQuery, paletteRunsQuery } from './palette.graphql.ts'

const PAUSE_MS = 200

interface Props {
  readonly close: () => void
  /** What was typed before the box was there. */
  readonly takeTyped: () => string
}

export function Palette({ close, takeTyped }: Props) {
  const [, go] = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  // By its page: answers that come later move the others.
  const [chosen, setChosen] = useState<string | null>(null)
  const list = useId()
  useLayoutEffect(() => {
    dialog.current?.showModal()
    setText((before) => before + takeTyped())
  }, [takeTyped])
  const { found, isAsking } = useFound(text)
  const at = Math.max(
    0,
    found.findIndex(({ path }) => path === chosen),
  )
  const open = (place: number) => {
    const one = found[place]
    if (!one) return
    close()
    go(one.path)
  }
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen(found.at((at + step) % found.length)?.path ?? null)
    else if (event.key === 'Enter') open(at)
    // The browser's own would empty the box first.
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Search" onClose={close}>
      <input
        type="search"
        role="combobox"
        aria-label="Search repos, runs, people and pages"
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${at}` : undefined}
        placeholder="Repos, runs, people and pages"
        maxLength={128}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(null)
        }}
        onKeyDown={pressed}
      />
      <div id={list} role="listbox" aria-label="Found" className="palette-list">
        {found.map(({ path, title, about }, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box
          <div
            key={path}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === at}
            className="palette-option"
            onClick={() => open(place)}
          >
            <span>{title}</span> <span className="dim small">{about}</span>
          </div>
        ))}
      </div>
      <p className="dim small palette-state" role="status">
        {isAsking
          ? 'Searching…'
          : found.length === 0
            ? 'Nothing found. Try a part of the name, or the whole handle of someone outside your organizations.'
            : 'Arrows choose, Enter opens, Escape closes.'}
      </p>
    </dialog>
  )
}

/** What there is to go to for a text; `isAsking` while the hub has not answered for it. */
function useFound(text: string) {
  const { viewer } = useSession()
  const variables = useMemo(() => variablesFor(text), [text])
  const settled = useSettled(variables, PAUSE_MS)
  const [answer] = useReading({ query: paletteQuery, variables: settled, pause: settled.q === '' })
  const [runs] = useReading({ query: paletteRunsQuery, pause: !viewer })
  const [people] = useReading({ query: palettePeopleQuery, pause: !viewer })
  const { q } = variables
  const isAsking = q !== '' && (q !== settled.q || answer.fetching)
  const found = once([
    ...pagesFor(q, viewer !== null),
    ...(q !== '' && q === settled.q && answer.data ? answersOf(answer.data) : []),
    ...peopleFor(q, people.data?.viewer ?? null),
    ...runsFor(q, runs.data?.runs ?? null),
  ])
  return { found, isAsking }
}
