/** The curves of one feature: a line for each joint, a cursor at the shared time, and the values there. */
import uPlot from 'uplot'
import { axisWidth } from '../ui/axis-width.ts'
import { lineColor, lineColors } from '../ui/line-colors.ts'
import { element, told } from '../viewer/panels/element.ts'
import { type Curves, frameAt } from './episode-curves.ts'

export interface CurveChart {
  readonly node: HTMLElement
  /** Puts the cursor at a time, in s. */
  at(time: number): void
  resize(): void
  close(): void
}

/** The ninth line and those after it have dashes. */
const dashOf = (place: number) => (place < lineColors.length ? [] : [6, 4])

const HEIGHT = 220

/** `onSeek`: a time that the person pointed at. `of`: whose curves they are, where there are several. */
export function curveChart(
  { name, series }: Curves['features'][number],
  times: Float64Array,
  onSeek: (time: number) => void,
  of: string | null = null,
): CurveChart {
  const place = element('div', { class: 'episode-plot', 'aria-hidden': true })
  const values = series.map(() => element('dd', {}))
  const legend = element(
    'dl',
    { class: 'episode-legend', 'aria-label': `Values of ${name} at the shown time` },
    ...series.flatMap(({ label }, at) => {
      const key = element('span', { class: 'episode-key' })
      key.style.background = lineColor(at)
      const term = element('dt', {}, key, label)
      return [element('div', {}, term, values[at] ?? '')]
    }),
  )
  const node = element(
    'section',
    { class: 'episode-chart', 'aria-label': of === null ? name : `${of}: ${name}` },
    element('h2', {}, name),
    place,
    legend,
  )
  const ink = () => getComputedStyle(node).color || '#888'
  const axis = { stroke: ink, grid: { stroke: '#8886', width: 1 }, ticks: { stroke: '#8886', width: 1 } }
  const plot = new uPlot(
    {
      width: 600,
      height: HEIGHT,
      legend: { show: false },
      scales: { x: { time: false } },
      axes: [
        { ...axis, values: (_, marks) => marks.map((mark) => `${mark} s`) },
        // What is cut off a number that is too wide is its sign.
        { ...axis, size: (_: uPlot, texts: readonly string[] | null) => axisWidth(texts ?? []) },
      ],
      cursor: { show: false },
      series: [
        {},
        ...series.map(({ label }, at) => ({
          label,
          stroke: lineColor(at),
          width: 1.5,
          dash: dashOf(at),
          points: { show: false },
        })),
      ],
    },
    [times, ...series.map((one) => one.values)] as uPlot.AlignedData,
    place,
  )
  // The line is where the playhead is, not where the pointer is.
  const line = element('div', { class: 'episode-cursor' })
  plot.over.append(line)
  const seek = (event: PointerEvent) => {
    if (event.type === 'pointermove' && event.buttons !== 1) return
    const box = plot.over.getBoundingClientRect()
    onSeek(plot.posToVal(event.clientX - box.left, 'x'))
  }
  plot.over.addEventListener('pointerdown', seek)
  plot.over.addEventListener('pointermove', seek)
  return {
    node,
    at(time) {
      line.style.left = `${plot.valToPos(time, 'x')}px`
      const frame = frameAt(times, time)
      for (const [index, one] of series.entries()) {
        const value = values[index]
        if (value) value.textContent = told(one.values[frame] ?? Number.NaN)
      }
    },
    resize: () => plot.setSize({ width: Math.max(200, place.clientWidth), height: HEIGHT }),
    close: () => plot.destroy(),
  }
}
