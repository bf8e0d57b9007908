/** The JSON of a header: as it is written, with its aliases written out, within limits. */
import { ExactNumber } from '@hub/formats/exact-json'
import { MAX_CARD_BYTES, MAX_CARD_LEVELS, MAX_CARD_VALUES } from './limits.ts'

/** The text of the JSON, or one sentence that says why there is none. */
export type CardJson = { readonly text: string; readonly fault: null } | { readonly text: null; readonly fault: string }

class OverLimit extends Error {}

/** Aliases expand a page of text to gigabytes, or to a value that contains itself: writing ends at the first limit. */
export function cardJson(members: Readonly<Record<string, unknown>>): CardJson {
  let values = 0
  let bytes = 0

  const add = (text: string): string => {
    bytes += Buffer.byteLength(text)
    if (bytes > MAX_CARD_BYTES) throw new OverLimit(`is over ${MAX_CARD_BYTES / 1024} KiB as JSON`)
    return text
  }

  const write = (value: unknown, level: number): string => {
    values += 1
    if (values > MAX_CARD_VALUES) throw new OverLimit(`has more than ${MAX_CARD_VALUES} values`)
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return add(scalarJson(value))
    if (level > MAX_CARD_LEVELS) throw new OverLimit(`has more than ${MAX_CARD_LEVELS} levels`)
    const open = add(Array.isArray(value) ? '[' : '{')
    const inner = Object.entries(value).map(([name, member], place) => {
      const comma = place > 0 ? add(',') : ''
      const key = Array.isArray(value) ? '' : add(`${textJson(name)}:`)
      return comma + key + write(member, level + 1)
    })
    return open + inner.join('') + add(open === '[' ? ']' : '}')
  }

  try {
    return { text: write(members, 1), fault: null }
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error
    return { text: null, fault: `The header of README.md ${error.message}, its aliases written out, and is not used.` }
  }
}

/** PostgreSQL keeps no NUL, and UTF-8 has no half of a surrogate pair. */
const textJson = (text: string) => JSON.stringify(text.toWellFormed().replaceAll('\0', '\uFFFD'))

function scalarJson(value: unknown): string {
  if (value instanceof ExactNumber || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return textJson(value)
  // JSON has no such number: what YAML writes for it.
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? '".nan"' : infinity(value)
  return JSON.stringify(value) ?? 'null'
}

const infinity = (value: number) => (value < 0 ? '"-.inf"' : '".inf"')
