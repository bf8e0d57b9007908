/** JSON that preserves how numbers are written, on every supported Node version. */
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/**
 * Parses JSON. A number that JavaScript would print differently becomes a `LosslessNumber`; everything else is as from
 * `JSON.parse`. Throws SyntaxError.
 */
export function readJson(text: string): unknown {
  return parse(text, null, {
    parseNumber: (number) => (String(Number(number)) === number ? Number(number) : new LosslessNumber(number)),
    // Last one wins, as in `JSON.parse`.
    onDuplicateKey: ({ newValue }) => newValue,
  })
}

/** Serializes any value, including results of `readJson`; on one line, or indented by `spaces`. */
export function writeJson(value: unknown, spaces?: number): string {
  const text = stringify(value, null, spaces)
  if (text === undefined) throw new TypeError('The value cannot be serialized as JSON.')
  return text
}

/** Either form of number as a double; undefined for anything else. */
export function asDouble(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return isLosslessNumber(value) ? Number(value.toString()) : undefined
}

/** Whether the value is a JSON object: not null, an array or a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
}
