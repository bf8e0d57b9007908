/**
 * How many values the text of JSON has, before it is parsed: a value takes one byte of text, and a hundred of memory
 * once it is parsed.
 */

/** Bytes of UTF-8. */
const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const OPEN_BRACE = 123

/**
 * Whether a JSON text has more than `most` values, members of objects and items of lists at every depth: each has a
 * comma before it or a bracket, and a list or an object both. Of a text that is not JSON the answer means nothing.
 */
export function hasMoreValues(text: Uint8Array, most: number): boolean {
  let left = most
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]
    if (isInString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) isInString = true
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}
