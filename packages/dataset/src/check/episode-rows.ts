/** The numbers of one episode after the other out of a table; a row group of one column is in memory at a time. */
import type { OpenParquet } from '../parquet.ts'
import type { NumberFeature } from './description.ts'

/** A column of an episode: `width` numbers a frame, one frame after the other. */
export interface Column {
  readonly feature: NumberFeature
  readonly values: Float64Array
  /** The first frame that has more or fewer numbers than the description says, and how many; null for none. */
  readonly odd: { readonly frame: number; readonly width: number } | null
}

/** The numbers of an episode. */
export interface EpisodeRows {
  readonly frames: number
  readonly columns: ReadonlyMap<string, Column>
}

/** Rows of a table that are those of an episode. */
export interface Span<T> {
  readonly of: T
  readonly start: number
  readonly end: number
}

/** Of one column in one row group, as stored: LeRobot's files have at most 100 MB in all. */
const MOST_GROUP_BYTES = 256 * 1024 * 1024

/** Of an episode: an hour at 50 frames a second of 90 numbers. */
const MOST_NUMBERS = 16 * 1024 * 1024

/** The columns of a table that are read: those that are in it, and small enough. */
export function readable(table: OpenParquet, features: readonly NumberFeature[]): NumberFeature[] {
  return features.filter(({ name }) => {
    const at = table.columns.indexOf(name)
    return at >= 0 && (table.bytes[at] ?? 0) <= MOST_GROUP_BYTES
  })
}

/**
 * Each span with its rows, in the order of the spans, which follow one another. `null` for rows that are too many to be
 * in memory. Spans end where the table does.
 */
export async function* rowsOfSpans<T>(
  table: OpenParquet,
  features: readonly NumberFeature[],
  spans: readonly Span<T>[],
): AsyncGenerator<readonly [of: T, rows: EpisodeRows | null]> {
  const width = features.reduce((sum, one) => sum + one.width, 0)
  let next = 0
  let parts: EpisodeRows[] = []
  let groupStart = 0
  for (const rows of table.groups) {
    const groupEnd = groupStart + rows
    const wanted = spans.slice(next).some(({ start, end }) => start < groupEnd && end > groupStart)
    const block = wanted ? await readGroup(table, features, groupStart, groupEnd) : null
    for (let span = spans[next]; span && span.start < groupEnd; span = spans[next]) {
      const [start, end] = [Math.max(span.start, groupStart), Math.min(span.end, groupEnd)]
      const isHuge = (span.end - span.start) * width > MOST_NUMBERS
      if (block && end > start && !isHuge) parts.push(cut(block, start - groupStart, end - groupStart))
      if (span.end > groupEnd && groupEnd < table.rows) break
      yield [span.of, isHuge ? null : joined(features, parts)]
      parts = []
      next += 1
    }
    groupStart = groupEnd
  }
  for (const { of } of spans.slice(next)) yield [of, joined(features, [])]
}

async function readGroup(
  table: OpenParquet,
  features: readonly NumberFeature[],
  start: number,
  end: number,
): Promise<EpisodeRows> {
  const columns = new Map<string, Column>()
  for (const feature of features) {
    const rows = await table.read([feature.name], start, end)
    columns.set(feature.name, columnOf(feature, rows))
  }
  return { frames: end - start, columns }
}

function columnOf(feature: NumberFeature, rows: readonly Readonly<Record<string, unknown>>[]): Column {
  const { name, width } = feature
  const values = new Float64Array(rows.length * width).fill(Number.NaN)
  let odd: Column['odd'] = null
  for (const [frame, row] of rows.entries()) {
    const value = row[name]
    if (width === 1 && !isList(value)) {
      values[frame] = numberOf(value)
      continue
    }
    const numbers = numbersOf(value)
    if (numbers.length !== width) odd ??= { frame, width: numbers.length }
    for (let at = 0; at < Math.min(width, numbers.length); at += 1)
      values[frame * width + at] = numbers[at] ?? Number.NaN
  }
  return { feature, values, odd }
}

const isList = (value: unknown) => Array.isArray(value) || ArrayBuffer.isView(value)

/** What is not a number is none: NaN. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : Number.NaN
}

/** All numbers of a value: of one, a list, lists in lists. */
export function numbersOf(value: unknown): number[] {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, numberOf)
  if (Array.isArray(value)) return value.flatMap((part) => (isList(part) ? numbersOf(part) : [numberOf(part)]))
  return value === null || value === undefined ? [] : [numberOf(value)]
}

function cut({ columns }: EpisodeRows, start: number, end: number): EpisodeRows {
  const part = new Map<string, Column>()
  for (const [name, { feature, values, odd }] of columns) {
    const within = odd && odd.frame >= start && odd.frame < end ? { ...odd, frame: odd.frame - start } : null
    part.set(name, { feature, values: values.slice(start * feature.width, end * feature.width), odd: within })
  }
  return { frames: end - start, columns: part }
}

function joined(features: readonly NumberFeature[], parts: readonly EpisodeRows[]): EpisodeRows {
  const [first] = parts
  if (first && parts.length === 1) return first
  const frames = parts.reduce((sum, part) => sum + part.frames, 0)
  const columns = new Map<string, Column>()
  for (const feature of features) {
    const values = new Float64Array(frames * feature.width)
    let odd: Column['odd'] = null
    let start = 0
    for (const part of parts) {
      const column = part.columns.get(feature.name)
      if (column) values.set(column.values, start * feature.width)
      if (column?.odd) odd ??= { ...column.odd, frame: start + column.odd.frame }
      start += part.frames
    }
    columns.set(feature.name, { feature, values, odd })
  }
  return { frames, columns }
}
