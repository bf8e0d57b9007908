/** The changed lines of a text, side by side or one below the other. Signs and words say what the colors do. */
import './diff.css'
import { withHiddenShown } from '@hub/text/hidden-characters'
import { Fragment, type ReactNode, useState, useSyncExternalStore } from 'react'
import { count, counted } from '../../../ui/format.ts'
import type { DiffLine, DiffRow, TextDiff } from './text-diff.ts'

/** Rows that a page shows at first: each is some ten elements. */
const MOST_ROWS = 1000

const narrow = '(max-width: 900px)'
const watchWidth = (changed: () => void) => {
  const list = matchMedia(narrow)
  list.addEventListener('change', changed)
  return () => list.removeEventListener('change', changed)
}
const useIsNarrow = () => useSyncExternalStore(watchWidth, () => matchMedia(narrow).matches)

interface Props {
  readonly path: string
  readonly diff: TextDiff
}

export function DiffTable({ path, diff }: Props) {
  const isNarrow = useIsNarrow()
  const [isUnified, setUnified] = useState(false)
  const [most, setMost] = useState(MOST_ROWS)
  const isOneColumn = isNarrow || isUnified
  const hunks = firstRows(diff, most)
  const total = diff.hunks.reduce((sum, { rows }) => sum + rows.length, 0)
  if (total === 0) return <p className="dim">The text is the same.</p>
  return (
    <>
      <div className="row spread small">
        <span>
          <span className="change-added">+{counted(diff.added, 'line')}</span>{' '}
          <span className="change-removed">−{counted(diff.removed, 'line')}</span>
        </span>
        {!isNarrow && (
          <button
            type="button"
            className="button small"
            aria-pressed={isUnified}
            onClick={() => setUnified((before) => !before)}
          >
            One column
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <section className="diff-wrap" tabIndex={0} aria-label={`Changed lines of ${path}`}>
        <table className={isOneColumn ? 'diff' : 'diff diff-sides'}>
          {!isOneColumn && (
            <colgroup>
              <col className="diff-number" />
              <col />
              <col className="diff-number" />
              <col />
            </colgroup>
          )}
          <thead className="visually-hidden">
            <tr>
              <th>Line before</th>
              {!isOneColumn && <th>Text before</th>}
              <th>Line after</th>
              <th>{isOneColumn ? 'Text' : 'Text after'}</th>
            </tr>
          </thead>
          <tbody>
            {hunks.map((rows, at) => (
              <Fragment key={at}>
                <tr className="diff-gap">
                  <td colSpan={isOneColumn ? 3 : 4}>{placeOf(rows)}</td>
                </tr>
                {isOneColumn ? unified(rows) : rows.map((row) => <Sides key={keyOf(row)} row={row} />)}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
      {total > most && (
        <button type="button" className="button" onClick={() => setMost((before) => before + MOST_ROWS)}>
          Show more of {count(total)} rows
        </button>
      )}
    </>
  )
}

function firstRows({ hunks }: TextDiff, most: number): (readonly DiffRow[])[] {
  let left = most
  return hunks.flatMap(({ rows }) => {
    const shown = rows.slice(0, left)
    left -= shown.length
    return shown.length > 0 ? [shown] : []
  })
}

const keyOf = ({ before, after }: DiffRow) => `${before?.number ?? ''}:${after?.number ?? ''}`

function placeOf(rows: readonly DiffRow[]): string {
  const first = rows.find(({ after }) => after)?.after ?? rows[0]?.before
  return first ? `From line ${count(first.number)}` : ''
}

function Sides({ row: { isSame, before, after } }: { readonly row: DiffRow }) {
  return (
    <tr>
      <Cells line={before} sign={isSame ? ' ' : '-'} />
      <Cells line={after} sign={isSame ? ' ' : '+'} />
    </tr>
  )
}

const tones = { ' ': '', '-': 'diff-removed', '+': 'diff-added' } as const
type Sign = keyof typeof tones

function Cells({ line, sign }: { readonly line: DiffLine | null; readonly sign: Sign }) {
  if (!line)
    return (
      <>
        <td className="diff-number diff-none" />
        <td className="diff-none" />
      </>
    )
  return (
    <>
      <td className="diff-number">{line.number}</td>
      <td className={tones[sign]}>
        <Text line={line} sign={sign} />
      </td>
    </>
  )
}

/** The lines that went before the ones that came, as far as a run of changes goes. */
function unified(rows: readonly DiffRow[]): ReactNode[] {
  const shown: ReactNode[] = []
  for (let at = 0; at < rows.length; ) {
    let end = at
    while (end < rows.length && rows[end]?.isSame === rows[at]?.isSame) end += 1
    const run = rows.slice(at, end)
    if (rows[at]?.isSame) for (const { before, after } of run) shown.push(oneLine(' ', before, after))
    else {
      for (const { before } of run) if (before) shown.push(oneLine('-', before, null))
      for (const { after } of run) if (after) shown.push(oneLine('+', null, after))
    }
    at = end
  }
  return shown
}

function oneLine(sign: Sign, before: DiffLine | null, after: DiffLine | null): ReactNode {
  const line = after ?? before
  return (
    line && (
      <tr key={`${sign}${line.number}`}>
        <td className="diff-number">{before?.number}</td>
        <td className="diff-number">{after?.number}</td>
        <td className={tones[sign]}>
          <Text line={line} sign={sign} />
        </td>
      </tr>
    )
  )
}

function Text({ line: { parts, isOpen }, sign }: { readonly line: DiffLine; readonly sign: Sign }) {
  const Mark = sign === '-' ? 'del' : 'ins'
  return (
    <code>
      <span className="diff-sign">{sign}</span>
      {parts.map(({ text, isChanged }, at) => {
        const shown = withHiddenShown(text, '\t')
        return isChanged ? <Mark key={at}>{shown}</Mark> : <Fragment key={at}>{shown}</Fragment>
      })}
      {isOpen && <span className="dim"> (no line end)</span>}
    </code>
  )
}
