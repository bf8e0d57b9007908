/** What a run came to, before everything else, and what people wrote about it. */
import { machineLast } from '@hub/formats/metric-order'
import { useState } from 'react'
import { metricText } from './metric-text.ts'
import type { RunShown } from './run-shown.ts'

/** Rows at first; a trainer may report a thousand metrics. */
const FEW = 12

export function RunSummary({ run }: { readonly run: RunShown }) {
  const [isAll, setAll] = useState(false)
  const isOver = run.finishedAt !== null
  const title = isOver ? 'Final values' : 'Values so far'
  const ordered = machineLast(run.summary)
  const shown = isAll ? ordered : ordered.slice(0, FEW)
  return (
    <div className="stack">
      {run.notes && (
        <section className="panel" aria-label="Notes">
          <h2>Notes</h2>
          <p className="run-notes">{run.notes}</p>
        </section>
      )}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard
        <section className="panel flush table-wrap" aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{title}</th>
                <th className="number">Last</th>
                <th className="number">Best</th>
                <th className="number">Min</th>
                <th className="number">Max</th>
                <th className="number">Mean</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ key, last, best, min, max, mean }) => (
                <tr key={key}>
                  <td className="mono">{key}</td>
                  <td className="number">
                    <strong>{metricText(last)}</strong>
                  </td>
                  <td className="number">{best === null ? '–' : metricText(best)}</td>
                  <td className="number">{metricText(min)}</td>
                  <td className="number">{metricText(max)}</td>
                  <td className="number">{metricText(mean)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {shown.length < run.summary.length && (
        <p>
          <button type="button" className="button small" onClick={() => setAll(true)}>
            Show all {run.summary.length} metrics
          </button>
        </p>
      )}
    </div>
  )
}
