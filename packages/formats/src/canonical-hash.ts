/**
 * Canonical JSON (RFC 8785) for hashing and comparing what clients send, except that numbers a double cannot represent
 * keep their text.
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ExactNumber, isJsonObject } from './exact-json.ts'

/**
 * Lowercase hex SHA-256 of `canonicalText`. Null members count as absent at every level; nothing is defaulted or
 * rounded, and only the members of objects are sorted. Throws for values without JSON (an infinity, `undefined`).
 */
export function canonicalSha256(value: object): string {
  return createHash('sha256')
    .update(canonicalText(withoutNulls(value)))
    .digest('hex')
}

/**
 * Canonical JSON. A number that does not survive a round trip through a double (`9007199254740993`, `1e-400`) keeps its
 * source text, so that two such numbers that round to the same double stay distinct. All others follow RFC 8785 (`1.0`
 * is `1`, `-0` is `0`).
 */
export function canonicalText(value: unknown): string {
  if (value instanceof ExactNumber) return canonicalNumber(value.text)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (isJsonObject(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined)
    return `{${names
      .sort()
      .map((name) => `${leafText(name)}:${canonicalText(value[name])}`)
      .join(',')}}`
  }
  return leafText(value)
}

function leafText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('The value has no canonical form.')
  return text
}

function canonicalNumber(text: string): string {
  const double = Number(text)
  return Number.isFinite(double) && decimalOf(String(double)) === decimalOf(text) ? leafText(double) : text
}

/**
 * Normalized sign, digits and exponent: equal for two texts exactly if they are the same number. Runs in linear time.
 */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + part
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  if (start === end) return '0'
  return `${sign}${digits.slice(start, end)}e${Number(power) - part.length + digits.length - end}`
}

/** Keeps nulls in lists: the indexes of the other items depend on them. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}
