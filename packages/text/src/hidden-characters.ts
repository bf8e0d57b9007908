/**
 * Characters that move a cursor, hide text or show it in another order, such as `cod.exe` backwards. Pure, so that a
 * browser can import it.
 */

/**
 * Control characters, bidirectional controls and line separators, as the source of a regular expression with the flag
 * `u`.
 */
export const hiddenCharacters = '[\\p{Cc}\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]'

const hidden = new RegExp(hiddenCharacters, 'gu')

/** The character as a JSON escape, such as `\u001b`. */
export function escaped(character: string): string {
  const text = JSON.stringify(character).slice(1, -1)
  return text === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : text
}

/** Untrusted text with its hidden characters escaped; `allowed` are those that stay. */
export function withHiddenShown(text: string, allowed = ''): string {
  return text.replace(hidden, (character) => (allowed.includes(character) ? character : escaped(character)))
}
