/**
 * Decodes attribute values like MuJoCo's parser, which works in place on bytes; its quirks are kept. One pass:
 * lookahead is scanned once, however many `&` precede it.
 */
import { bytesOf, textOf, utf8Of } from './document-text.ts'

const LF = 0x0a
const CR = 0x0d
const AMPERSAND = 0x26
const HASH = 0x23
const SEMICOLON = 0x3b
const LOWER_X = 0x78
const MAX_CODE_POINT = 0x10ffff

const entities = [
  { bytes: bytesOf('&quot;'), value: 0x22 },
  { bytes: bytesOf('&amp;'), value: AMPERSAND },
  { bytes: bytesOf('&apos;'), value: 0x27 },
  { bytes: bytesOf('&lt;'), value: 0x3c },
  { bytes: bytesOf('&gt;'), value: 0x3e },
]

/**
 * The decoded value of the raw text between the quotes: line ends become LF, the five entities and character references
 * are decoded.
 */
export function attributeValue(raw: string): string {
  if (!raw.includes('&') && !raw.includes('\r')) return raw
  const bytes = bytesOf(raw)
  const referenceAt = characterReferences(bytes)
  let from = 0
  let to = 0
  while (from < bytes.length) {
    const byte = bytes[from] ?? 0
    const next = bytes[from + 1]
    if (byte === CR || byte === LF) {
      from += next === (byte === CR ? LF : CR) ? 2 : 1
      bytes[to++] = LF
    } else if (byte !== AMPERSAND) {
      bytes[to++] = byte
      from += 1
    } else if (next === HASH) {
      const reference = referenceAt(from)
      const decoded = reference?.utf8 ?? [AMPERSAND]
      bytes.set(decoded, to)
      to += decoded.length
      from = reference?.end ?? from + 1
    } else {
      const entity = entityAt(bytes, from)
      // An unknown entity leaves the byte at the write position unchanged: not the `&` if an earlier entity has
      // shortened the text.
      if (entity) bytes[to] = entity.value
      to += 1
      from += entity?.bytes.length ?? 1
    }
  }
  const end = bytes.subarray(0, to).indexOf(0)
  return textOf(bytes.subarray(0, end === -1 ? to : end))
}

function entityAt(bytes: Uint8Array, at: number) {
  for (const entity of entities) {
    let same = 1
    while (same < entity.bytes.length && bytes[at + same] === entity.bytes[same]) same += 1
    if (same === entity.bytes.length) return entity
  }
  return null
}

/**
 * Reads `&#N;` and `&#xN;` at places that only move forward; null if the `&` is literal. `&#;` is NUL, and `&#` at the
 * very end loses its `&`.
 */
function characterReferences(bytes: Uint8Array) {
  let semicolon = bytes.indexOf(SEMICOLON)
  const codes = { decimal: { of: -1, code: null as number | null }, hex: { of: -1, code: null as number | null } }
  return (at: number): { utf8: readonly number[]; end: number } | null => {
    if (at + 2 >= bytes.length) return { utf8: [], end: at + 1 }
    const isHex = bytes[at + 2] === LOWER_X
    if (semicolon !== -1 && semicolon < at + 2) semicolon = bytes.indexOf(SEMICOLON, at + 2)
    if (semicolon === -1 || at + (isHex ? 3 : 2) >= bytes.length) return null
    const last = isHex ? codes.hex : codes.decimal
    if (last.of !== semicolon) {
      last.of = semicolon
      last.code = codeBefore(bytes, semicolon, isHex ? LOWER_X : HASH, isHex ? 16 : 10)
    }
    return last.code === null ? null : { utf8: utf8Of(last.code), end: semicolon + 1 }
  }
}

/** From the last digit back to the nearest `#` or `x`, which need not be the start of the reference. */
function codeBefore(bytes: Uint8Array, semicolon: number, terminator: number, radix: number): number | null {
  let code = 0
  let weight = 1
  for (let index = semicolon - 1; bytes[index] !== terminator; index -= 1) {
    const digit = Number.parseInt(String.fromCharCode(bytes[index] ?? 0), radix)
    if (Number.isNaN(digit)) return null
    code = (code + weight * digit) >>> 0
    weight = Math.min(weight * radix, MAX_CODE_POINT)
  }
  return code > MAX_CODE_POINT ? null : code
}
