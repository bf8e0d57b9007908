/** A histogram as bars, with its ends below. */
import { count } from '../../../ui/format.ts'
import { metricText } from '../metric-text.ts'
import { barsOf, type MediaHistogram } from './media-value.ts'

export function HistogramBars({ histogram, label }: { readonly histogram: MediaHistogram; readonly label: string }) {
  const { edges, counts } = histogram
  const [from = 0, to = 0] = [edges[0], edges.at(-1)]
  const total = counts.reduce((sum, one) => sum + one, 0)
  const said = `${label}: ${count(total)} values from ${metricText(from)} to ${metricText(to)}`
  return (
    <figure className="media-histogram">
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={said}>
        {barsOf(histogram).map(([x, width, height], at) => (
          <rect key={at} x={x} y={100 - height} width={width} height={height}>
            <title>{`${metricText(edges[at] ?? 0)} to ${metricText(edges[at + 1] ?? 0)}: ${count(counts[at] ?? 0)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="row dim small">
        <span>{metricText(from)}</span>
        <span>{count(total)} values</span>
        <span>{metricText(to)}</span>
      </figcaption>
    </figure>
  )
}
