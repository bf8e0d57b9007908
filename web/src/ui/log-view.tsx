/**
 * A log that grows: only the lines in view are in the document, colors are those of the terminal, and the end is
 * followed until one scrolls up.
 */
import './log-view.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import Anser from 'anser'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { count } from './format.ts'
import { type LogLines, noSearch, searched } from './log-lines.ts'
import { ErrorNotice } from './states.tsx'
import { useToast } from './toast.tsx'

const LINE_PX = 20
/** Within this of the end, new lines keep the end in view. */
const NEAR_PX = 40

interface Props {
  readonly label: string
  readonly log: LogLines
  readonly error: CombinedError | undefined
  /** Where the whole log is downloaded. */
  readonly download: string
}

/** Without its escape sequences. */
const plain = (text: string) => (text.includes('\u001b') ? Anser.ansiToText(text) : text)

export function LogView({ label, log, error, download }: Props) {
  const [search, setSearch] = useState('')
  const [follows, setFollows] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  const before = useRef(noSearch)
  const found = useMemo(() => {
    if (search === '') return null
    before.current = searched(before.current, log, search, plain)
    return before.current.found
  }, [log, search])
  const shown = found?.length ?? log.lines.length
  const rows = useVirtualizer({
    count: shown,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  })
  useEffect(() => {
    if (follows && shown > 0) rows.scrollToIndex(shown - 1, { align: 'end' })
  }, [follows, shown, log.first, rows])
  const scrolled = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    setFollows(scrollHeight - scrollTop - clientHeight < NEAR_PX)
  }
  const numberOf = (index: number) => found?.[index] ?? log.first + index
  const textOf = (number: number) => log.lines[number - log.first]?.text ?? ''
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} />}
      <div className="row spread">
        <span className="row">
          <input
            type="search"
            aria-label={`Search in ${label}`}
            placeholder="Filter lines"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          <span className="dim small" aria-live="polite">
            {found && `${count(found.length)} of ${count(log.lines.length)} lines`}
          </span>
        </span>
        <span className="row">
          {!follows && (
            <button type="button" className="button small" onClick={() => setFollows(true)}>
              To the end
            </button>
          )}
          <CopyLines
            text={() => Array.from({ length: shown }, (_, index) => plain(textOf(numberOf(index)))).join('\n')}
          />
          <a className="button small" href={download}>
            Download
          </a>
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a log scrolls by keyboard */}
      <section className="log" aria-label={label} tabIndex={0} ref={box} onScroll={scrolled}>
        <div className="log-lines" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const number = numberOf(index)
            const line = log.lines[number - log.first]
            return line ? (
              <div key={number} className="log-line" style={{ transform: `translateY(${start}px)` }}>
                <span className="log-number" aria-hidden="true">
                  {line.mark || number}
                </span>
                <Colored text={line.text} />
              </div>
            ) : null
          })}
        </div>
        {shown === 0 && <p className="log-empty">{search ? 'No line matches.' : 'No line yet.'}</p>}
      </section>
    </div>
  )
}

function CopyLines({ text }: { readonly text: () => string }) {
  const toast = useToast()
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => toast('Copied the lines that are shown.'),
      () => toast('Your browser does not allow copying here.'),
    )
  return (
    <button type="button" className="button small" onClick={copy}>
      Copy
    </button>
  )
}

/** Text with the colors of its ANSI escape sequences, as classes: the page allows no markup of a log. */
const Colored = memo(function Colored({ text }: { readonly text: string }) {
  if (!text.includes('\u001b')) return <span>{text}</span>
  return (
    <span>
      {Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(
        ({ content, fg, bg, decorations }, index) => {
          const className = [fg, bg && `${bg}-bg`, ...decorations].filter(Boolean).join(' ')
          return className ? (
            <span key={index} className={className}>
              {content}
            </span>
          ) : (
            content
          )
        },
      )}
    </span>
  )
})
