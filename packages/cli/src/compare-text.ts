/** Runs beside each other as text, within the width of the terminal. Pure. */
import type { RemoteSummary } from '@hub/client/internal'
import { countText } from './client-output.ts'
import { isMinor } from './metric-points.ts'
import { shortNumber } from './run-output.ts'
import type { Settings } from './run-settings.ts'
import { painted, type Screen } from './screen.ts'
import { inLine } from './terminal.ts'

/** One of the runs. */
export interface Compared {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly settings: Settings
  readonly summary: readonly RemoteSummary[]
}

interface Cell {
  readonly text: string
  readonly color?: 'green' | 'red' | 'dim'
}
/** A key, and a cell for each run. */
interface Row {
  readonly key: string
  readonly cells: readonly Cell[]
}

/** Characters of a column: with less for each run, the runs stand in several tables below each other. */
const LEAST_COLUMN = 16
const MOST_COLUMN = 32
const LEAST_KEY = 16
/** Of the width, what keys may take. */
const KEY_SHARE = 0.35
const MISSING = '-'

/** The settings that differ, or all of them: values by path, in the order in which they appear. */
export function comparedSettings(runs: readonly Compared[], all: boolean): [path: string, values: (string | null)[]][] {
  const paths = [...new Set(runs.flatMap(({ settings }) => [...settings.keys()]))]
  const rows = paths.map((path): [string, (string | null)[]] => [
    path,
    runs.map(({ settings }) => settings.get(path) ?? null),
  ])
  return all ? rows : rows.filter(([, values]) => new Set(values).size > 1)
}

/** The metrics of the runs; those of the machine and of steps only with `all`; in the order in which the metrics appear. */
export function comparedMetrics(runs: readonly Compared[], all: boolean): string[] {
  const keys = [...new Set(runs.flatMap(({ summary }) => summary.map(({ key }) => key)))]
  return all ? keys : keys.filter((key) => !isMinor(key))
}

/** The comparison. The first run is what the others are measured by. */
export function compareText(runs: readonly Compared[], screen: Screen, all: boolean): string {
  const { width } = screen
  const keyWidth = Math.max(LEAST_KEY, Math.floor(width * KEY_SHARE))
  const atOnce = Math.max(2, Math.floor((width - keyWidth) / (LEAST_COLUMN + 2)))
  const [first, ...others] = runs
  if (!first) return ''
  const parts: string[] = []
  // The first run stands in each part.
  for (let at = 0; at < Math.max(1, others.length); at += atOnce - 1)
    parts.push(partText([first, ...others.slice(at, at + atOnce - 1)], runs, { screen, keyWidth, all }))
  return parts.join('\n')
}

interface Layout {
  readonly screen: Screen
  readonly keyWidth: number
  readonly all: boolean
}

function partText(shown: readonly Compared[], runs: readonly Compared[], { screen, keyWidth, all }: Layout): string {
  const column = Math.min(MOST_COLUMN, Math.floor((screen.width - keyWidth) / shown.length) - 2)
  const indexes = shown.map((run) => runs.indexOf(run))
  const settings = comparedSettings(runs, all).map(([key, values]) => ({
    key,
    cells: indexes.map((index) => plain(values[index] ?? MISSING)),
  }))
  const keys = comparedMetrics(runs, all)
  const has = (key: string, value: 'last' | 'best') =>
    runs.some(({ summary }) => summary.some((one) => one.key === key && one[value] !== null))
  const values = (value: 'last' | 'best') =>
    keys.filter((key) => has(key, value)).map((key) => ({ key, cells: metricCells(shown, key, value) }))
  const left = comparedMetrics(runs, true).length - keys.length
  const sections: readonly (readonly [title: string, rows: readonly Row[], none: string])[] = [
    [all ? 'Settings' : 'Settings that differ', settings, 'The settings are the same.'],
    ['Last values', values('last'), 'No run has a metric yet.'],
    ['Best values', values('best'), ''],
  ]
  const head = [
    { key: '', cells: shown.map(({ id }) => plain(`…${id.slice(-6)}`)) },
    { key: 'name', cells: shown.map(({ name }) => plain(name)) },
    { key: 'status', cells: shown.map(({ status }) => plain(status)) },
  ]
  const every = [...head, ...sections.flatMap(([, rows]) => rows)]
  // A column is as wide as what is in it, if there is room.
  const widthOf = (at: number) => Math.min(column, Math.max(...every.map(({ cells }) => cells[at]?.text.length ?? 0)))
  const widths = shown.map((_, at) => widthOf(at))
  const keyed = Math.min(keyWidth, Math.max(...every.map(({ key }) => inLine(key).length)))
  const lines = (rows: readonly Row[]) => rows.map((row) => rowLine(row, keyed, widths, screen))
  const texts = sections.map(([title, rows, none]) =>
    rows.length > 0 ? [painted(screen, 'bold', title), ...lines(rows)] : none === '' ? [] : [none],
  )
  const note = left > 0 ? [[`${countText(left, 'metric')} of the machine and of steps: --all has them all.`]] : []
  return [lines(head), ...texts, ...note]
    .filter((part) => part.length > 0)
    .map((part) => `${part.join('\n')}\n`)
    .join('\n')
}

function rowLine({ key, cells }: Row, keyed: number, widths: readonly number[], screen: Screen): string {
  const padded = cells.map(({ text, color }, at) => {
    const width = widths[at] ?? 0
    const shown = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text
    const space = ' '.repeat(2 + width - shown.length)
    return `${space}${color ? painted(screen, color, shown) : shown}`
  })
  // The end of a path says more than its start.
  const name = inLine(key)
  const cut = name.length > keyed ? `…${name.slice(1 - keyed)}` : name
  return `${cut.padEnd(keyed)}${padded.join('')}`
}

const plain = (text: string): Cell => ({ text: inLine(text) })

/** The value of the first run, and of the others how far it is from it: green where it is better, red where worse. */
function metricCells(shown: readonly Compared[], key: string, value: 'last' | 'best'): Cell[] {
  const found = shown.map(({ summary }) => summary.find((one) => one.key === key))
  const base = found[0]?.[value] ?? null
  return found.map((one, at) => {
    const own = one?.[value] ?? null
    if (own === null) return plain(MISSING)
    const text = shortNumber(own)
    if (at === 0 || base === null) return { text }
    const better = one?.better ?? null
    const isBetter = better === 'lower' ? own < base : own > base
    const color = better === null || own === base ? undefined : isBetter ? 'green' : 'red'
    return { text: `${text} ${deltaText(base, own)}`, color }
  })
}

/** `+12%`; of a first value of 0 the difference itself; `=` without one. */
export function deltaText(base: number, own: number): string {
  if (own === base) return '='
  const share = (own - base) / Math.abs(base)
  const isShare = base !== 0 && Number.isFinite(share) && Math.abs(share) < 100
  const size = isShare ? 100 * share : own - base
  return `${size > 0 ? '+' : ''}${String(Number(size.toPrecision(3)))}${isShare ? '%' : ''}`
}
