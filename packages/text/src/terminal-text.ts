/**
 * Untrusted text for a terminal: characters that move the cursor, hide text or send input are escaped as in JSON
 * (`\u001b`).
 */
import { escaped, hiddenCharacters, withHiddenShown } from './hidden-characters.ts'

/** Select Graphic Rendition: colors and weights, which are harmless. */
const graphic = '\\u001b\\[[0-9;:]*m'

const hiddenOrColors = new RegExp(`${graphic}|${hiddenCharacters}`, 'gu')

/** Escapes untrusted text for one terminal line. */
export function inLine(text: string): string {
  return withHiddenShown(text, '\t')
}

/** Like `inLine`, but keeps colors. */
export function inLineColored(text: string): string {
  return colored(text, '\t')
}

/** Several lines, escaped except for colors, newlines and tabs. */
export function linesColored(text: string): string {
  return colored(text, '\n\t')
}

function colored(text: string, allowed: string): string {
  return text.replace(hiddenOrColors, (found) => (found.length > 1 || allowed.includes(found) ? found : escaped(found)))
}
