/** A value of a table as text. Pure. */

const MOST_CHARACTERS = 200

/** What JSON has no word for; an integer past the precision of a number is a text. */
function inJson(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value instanceof Uint8Array ? `${value.length} bytes` : value
}

/** At most 200 characters. What is not there is empty, bytes are said by their number, integers keep all digits. */
export function cellText(value: unknown): string {
  const text = whole(value)
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
}

function whole(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (ArrayBuffer.isView(value)) return JSON.stringify([...(value as unknown as Iterable<number | bigint>)], inJson)
  return typeof value === 'object' ? JSON.stringify(value, inJson) : String(value)
}
