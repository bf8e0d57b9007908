/**
 * `summary.json` of the run folder: values that a script sets for its run as a whole. The hub computes a run's summary
 * from its metrics, so they are one last line of metrics below `summary/`, as in a run of the Python client.
 */
import { createHash } from 'node:crypto'
import { isJsonObject, parseExact, writeExact } from '@hub/formats/exact-json'
import { textOf } from '@hub/runner/run-files'
import type { Spool } from '../spool.ts'
import { type Source, WINDOW } from './source.ts'

const NAME = 'summary.json'
/** A number that the spool can keep as an offset, in bytes of a digest. */
const MARK_BYTES = 6

interface SummaryOptions {
  readonly file: string
  readonly spool: Spool
  readonly logLine: (line: string) => void
}

/** Reads the file at the end of the command. The same text is not a line a second time. */
export function summarySource({ file, spool, logLine }: SummaryOptions): Source {
  return {
    async poll(isFinal) {
      const text = isFinal ? await textOf(file) : null
      if (text === null) return
      const mark = createHash('sha256').update(text).digest().readUIntBE(0, MARK_BYTES)
      if (spool.offsetOf(NAME) === mark) return
      spool.append(NAME, [{ to: mark, text: lineOf(text) ?? '' }])
    },
  }

  /** Null, once said, of what is not a summary. */
  function lineOf(text: string): string | null {
    try {
      const values = parseExact(text)
      if (!isJsonObject(values)) throw new Error('it must be a JSON object')
      const entries = flat('summary', values)
      const line = entries.length === 0 ? null : writeExact(Object.fromEntries(entries))
      if (line !== null && Buffer.byteLength(line) > WINDOW) throw new Error('it is longer than 1 MiB')
      return line
    } catch (error) {
      logLine(`${NAME} is left out: ${(error as Error).message}`)
      return null
    }
  }
}

/** Nested members under their names with `/` between. */
function flat(above: string, values: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const name = `${above}/${key}`
    return isJsonObject(value) ? flat(name, value) : [[name, value]]
  })
}
