/** JSON as the hub keeps it: numbers stay as they are written, on every Node that the client runs on. */
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** Reads JSON. A number that JavaScript would write in another way becomes a `LosslessNumber`; all else is what `JSON.parse` makes of it. Throws SyntaxError. */
export function readJson(text: string): unknown {
  return parse(text, null, {
    parseNumber: (number) => (String(Number(number)) === number ? Number(number) : new LosslessNumber(number)),
    // The last one counts, as for everybody else.
    onDuplicateKey: ({ newValue }) => newValue,
  })
}

/** Writes what `readJson` read, and any other value, as JSON. */
export function writeJson(value: unknown): string {
  const text = stringify(value)
  if (text === undefined) throw new TypeError('The value has no JSON.')
  return text
}

/** The double of a number in either form; undefined for what is none. */
export function asDouble(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return isLosslessNumber(value) ? Number(value.toString()) : undefined
}

/** What JSON calls an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
}
