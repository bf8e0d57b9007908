/** The one rule by which the hub hashes and compares what clients declare: RFC 8785 canonical JSON, except for numbers that a double cannot represent. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ExactNumber, isJsonObject } from './exact-json.ts'

/**
 * Lower-case hex of SHA-256 over `canonicalText`. Members that are null count as absent, at every level; nothing is defaulted, rounded or sorted but the
 * members of objects. Throws for what JSON cannot say (an infinity, `undefined`).
 */
export function canonicalSha256(value: object): string {
  return createHash('sha256')
    .update(canonicalText(withoutNulls(value)))
    .digest('hex')
}

/**
 * Canonical JSON. A number that its nearest double does not give back (`9007199254740993`, `1e-400`) is written as in its source, so that two of them that
 * round to one stay two; every other one as RFC 8785 says (`1.0` is `1`, `-0` is `0`).
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

/** Sign, digits without zeros at either end, and exponent: equal for two texts exactly when they say the same number. Linear, however long the text is. */
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

/** A null in a list is a value and stays: the places of the others hang on it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}
