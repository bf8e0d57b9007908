/**
 * The curves of one run, or of several in the same charts. The hub sends the extremes of long ones, and all points of
 * the part that is in view.
 */
import { useCallback, useMemo, useState } from 'react'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { ChartControls } from './chart-controls.tsx'
import { extent, isCounter, type Range } from './curve.ts'
import { type ChartView, MetricChart } from './metric-chart.tsx'
import { useCurves } from './use-curves.ts'

interface Props {
  readonly runs: readonly { readonly id: string; readonly name: string }[]
  /** Changes with the newest metrics of the run. */
  readonly tick: string
}

/** Charts at a time; a trainer may report a thousand metrics. */
const PAGE = 24

export function RunMetrics({ runs, tick }: Props) {
  const [view, setView] = useState<ChartView>({ isTime: false, isLog: false, smoothing: 0, range: null })
  const [search, setSearch] = useState('')
  const [most, setMost] = useState(PAGE)
  const isFound = useCallback((key: string) => key.toLowerCase().includes(search.toLowerCase()), [search])
  const { keys, curves, error, again, isLoading, isRefining, left } = useCurves({
    ids: runs.map(({ id }) => id),
    tick,
    range: view.range,
    isTime: view.isTime,
    isShown: isFound,
    most,
  })
  const zoom = useCallback((range: Range | null) => setView((before) => ({ ...before, range })), [])
  const names = runs.map(({ id, name }) => `${id} ${name}`).join('\n')
  const charts = useMemo(
    () =>
      keys.flatMap((key) => {
        const ofRuns = curves.get(key)
        const lines = runs.flatMap(({ id, name }, color) => {
          const curve = ofRuns?.get(id)
          return curve && curve.count > 0 && !isCounter(curve)
            ? [{ name: runs.length > 1 ? name : key, color, curve }]
            : []
        })
        return lines.length > 0 && isFound(key) ? [{ key, lines }] : []
      }),
    [keys, curves, names, isFound],
  )
  const all = useMemo(
    () => extent(charts.flatMap(({ lines }) => lines.map(({ curve }) => (view.isTime ? curve.elapsedS : curve.steps)))),
    [charts, view.isTime],
  )
  if (error && keys.length === 0) return <ErrorNotice error={error} retry={again} />
  if (isLoading) return <Loading />
  if (keys.length === 0)
    return (
      <Empty title="No metric yet">
        <p>
          Charts appear with the first number that the trainer logs, in Python with <code>run.log</code>.
        </p>
      </Empty>
    )
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} retry={again} />}
      <ChartControls view={view} change={setView} all={all} search={search} setSearch={setSearch} />
      <p className="dim small" aria-live="polite">
        {isRefining
          ? 'Loading all points of this part…'
          : 'Drag in a chart to see a part of it, double-click to see all.'}
      </p>
      <div className="charts">
        {charts.slice(0, most).map(({ key, lines }) => (
          <MetricChart key={key} title={key} lines={lines} view={view} zoom={zoom} />
        ))}
      </div>
      {charts.length === 0 && left === 0 && <p className="dim">No metric has this in its name.</p>}
      {charts.length > most && (
        <button type="button" className="button" onClick={() => setMost(most + PAGE)}>
          Show more of {charts.length + left} charts
        </button>
      )}
    </div>
  )
}
