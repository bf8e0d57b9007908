/**
 * A curve as lines of text, drawn with braille characters: each has 2 by 4 dots, so 60 characters show 120 steps. Pure.
 */
import { type Axis, linearAxis, logAxis, plainNumber } from './axis-ticks.ts'

/** `[step, value]` in the order in which they were reported. */
export type ChartPoint = readonly [step: number, value: number]

interface ChartSize {
  /** Characters of a line, labels included. */
  readonly width: number
  /** Lines of the curve; the axis below it has two more. */
  readonly height: number
  readonly isLog?: boolean
  /** Applied to each line of the curve, such as a color. */
  readonly paint?: (dots: string) => string
}

/** Fewer characters or lines show no curve. */
const LEAST_WIDTH = 20
const LEAST_HEIGHT = 3
/** Lines between two marks of the vertical axis. */
const LINES_A_MARK = 2.5

/** The bit of each dot in its braille character, by column and row. */
const dotBits = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const
const BLANK = 0x2800

/** The chart as lines; one sentence where there is nothing to draw. */
export function chartLines(points: readonly ChartPoint[], size: ChartSize): string[] {
  const { isLog = false, paint = (dots) => dots } = size
  const height = Math.max(LEAST_HEIGHT, Math.floor(size.height))
  const drawable = ([step, value]: ChartPoint) =>
    Number.isFinite(step) && Number.isFinite(value) && (!isLog || value > 0)
  const shown = points.filter(drawable)
  const left = leftOutLine(points, shown.length, isLog)
  const [first] = shown
  if (!first) return [points.length === 0 ? 'no value yet' : 'no value to draw', ...left]
  const range = { first: first[0], last: first[0], least: first[1], greatest: first[1] }
  for (const [step, value] of shown) {
    range.first = Math.min(range.first, step)
    range.last = Math.max(range.last, step)
    range.least = Math.min(range.least, value)
    range.greatest = Math.max(range.greatest, value)
  }
  const axis = (isLog ? logAxis : linearAxis)(range.least, range.greatest, height / LINES_A_MARK)
  const labels = labelsOf(axis, height, isLog)
  const labelWidth = Math.max(...[...labels.values()].map((label) => label.length))
  const width = Math.max(LEAST_WIDTH, Math.floor(size.width)) - labelWidth - 2
  const grid = gridOf(width, height)
  const placeOf = ([step, value]: ChartPoint): Dot => [
    // A single step is in the middle.
    range.first === range.last ? width : Math.round(share(step, range.first, range.last) * (2 * width - 1)),
    rowOf(value, axis, { rows: 4 * height, isLog }),
  ]
  let before: { readonly step: number; readonly dot: Dot } | null = null
  for (const point of points) {
    // A value that cannot be drawn, or a step that goes back, interrupts the line.
    if (!drawable(point)) before = null
    else {
      const dot = placeOf(point)
      grid.line(before !== null && before.step <= point[0] ? before.dot : dot, dot)
      before = { step: point[0], dot }
    }
  }
  const rows = grid.rows().map((dots, row) => {
    const label = labels.get(row)
    return `${(label ?? '').padStart(labelWidth)} ${label === undefined ? '│' : '┤'}${dots === '' ? '' : paint(dots)}`
  })
  const indent = ' '.repeat(labelWidth)
  return [
    ...rows,
    `${indent} └${'─'.repeat(width)}`,
    `${indent}  ${stepLabels(range.first, range.last, width)}`,
    ...left,
  ]
}

type Dot = readonly [column: number, row: number]

/** Where a value is between two others, 0 to 1. Halved first: the distance of two doubles may be none. */
const share = (value: number, low: number, high: number) => (value / 2 - low / 2) / (high / 2 - low / 2)

interface Rows {
  readonly rows: number
  readonly isLog: boolean
}

/** The row of a value, from the top. */
function rowOf(value: number, { low, high }: Axis, { rows, isLog }: Rows): number {
  const scale = isLog ? Math.log10 : (one: number) => one
  return Math.round((1 - share(scale(value), scale(low), scale(high))) * (rows - 1))
}

/** Which line has which label. Two marks may fall on one line of a low chart: the first has it. */
function labelsOf(axis: Axis, height: number, isLog: boolean): ReadonlyMap<number, string> {
  const labels = new Map<number, string>()
  for (const mark of axis.marks) {
    const row = Math.floor(rowOf(mark, axis, { rows: 4 * height, isLog }) / 4)
    if (!labels.has(row)) labels.set(row, axis.label(mark))
  }
  return labels
}

function stepLabels(first: number, last: number, width: number): string {
  const [from, to] = [plainNumber(first), plainNumber(last)]
  if (first === last) return `${' '.repeat(Math.max(0, Math.floor((width - from.length) / 2)))}${from}`
  const middle = plainNumber(first / 2 + last / 2)
  const free = width - from.length - to.length
  if (free < middle.length + 4) return `${from}${' '.repeat(Math.max(1, free))}${to}`
  const before = Math.max(2, Math.floor(width / 2 - middle.length / 2) - from.length)
  return `${from}${' '.repeat(before)}${middle}${' '.repeat(Math.max(2, free - before - middle.length))}${to}`
}

function leftOutLine(points: readonly ChartPoint[], shown: number, isLog: boolean): string[] {
  const left = points.length - shown
  if (left === 0) return []
  const what = isLog ? 'not numbers above 0' : 'not finite numbers'
  return [`${left} of ${points.length} values are ${what} and are left out`]
}

/** Characters of dots, all blank at first. */
function gridOf(width: number, height: number) {
  const cells = Array.from({ length: height }, () => new Uint16Array(width))
  const set = (column: number, row: number) => {
    const bit = dotBits[column % 2]?.[row % 4] ?? 0
    const line = cells[Math.floor(row / 4)]
    const at = Math.floor(column / 2)
    if (line && at < width) line[at] = (line[at] ?? 0) | bit
  }
  return {
    /** Sets the dots from one to another. */
    line([fromColumn, fromRow]: Dot, [toColumn, toRow]: Dot): void {
      const steps = Math.max(Math.abs(toColumn - fromColumn), Math.abs(toRow - fromRow))
      for (let at = 0; at <= steps; at += 1) {
        const done = steps === 0 ? 0 : at / steps
        set(Math.round(fromColumn + (toColumn - fromColumn) * done), Math.round(fromRow + (toRow - fromRow) * done))
      }
    },
    rows: () =>
      cells.map((line) => String.fromCharCode(...Array.from(line, (bits) => BLANK + bits)).replace(/\u2800+$/, '')),
  }
}
