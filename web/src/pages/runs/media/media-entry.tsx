/** One entry of a run's media: a picture, a player, a table, bars, text, a page or a file. */
import { useState } from 'react'
import { bytes, count } from '../../../ui/format.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { cellText } from '../../repos/files/previews/cell-text.ts'
import { RowTable } from '../../repos/files/previews/row-table.tsx'
import { START_BYTES } from '../../repos/read-start.ts'
import { resolvePath } from '../../repos/repo-links.ts'
import { useStart } from '../../repos/use-start.ts'
import { HistogramBars } from './histogram-bars.tsx'
import type { RunMediaQuery } from './media.graphql.ts'
import { histogramOf, tableOf, valueIn } from './media-value.ts'

type Entry = NonNullable<RunMediaQuery['run']>['media']['nodes'][number]

/** Rows of a table; the file has all. */
const MOST_ROWS = 100

interface Props {
  readonly entry: Entry
  /** What the entry is, for people who do not see it. */
  readonly label: string
  /** `owner/slug` of the run's output repo; null where the caller does not see it. */
  readonly repo: string | null
}

export function MediaEntry({ entry, label, repo }: Props) {
  const { path, caption, size } = entry
  const { owner, repo: slug } = repoParts(repo ?? '')
  const isThere = path === null || size !== null
  return (
    <figure className="media-entry">
      {!isThere ? (
        <p className="dim">Its file {path} is gone, or is in a repo that you do not see.</p>
      ) : path === null ? (
        <Value entry={entry} label={label} value={entry.value} />
      ) : (
        <FileOf entry={entry} label={label} place={{ owner, slug, path }} />
      )}
      {(caption || (path !== null && isThere)) && (
        <figcaption className="row small">
          {caption && <span>{caption}</span>}
          {path !== null && isThere && (
            <a href={resolvePath(owner, slug, path)} aria-label={`Download ${path}`}>
              {path.slice(path.lastIndexOf('/') + 1)} ({bytes(size ?? 0)})
            </a>
          )}
        </figcaption>
      )}
    </figure>
  )
}

interface Place {
  readonly owner: string
  readonly slug: string
  readonly path: string
}

interface FileProps {
  readonly entry: Entry
  readonly label: string
  readonly place: Place
}

function FileOf({ entry, label, place }: FileProps) {
  switch (entry.kind) {
    case 'IMAGE':
    case 'VIDEO':
    case 'AUDIO':
      return <Played entry={entry} label={label} place={place} />
    case 'FILE':
      return null
    default:
      return <Read key={place.path} entry={entry} label={label} place={place} />
  }
}

/** By the browser's own players, which ask for what they play and no more. A picture is asked for when it is near. */
function Played({ entry, label, place }: FileProps) {
  const [isBroken, setBroken] = useState(false)
  const { kind, width, height } = entry
  if (isBroken) return <p className="dim">This browser cannot show it: download the file.</p>
  const source = {
    className: 'media-shown',
    src: resolvePath(place.owner, place.slug, place.path),
    onError: () => setBroken(true),
  }
  const size = { width: width ?? undefined, height: height ?? undefined }
  if (kind === 'IMAGE') return <img {...source} {...size} alt={label} loading="lazy" />
  return kind === 'VIDEO' ? (
    <video {...source} {...size} controls preload="metadata" aria-label={label} />
  ) : (
    <audio {...source} controls preload="metadata" aria-label={label} />
  )
}

/** A file of text, of which the first half megabyte is read. */
function Read({ entry, label, place }: FileProps) {
  const { start, error } = useStart(place.owner, place.slug, place.path, String(entry.size))
  if (error) return <ErrorNotice error={error} />
  if (!start) return <Loading lines={2} />
  const isText = entry.kind === 'TEXT' || entry.kind === 'HTML'
  return (
    <>
      <Value entry={entry} label={label} value={isText ? start.text : valueIn(start.text)} />
      {start.isCut && <p className="dim small">The first {bytes(START_BYTES)}. Download the file to see all of it.</p>}
    </>
  )
}

function Value({ entry, label, value }: Pick<Props, 'entry' | 'label'> & { readonly value: unknown }) {
  const table = entry.kind === 'TABLE' ? tableOf(value) : null
  const histogram = entry.kind === 'HISTOGRAM' ? histogramOf(value) : null
  if (table)
    return (
      <>
        <RowTable
          label={label}
          head={table.columns.map(cellText)}
          rows={table.rows.slice(0, MOST_ROWS).map((row) => row.map(cellText))}
        />
        {table.rows.length > MOST_ROWS && (
          <p className="dim small">
            The first {MOST_ROWS} of {count(table.rows.length)} rows.
          </p>
        )}
      </>
    )
  if (histogram) return <HistogramBars histogram={histogram} label={label} />
  // What a training wrote runs nothing here, and reaches nothing of the hub: no scripts, no origin, no forms, no links.
  if (entry.kind === 'HTML')
    return (
      <iframe className="media-page" sandbox="" referrerPolicy="no-referrer" srcDoc={String(value)} title={label} />
    )
  if (typeof value === 'string')
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
      <pre className="media-text" tabIndex={0}>
        {value}
      </pre>
    )
  return <p className="dim">It cannot be shown here.</p>
}
