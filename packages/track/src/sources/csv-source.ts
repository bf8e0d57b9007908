/** A growing CSV file whose first line names the columns. */
import { exactNumber, writeExact } from '@hub/formats/exact-json'
import { readFrom } from '@hub/runner/worker/growing-file'
import { parse } from 'csv-parse/sync'
import type { Spool, SpooledLine } from '../spool.ts'
import { type Source, WINDOW } from './source.ts'

const NEWLINE = 10
/** Longer ones are not a header. */
const MAX_HEADER = 64 * 1024

interface CsvOptions {
  readonly file: string
  /** Its name in the spool. */
  readonly name: string
  readonly spool: Spool
  readonly logLine: (line: string) => void
  /** Bytes that are read at a time. A row has at most so many. */
  readonly window?: number
}

/** Each complete row of the file as a line of metrics: other cells than numbers stay text, empty ones are left out. */
export function csvSource({ file, name, spool, logLine, window = WINDOW }: CsvOptions): Source {
  let columns: readonly string[] | null = null
  let [wasSaid, wasOpenSaid] = [false, false]

  async function header(): Promise<readonly string[] | null> {
    if (columns !== null) return columns
    const bytes = await readFrom(file, 0, MAX_HEADER)
    const end = bytes.indexOf(NEWLINE)
    if (end < 0) return null
    const [names = []] = rowsOf(Buffer.from(bytes.subarray(0, end)))
    columns = names
    if (spool.offsetOf(name) === 0) spool.append(name, [{ to: end + 1, text: '' }])
    return columns
  }

  function linesIn(bytes: Uint8Array, from: number, names: readonly string[]): SpooledLine[] {
    const lines: SpooledLine[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = rowEnd(bytes, at)
      if (end < 0) break
      lines.push({ to: from + end, text: objectIn(Buffer.from(bytes.subarray(at, end)), names) })
      at = end
    }
    return lines
  }

  function objectIn(row: Buffer, names: readonly string[]): string {
    try {
      const [cells = []] = rowsOf(row)
      const members = names.flatMap((column, place) => {
        const cell = cells[place] ?? ''
        return cell === '' ? [] : [[column, numberOrText(cell)] as const]
      })
      return members.length === 0 ? '' : writeExact(Object.fromEntries(members))
    } catch (error) {
      if (!wasSaid) logLine(`rows of ${file} that are not CSV are left out: ${(error as Error).message}`)
      wasSaid = true
      return ''
    }
  }

  /** A quote that is never closed: without an end of its row nothing behind it would ever be read. */
  function passOver(bytes: Uint8Array, from: number): void {
    if (!wasOpenSaid)
      logLine(`a row of ${file} has no end, as behind a quote that is not closed; its first line is left out`)
    wasOpenSaid = true
    spool.append(name, [{ to: from + (bytes.indexOf(NEWLINE) + 1 || bytes.length), text: '' }])
  }

  return {
    async poll(isFinal) {
      const names = await header()
      while (names !== null) {
        const from = spool.offsetOf(name)
        const bytes = await readFrom(file, from, window)
        const lines = linesIn(bytes, from, names)
        spool.append(name, lines)
        const at = (lines.at(-1)?.to ?? from) - from
        if (bytes.length === window) {
          if (at === 0) passOver(bytes, from)
          continue
        }
        const rest = Buffer.from(bytes.subarray(at))
        const text = isFinal ? objectIn(rest, names) : ''
        const isTorn = isFinal && text === '' && rest.includes(NEWLINE)
        if (isTorn) passOver(rest, from + at)
        else if (isFinal && rest.length > 0) spool.append(name, [{ to: from + bytes.length, text }])
        if (!isTorn) return
      }
    },
  }
}

const rowsOf = (text: Buffer): string[][] => parse(text, { bom: true, trim: true, relax_column_count: true })

/** Behind the end of the row at `from`: of a line end outside quotes; -1 if it is not there yet. */
function rowEnd(bytes: Uint8Array, from: number): number {
  let isQuoted = false
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === 0x22) isQuoted = !isQuoted
    else if (bytes[at] === NEWLINE && !isQuoted) return at + 1
  }
  return -1
}

/** A number as it is written, where JSON can hold it. */
const numberOrText = (cell: string) =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell) ? exactNumber(cell) : cell
