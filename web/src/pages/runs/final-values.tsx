/** What compared runs came to: the last value of each metric, a run a column. */
import { useState } from 'react'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { type FinalValuesQuery, finalValuesQuery } from './compare-runs.graphql.ts'
import { metricText } from './metric-text.ts'
import { valuesByMetric } from './values-by-metric.ts'

type Node = NonNullable<FinalValuesQuery['nodes']>[number]
type Summarized = Extract<NonNullable<Node>, { readonly summary: unknown }>
const isRun = (node: Node): node is Summarized => node !== null && 'summary' in node

/** Rows at first; a trainer may report a thousand metrics. */
const FEW = 12

export function FinalValues({ runs }: { readonly runs: readonly { readonly id: string; readonly name: string }[] }) {
  const [isAll, setAll] = useState(false)
  const ids = runs.map(({ id }) => id)
  const [answer, again] = useReading({ query: finalValuesQuery, variables: { ids } })
  const { value, error } = rootField(answer, 'nodes')
  if (!value && error) return <ErrorNotice error={error} retry={again} />
  const rows = valuesByMetric(ids, value?.filter(isRun) ?? [])
  if (rows.length === 0) return null
  return (
    <>
      {error && <ErrorNotice error={error} retry={again} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard */}
      <section className="table-wrap" aria-label="Last values" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Last value</th>
              {runs.map(({ id, name }) => (
                <th key={id} className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isAll ? rows : rows.slice(0, FEW)).map(({ key, values }) => (
              <tr key={key}>
                <td className="mono">{key}</td>
                {values.map((last, place) => (
                  <td key={ids[place]} className="number">
                    {last === null ? '–' : metricText(last)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {!isAll && rows.length > FEW && (
        <p>
          <button type="button" className="button small" onClick={() => setAll(true)}>
            Show all {rows.length} metrics
          </button>
        </p>
      )}
    </>
  )
}
