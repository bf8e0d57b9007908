/** What a report repeats of a model or a refused card, as text that every client can read and PostgreSQL can keep. Pure. */

/**
 * The value with U+FFFD for what is no Unicode or a NUL, in names of members too. Names are compared before, as they are: a file with broken UTF-8 may declare
 * two that are told alike. For values of our own making, which are not deep.
 */
export function wellFormed<T>(value: T): T {
  return mended(value) as T
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return mendedText(value)
  if (Array.isArray(value)) return value.map(mended)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [mendedText(name), mended(member)]))
}

const mendedText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')
