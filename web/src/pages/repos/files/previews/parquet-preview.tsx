/** The columns of a Parquet file and its rows, page by page; only what is shown comes over the network. */
import { type OpenParquet, openParquet } from '@hub/dataset/parquet'
import { useState } from 'react'
import { byteFile } from '../../../../files/range-file.ts'
import { bytes, count, counted } from '../../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../../ui/states.tsx'
import { cellText } from './cell-text.ts'
import { type PreviewProps, rangeFile, versionOf } from './repo-file.ts'
import { RowTable } from './row-table.tsx'
import { useLoaded } from './use-loaded.ts'

const PAGE_ROWS = 50
/** Of all columns that are shown, in their largest row group: pictures stand in columns of hundreds of megabytes. */
const MOST_BYTES = 16 * 1024 * 1024

export default function ParquetPreview(props: PreviewProps) {
  const { value: table, error } = useLoaded(versionOf(props), () => openParquet(byteFile(rangeFile(props))))
  if (error) return <ErrorNotice error={error} />
  return table ? <Rows table={table} version={versionOf(props)} /> : <Loading />
}

function Rows({ table, version }: { readonly table: OpenParquet; readonly version: string }) {
  const [start, setStart] = useState(0)
  const end = Math.min(start + PAGE_ROWS, table.rows)
  const shown = shownColumns(table)
  const { value: rows, error } = useLoaded(`${version} ${start}`, () => table.read(shown, start, end))
  const left = table.columns.filter((name) => !shown.includes(name))
  return (
    <>
      <div className="row spread preview">
        <span className="dim">
          {counted(table.rows, 'row')}, {counted(table.columns.length, 'column')}
          {left.length > 0 && ` · too large to show: ${left.join(', ')}`}
        </span>
        {table.rows > PAGE_ROWS && (
          <span className="row">
            <button
              type="button"
              className="button"
              disabled={start === 0}
              onClick={() => setStart(Math.max(0, start - PAGE_ROWS))}
            >
              Previous
            </button>
            <span className="dim" role="status">
              {count(start + 1)} to {count(end)}
            </span>
            <button
              type="button"
              className="button"
              disabled={end === table.rows}
              onClick={() => setStart(start + PAGE_ROWS)}
            >
              Next
            </button>
          </span>
        )}
      </div>
      {error ? (
        <ErrorNotice error={error} />
      ) : rows ? (
        <RowTable
          label="Rows of the table"
          head={['Row', ...shown.map((name) => <Column key={name} table={table} name={name} />)]}
          rows={rows.map((row, line) => [count(start + line), ...shown.map((name) => cellText(row[name]))])}
          numbers={new Set([0])}
        />
      ) : (
        <Loading />
      )}
    </>
  )
}

function Column({ table, name }: { readonly table: OpenParquet; readonly name: string }) {
  const place = table.columns.indexOf(name)
  return (
    <span title={`${bytes(table.bytes[place] ?? 0)} at most in a row group`}>
      {name} <span className="dim small">{table.types[place]?.toLowerCase()}</span>
    </span>
  )
}

/** In their order, as many as are not too large together; the small ones first. */
function shownColumns({ columns, bytes: sizes }: OpenParquet): string[] {
  let left = MOST_BYTES
  const fits = new Set<string>()
  const bySize = columns.map((name, place) => ({ name, size: sizes[place] ?? 0 })).toSorted((a, b) => a.size - b.size)
  for (const { name, size } of bySize) {
    left -= size
    if (left >= 0) fits.add(name)
  }
  return columns.filter((name) => fits.has(name))
}
