/**
 * Bytes to text and back without loss. MuJoCo compares bytes regardless of encoding; a byte that is not valid UTF-8
 * becomes the lone surrogate U+DC00 + byte (as Python's `surrogateescape` does), so that two names that differ in such
 * a byte stay different.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a document up to its first NUL, where a C string ends. */
export function documentText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return textOf(end === -1 ? bytes : bytes.subarray(0, end))
}

/** Text of bytes, any bytes. */
export function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return withEscapedBytes(bytes)
  }
}

/** Arguments of one call of `String.fromCharCode`; engines allow about 65,000. */
const UNITS_A_CALL = 8_192

function withEscapedBytes(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let count = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length === 0) {
      units[count++] = 0xdc00 + (bytes[at] ?? 0)
      at += 1
      continue
    }
    const code = codePointAt(bytes, at, length)
    if (code > 0xffff) {
      units[count++] = 0xd7c0 + (code >> 10)
      units[count++] = 0xdc00 + (code & 0x3ff)
    } else {
      units[count++] = code
    }
    at += length
  }
  let text = ''
  for (let at = 0; at < count; at += UNITS_A_CALL) {
    text += String.fromCharCode(...units.subarray(at, Math.min(count, at + UNITS_A_CALL)))
  }
  return text
}

/** Smallest code points of sequences of two, three and four bytes: shorter ones must not be spelled longer. */
const smallest = [0, 0, 0x80, 0x800, 0x10000]

/** Length of the well-formed sequence that starts there, 0 where none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  for (let index = 1; index < length; index += 1) {
    if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0
  }
  const code = codePointAt(bytes, at, length)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  return code < (smallest[length] ?? 0) || code > 0x10ffff || isSurrogate ? 0 : length
}

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  const lead = bytes[at] ?? 0
  let code = length === 1 ? lead : lead & (0x7f >> length)
  for (let index = 1; index < length; index += 1) code = (code << 6) | ((bytes[at + index] ?? 0) & 0x3f)
  return code
}

/** The bytes that `text` was made of. */
export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text)
  const bytes = new Uint8Array(text.length * 3)
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0
    if (code > 0xffff) at += 1
    if (code < 0x80) bytes[count++] = code
    else if (code >= 0xdc80 && code <= 0xdcff) bytes[count++] = code - 0xdc00
    else for (const byte of utf8Of(code)) bytes[count++] = byte
  }
  return bytes.subarray(0, count)
}

/** UTF-8 of any code point, surrogates included, which TextEncoder would replace. */
export function utf8Of(code: number): readonly number[] {
  if (code < 0x80) return [code]
  const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f)
  if (code < 0x800) return [0xc0 | (code >> 6), tail(0)]
  if (code < 0x10000) return [0xe0 | (code >> 12), tail(6), tail(0)]
  return [0xf0 | (code >> 18), tail(12), tail(6), tail(0)]
}
