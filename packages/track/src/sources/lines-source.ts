/** A growing file of JSON lines. */
import { truncate } from 'node:fs/promises'
import { isJsonObject } from '@hub/formats/exact-json'
import { readFrom, sizeOf } from '@hub/runner/worker/growing-file'
import type { Spool, SpooledLine } from '../spool.ts'
import { type Source, WINDOW } from './source.ts'

const NEWLINE = 10

interface LinesOptions {
  readonly file: string
  /** Its name in the spool. */
  readonly name: string
  readonly spool: Spool
  readonly logLine: (line: string) => void
}

/** Every complete line of the file, once. What is not a JSON object the reporter says and leaves out. */
export function linesSource({ file, name, spool, logLine }: LinesOptions): Source {
  /** The rest of a line that was too long is passed over too. */
  let isInLine = false

  /** The lines of a window; an empty list where none is complete. */
  function linesIn(bytes: Uint8Array, from: number): SpooledLine[] {
    const lines: SpooledLine[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, at)
      if (end < 0) break
      const text = Buffer.from(bytes.subarray(at, end)).toString('utf8').trim()
      at = end + 1
      lines.push({ to: from + at, text: isInLine ? '' : text })
      isInLine = false
    }
    if (lines.length > 0 || bytes.length < WINDOW) return lines
    if (!isInLine) logLine(`a line of ${file} is longer than 1 MiB and is left out`)
    isInLine = true
    return [{ to: from + bytes.length, text: '' }]
  }

  return {
    async poll(isFinal) {
      for (;;) {
        const from = spool.offsetOf(name)
        const bytes = await readFrom(file, from, WINDOW)
        const lines = linesIn(bytes, from)
        spool.append(name, lines)
        if (bytes.length === WINDOW) continue
        const rest = bytes.subarray((lines.at(-1)?.to ?? from) - from)
        const text = isFinal && !isInLine ? Buffer.from(rest).toString('utf8').trim() : ''
        if (isWhole(text)) spool.append(name, [{ to: from + bytes.length, text }])
        return
      }
    },
  }
}

/** Whether a line without an end is one: a kill may have cut it off. */
function isWhole(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}

/**
 * Cuts off a line that a killed writer left unfinished: what the next one appends would become part of it. For a file
 * that nothing writes now.
 */
export async function endTornLine(file: string): Promise<void> {
  const size = await sizeOf(file)
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - WINDOW)
    const at = (await readFrom(file, from, end - from)).lastIndexOf(NEWLINE)
    if (at >= 0 || from === 0) return from + at + 1 === size ? undefined : truncate(file, from + at + 1)
    end = from
  }
}
