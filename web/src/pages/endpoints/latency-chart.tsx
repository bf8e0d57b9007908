/**
 * How long chunks took in each session: a bar from the median to the 95th percentile, for the server alone and for the
 * whole round trip. The hub keeps these of a session as a whole; the table below has the same numbers.
 */
import { ago } from '../../ui/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import './latency-chart.css'
import { marksOf, pairText, type SessionLatency, type Span, topOf } from './latency.ts'

const FIRST_WIDTH = 720
const HEIGHT = 200
const LEFT = 56
const BOTTOM = 24
const TOP = 8
const BAR = 8

const kinds = [
  { name: 'service', title: 'Service', offset: -BAR },
  { name: 'roundTrip', title: 'Round trip', offset: 2 },
] as const

export function LatencyChart({ sessions }: { readonly sessions: readonly SessionLatency[] }) {
  const [ref, width] = useWidth<SVGSVGElement>(FIRST_WIDTH)
  const marks = marksOf(sessions)
  if (marks.length === 0) return null
  const top = topOf(marks)
  const yOf = (ms: number) => TOP + (1 - ms / top) * (HEIGHT - TOP - BOTTOM)
  const step = (width - LEFT) / marks.length
  const xOf = (place: number) => LEFT + step * (place + 0.5)
  const [first, last] = [marks.at(0), marks.at(-1)]
  return (
    <figure className="panel latency">
      <figcaption className="row spread">
        <strong>Latency by session</strong>
        <span className="row small">
          {kinds.map(({ name, title }) => (
            <span key={name} className="row">
              <span className={`latency-key ${name}`} aria-hidden="true" /> {title}, p50 to p95
            </span>
          ))}
        </span>
      </figcaption>
      <svg ref={ref} height={HEIGHT} role="img" aria-label={labelOf(marks.length, top)}>
        {[0, top / 2, top].map((ms) => (
          <g key={ms}>
            <line x1={LEFT} x2={width} y1={yOf(ms)} y2={yOf(ms)} className="latency-grid" />
            <text x={LEFT - 8} y={yOf(ms) + 4} textAnchor="end">
              {ms} ms
            </text>
          </g>
        ))}
        {marks.map((mark, place) =>
          kinds.map(({ name, title, offset }) => {
            const span = mark[name]
            return span ? (
              <rect
                key={`${mark.id} ${name}`}
                className={`latency-bar ${name}`}
                x={xOf(place) + offset}
                width={BAR}
                rx={2}
                {...barOf(span, yOf)}
              >
                <title>{`${title} ${pairText(span.p50, span.p95)}, ${ago(mark.openedAt)}`}</title>
              </rect>
            ) : null
          }),
        )}
        {first && (
          <text x={LEFT} y={HEIGHT - 6}>
            {ago(first.openedAt)}
          </text>
        )}
        {last && marks.length > 1 && (
          <text x={width} y={HEIGHT - 6} textAnchor="end">
            {ago(last.openedAt)}
          </text>
        )}
      </svg>
    </figure>
  )
}

const labelOf = (count: number, top: number) =>
  `Latency of ${count === 1 ? '1 session' : `${count} sessions`}, oldest first, from 0 to ${top} ms; the table below has the numbers`

/** At least two units high: a median and a 95th percentile that are alike are seen too. */
const barOf = ({ p50, p95 }: Span, yOf: (ms: number) => number) => ({
  y: yOf(p95),
  height: Math.max(2, yOf(p50) - yOf(p95)),
})
