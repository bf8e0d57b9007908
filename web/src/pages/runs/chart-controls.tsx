/** How the charts of a page are drawn, for the mouse and the keyboard. */

import { moved, type Range, zoomed } from './curve.ts'
import type { ChartView } from './metric-chart.tsx'

interface Props {
  readonly view: ChartView
  readonly change: (view: ChartView) => void
  /** Of all points; null while there is none. */
  readonly all: Range | null
  readonly search: string
  readonly setSearch: (text: string) => void
}

export function ChartControls({ view, change, all, search, setSearch }: Props) {
  const see = (range: Range | null) => change({ ...view, range })
  const step = (title: string, label: string, next: (all: Range) => Range | null, isOff = false) => (
    <button
      type="button"
      className="button small"
      aria-label={label}
      title={label}
      disabled={all === null || isOff}
      onClick={() => all && see(next(all))}
    >
      {title}
    </button>
  )
  const { range } = view
  return (
    <div className="row chart-controls">
      <input
        type="search"
        aria-label="Search metrics"
        placeholder="Filter metrics"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <label className="row">
        Over{' '}
        <select
          value={view.isTime ? 'time' : 'step'}
          onChange={({ target }) => change({ ...view, isTime: target.value === 'time', range: null })}
        >
          <option value="step">step</option>
          <option value="time">time</option>
        </select>
      </label>
      <label className="row">
        Smoothing{' '}
        <input
          type="range"
          min={0}
          max={0.99}
          step={0.01}
          value={view.smoothing}
          onChange={({ target }) => change({ ...view, smoothing: Number(target.value) })}
        />
        <output className="chart-smoothing">{view.smoothing.toFixed(2)}</output>
      </label>
      <label className="row">
        <input
          type="checkbox"
          checked={view.isLog}
          onChange={({ target }) => change({ ...view, isLog: target.checked })}
        />{' '}
        Logarithmic
      </label>
      <fieldset className="row chart-zoom" aria-label="Part in view">
        {step('+', 'Zoom in', (whole) => zoomed(range, whole, 0.5))}
        {step('−', 'Zoom out', (whole) => zoomed(range, whole, 2), range === null)}
        {step('←', 'Earlier', (whole) => moved(range, whole, -0.5), range === null)}
        {step('→', 'Later', (whole) => moved(range, whole, 0.5), range === null)}
        {step('All', 'Show all', () => null, range === null)}
      </fieldset>
    </div>
  )
}
