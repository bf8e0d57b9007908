/**
 * Bytes to text and back without loss. MuJoCo compares bytes and minds no encoding; a byte that is no UTF-8 becomes the lone surrogate U+DC00 + byte (as
 * Python's `surrogateescape` does), so that two names that differ in such a byte stay different.
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

/** Splits where the bytes are no UTF-8; sequences are at most four bytes long. */
function withEscapedBytes(bytes: Uint8Array): string {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length === 0) {
      parts.push(strict.decode(bytes.subarray(from, at)), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)))
      from = at + 1
    }
    at += length || 1
  }
  parts.push(strict.decode(bytes.subarray(from)))
  return parts.join('')
}

/** Length of the well-formed sequence that starts there, 0 where none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  try {
    strict.decode(bytes.subarray(at, at + length))
    return at + length <= bytes.length ? length : 0
  } catch {
    return 0
  }
}

/** The bytes that `text` was made of. */
export function bytesOf(text: string): Uint8Array {
  const encoder = new TextEncoder()
  // Two escaped bytes never pair up: the first half of a surrogate pair is below U+DC00.
  const parts = text.split(/([\udc80-\udcff])/u).map((part) => {
    const code = part.length === 1 ? part.charCodeAt(0) : 0
    return code >= 0xdc80 && code <= 0xdcff ? Uint8Array.of(code - 0xdc00) : encoder.encode(part)
  })
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
