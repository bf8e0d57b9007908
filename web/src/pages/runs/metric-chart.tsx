/**
 * One metric over steps or time; drag to zoom, double-click to see all. The cursor and the part in view are shared by
 * all charts of a page.
 */
import 'uplot/dist/uPlot.min.css'
import './metric-chart.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { axisWidth } from '../../ui/axis-width.ts'
import { count, duration } from '../../ui/format.ts'
import { lineColor } from '../../ui/line-colors.ts'
import { aligned } from './aligned.ts'
import { ascending, type Curve, positive, type Range, smoothed } from './curve.ts'

const HEIGHT = 200
/** A shorter drag is a click. */
const LEAST_DRAG_PX = 5
const cursors = UPlot.sync('runs')

/** How all charts of a page are drawn. */
export interface ChartView {
  readonly isTime: boolean
  readonly isLog: boolean
  /** Of the moving average, 0 to below 1. */
  readonly smoothing: number
  /** Null is all. */
  readonly range: Range | null
}

interface ChartLine {
  readonly name: string
  /** Number of its run, which has one color in all charts. */
  readonly color: number
  readonly curve: Curve
}

interface Props {
  readonly title: string
  readonly lines: readonly ChartLine[]
  readonly view: ChartView
  readonly zoom: (range: Range | null) => void
}

export function MetricChart({ title, lines, view, zoom }: Props) {
  const { isTime, isLog, smoothing, range } = view
  const isSmooth = smoothing > 0
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot>(null)
  const inView = useRef(range)
  inView.current = range
  const zoomed = useRef(zoom)
  zoomed.current = zoom
  const names = lines.map(({ name, color }) => `${color} ${name}`).join('\n')
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: {
          sync: { key: cursors.key },
          drag: { x: true, y: false, setScale: false },
          bind: {
            dblclick: () => () => {
              zoomed.current(null)
              return null
            },
          },
        },
        hooks: { setSelect: [(u) => selected(u, zoomed.current)] },
        scales: {
          x: {
            time: false,
            range: (_, least, greatest) => [...(inView.current ?? [least, greatest])] as [number, number],
          },
          y: { distr: isLog ? 3 : 1 },
        },
        ...drawn(element, names.split('\n'), isTime, isSmooth),
      },
      [[]],
      element,
    )
    chart.current = made
    const size = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    size.observe(element)
    return () => {
      size.disconnect()
      made.destroy()
    }
  }, [names, isLog, isTime, isSmooth])
  useEffect(() => {
    const shown = lines.map(({ name, curve }) => {
      const [x, values] = ascending(isTime ? curve.elapsedS : curve.steps, curve.values)
      return { name, x, values }
    })
    const draw = (values: readonly number[]) => (isLog ? positive(values) : values)
    chart.current?.setData(
      aligned(
        shown.flatMap(({ name, x, values }) => [
          { name, steps: x, values: draw(values) },
          ...(isSmooth ? [{ name, steps: x, values: draw(smoothed(values, smoothing)) }] : []),
        ]),
      ) as UPlot.AlignedData,
    )
  }, [lines, names, isTime, isLog, smoothing, range])
  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span> <span className="dim small">{amountOf(lines)}</span>
      </figcaption>
      <div ref={place} role="img" aria-label={`${title} over ${isTime ? 'time' : 'steps'}. ${heightOf(lines)}`} />
    </figure>
  )
}

function selected(chart: UPlot, zoom: (range: Range) => void): void {
  const { left, width } = chart.select
  if (width < LEAST_DRAG_PX) return
  zoom([chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')])
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
}

/** Axes and lines. Where the moving average is drawn, the values behind it are faint. */
function drawn(element: HTMLElement, names: readonly string[], isTime: boolean, isSmooth: boolean) {
  const axis = {
    stroke: getComputedStyle(element).color,
    grid: { stroke: 'rgb(128 128 128 / .18)' },
    ticks: { show: false },
  }
  const seconds = { values: (_: UPlot, ticks: number[]) => ticks.map(duration), space: 90 }
  const line = (label: string, stroke: string, alpha = 1) => ({
    label,
    stroke,
    alpha,
    width: alpha < 1 ? 1 : 1.5,
    spanGaps: true,
    points: { show: false },
  })
  return {
    axes: [
      isTime ? { ...axis, ...seconds } : axis,
      { ...axis, size: (_: UPlot, texts: readonly string[] | null) => axisWidth(texts ?? []) },
    ],
    series: [
      isTime
        ? { label: 'time', value: (_: UPlot, at: number | null) => (at === null ? '–' : duration(at)) }
        : { label: 'step' },
      ...names.flatMap((name) => {
        const [index, label] = [Number.parseInt(name, 10), name.slice(name.indexOf(' ') + 1)]
        const color = lineColor(index)
        return isSmooth ? [line(label, color, 0.3), line(`${label}, smooth`, color)] : [line(label, color)]
      }),
    ],
  }
}

/** Of long curves the hub sends the extremes. */
function amountOf(lines: readonly ChartLine[]): string {
  const all = lines.reduce((sum, { curve }) => sum + curve.count, 0)
  return lines.some(({ curve }) => curve.count > curve.steps.length) ? `extremes of ${count(all)} points` : ''
}

function heightOf(lines: readonly ChartLine[]): string {
  return lines
    .map(({ name, curve: { values } }) => {
      if (values.length === 0) return `${name}: no value`
      const [least, greatest] = values.reduce(
        ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      )
      return `${name}: from ${least} to ${greatest}, last ${values.at(-1)}`
    })
    .join('; ')
}
