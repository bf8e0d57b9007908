/**
 * Makes quotes from a model, a rejected card or a request well-formed Unicode, so that clients can read and PostgreSQL
 * can store them. Pure.
 */

/**
 * Replaces NUL and invalid Unicode with U+FFFD, in member names too. Compare names before this replacement: a file with
 * broken UTF-8 may declare two names that are equal afterwards. Recursive: only for values of known depth.
 */
export function wellFormed<T>(value: T): T {
  return wellFormedValue(value) as T
}

function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value)
  if (Array.isArray(value)) return value.map(wellFormedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [wellFormedText(name), wellFormedValue(member)]),
  )
}

const wellFormedText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')
