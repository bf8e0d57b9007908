/** The entries of a report of media as rows, with what is wrong with them. Pure. Contract, "Media of a run". */
import { asDouble, isJsonObject, writeExact } from '@hub/formats/exact-json'
import { invalid, tooLarge } from '../../platform/errors.ts'
import { MAX_MEDIA_VALUE_BYTES, type RunMediaKind } from './media-shape.ts'

/** One entry as its runner gives it: either `path` or `value`. */
export interface GivenMedia {
  readonly key: string
  readonly step: number
  readonly index?: number | null
  readonly kind: RunMediaKind
  readonly path?: string | null
  readonly value?: unknown
  readonly caption?: string | null
  readonly width?: number | null
  readonly height?: number | null
  readonly seconds?: number | null
  readonly at?: string | null
}

/** An entry as it is stored. */
export interface MediaRow extends Omit<GivenMedia, 'value' | 'index'> {
  readonly index: number
  /** The value as JSON, with its numbers as they were written. */
  readonly text: string | null
  /** What it counts against the storage of the run's owner. */
  readonly bytes: number
  /** Where it stands in the request. */
  readonly place: number
}

/** The rows of a request. Of two entries at one key, step and index the later one wins. Throws 422, 413. */
export function mediaRowsOf(given: readonly GivenMedia[]): MediaRow[] {
  const rows = given.map(rowOf)
  return [...new Map(rows.map((row) => [placeOf(row), row])).values()]
}

/** Names the place of an entry in its run. */
export const placeOf = ({ key, step, index }: Pick<MediaRow, 'key' | 'step' | 'index'>): string =>
  JSON.stringify([key, step, index])

function rowOf(entry: GivenMedia, place: number): MediaRow {
  const { value, ...rest } = entry
  const fault = faultOf(entry)
  if (fault) throw invalid('validation.value', fault.detail, ['media', place, ...(fault.member ? [fault.member] : [])])
  const text = value == null ? null : writeExact(value)
  const used = sizeOf(text)
  if (used > MAX_MEDIA_VALUE_BYTES) {
    const detail = `has ${used} bytes as JSON; ${MAX_MEDIA_VALUE_BYTES} is the limit. Upload it as a file, and give its path.`
    throw tooLarge(detail, ['media', place, 'value'], { unit: 'bytes', limit: MAX_MEDIA_VALUE_BYTES, used })
  }
  const bytes = sizeOf(entry.key) + sizeOf(entry.path) + sizeOf(entry.caption) + used
  return { ...rest, index: entry.index ?? 0, text, bytes, place }
}

const sizeOf = (text: string | null | undefined) => (text == null ? 0 : Buffer.byteLength(text))

interface Fault {
  readonly detail: string
  readonly member?: 'path' | 'value'
}

function faultOf({ kind, path, value }: GivenMedia): Fault | null {
  if (path != null && value != null) return { detail: 'has both a path and a value; give one of them.' }
  if (path != null) return null
  const check = valueFaults[kind]
  if (!check) return { detail: `is needed: what is shown as ${kind} is a file.`, member: 'path' }
  if (value == null) return { detail: 'has neither a path nor a value; give one of them.' }
  const detail = check(value)
  return detail === null ? null : { detail, member: 'value' }
}

/** What is wrong with the value of each kind that can have one. */
const valueFaults: Partial<Record<RunMediaKind, (value: unknown) => string | null>> = {
  text: (value) => (typeof value === 'string' ? null : 'must be a text.'),
  table: tableFault,
  histogram: histogramFault,
}

function tableFault(value: unknown): string | null {
  const { columns, rows }: Record<string, unknown> = isJsonObject(value) ? value : {}
  if (!Array.isArray(columns) || !Array.isArray(rows)) return 'must have the lists `columns` and `rows`.'
  const isName = (name: unknown) => typeof name === 'string' || asDouble(name) !== null
  if (!columns.every(isName)) return 'must have texts or numbers as `columns`.'
  const at = rows.findIndex((row) => !Array.isArray(row) || row.length !== columns.length)
  return at < 0 ? null : `must have ${columns.length} cells in each row, one for each column; row ${at} has not.`
}

function histogramFault(value: unknown): string | null {
  const { edges, counts }: Record<string, unknown> = isJsonObject(value) ? value : {}
  const areNumbers = (list: unknown): list is unknown[] =>
    Array.isArray(list) && list.every((item) => asDouble(item) !== null)
  if (!areNumbers(edges) || !areNumbers(counts)) return 'must have the lists of numbers `edges` and `counts`.'
  if (counts.length > 0 && edges.length === counts.length + 1) return null
  return `must have one edge more than counts, of which there is at least one; it has ${edges.length} and ${counts.length}.`
}
