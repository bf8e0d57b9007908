/** The rows of a report, what fails first; what passes is folded away. */
import { Status } from '../../ui/status.tsx'
import { countsOf, worstFirst } from './check-result.ts'
import type { CheckQuery } from './checks.graphql.ts'

type Report = NonNullable<NonNullable<CheckQuery['robotCheck']>['reportFull']>
type Row = Report['checks'][number]

export function ReportRows({ report: { checks: rows } }: { readonly report: Report }) {
  const sorted = worstFirst(rows)
  const passed = sorted.filter(({ status }) => status === 'PASS')
  const others = sorted.filter(({ status }) => status !== 'PASS')
  return (
    <section className="panel stack" aria-label="Report">
      <h2>Report</h2>
      {rows.length === 0 ? <p className="dim">Nothing was found.</p> : <p>{countsOf(rows)}</p>}
      {others.length > 0 && <Rows rows={others} />}
      {passed.length > 0 && (
        <details open={others.length === 0}>
          <summary>What passes ({passed.length})</summary>
          <Rows rows={passed} />
        </details>
      )}
    </section>
  )
}

function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <ul className="plain-list">
      {rows.map((row, index) => (
        <li key={`${row.code} ${String(index)}`}>
          <Status of={row.status} /> <strong>{row.message}</strong>
          {row.hint && <div className="dim">{row.hint}</div>}
        </li>
      ))}
    </ul>
  )
}
