/** What MuJoCo's parser makes of the text between the quotes of an attribute. It works in place on bytes, which shows in two odd corners kept here. */
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

/** The value that the raw text between the quotes stands for: line ends become LF, the five entities and character references are decoded. */
export function attributeValue(raw: string): string {
  if (!raw.includes('&') && !raw.includes('\r')) return raw
  const bytes = bytesOf(raw)
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
      const reference = characterReference(bytes, from)
      if (reference) {
        bytes.set(reference.utf8, to)
        to += reference.utf8.length
        from = reference.end
      } else {
        bytes[to++] = AMPERSAND
        from += 1
      }
    } else {
      const entity = entities.find((one) => one.bytes.every((expected, index) => bytes[from + index] === expected))
      // An unknown entity leaves the byte at the place written to as it is: no longer the `&` once an entity before it made the text shorter.
      if (entity) bytes[to] = entity.value
      to += 1
      from += entity?.bytes.length ?? 1
    }
  }
  const end = bytes.subarray(0, to).indexOf(0)
  return textOf(bytes.subarray(0, end === -1 ? to : end))
}

/** `&#N;` or `&#xN;` at `at`; null where the `&` stands for itself. `&#;` is NUL, and `&#` at the very end loses its `&`. */
function characterReference(bytes: Uint8Array, at: number): { utf8: readonly number[]; end: number } | null {
  if (at + 2 >= bytes.length) return { utf8: [], end: at + 1 }
  const hex = bytes[at + 2] === LOWER_X
  const terminator = hex ? LOWER_X : HASH
  const first = hex ? at + 3 : at + 2
  const semicolon = bytes.indexOf(SEMICOLON, first)
  if (first >= bytes.length || semicolon === -1) return null
  let code = 0
  let weight = 1
  // From the last digit back to the nearest `#` or `x`.
  for (let index = semicolon - 1; bytes[index] !== terminator; index -= 1) {
    const digit = Number.parseInt(String.fromCharCode(bytes[index] ?? 0), hex ? 16 : 10)
    if (Number.isNaN(digit)) return null
    code = (code + weight * digit) >>> 0
    weight = Math.min(weight * (hex ? 16 : 10), MAX_CODE_POINT)
  }
  return code > MAX_CODE_POINT ? null : { utf8: utf8Of(code), end: semicolon + 1 }
}
