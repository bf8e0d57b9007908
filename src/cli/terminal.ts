/**
 * Where text reaches the terminal, all of it. Names, errors and log lines come from others: what would move the cursor, hide text or answer in the
 * person's place is written as JSON writes it (`\u001b`), so that lines of JSON stay the same JSON.
 */
import { writeJson } from '../client/index.ts'

interface Stream {
  write(text: string): unknown
}

/** Controls, and what makes a terminal or an editor show text in another order or on another line than it stands in. */
const unseen = '[\\p{Cc}\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]'
/** Select Graphic Rendition: colors and weights, which do nothing but color. */
const graphic = '\\u001b\\[[0-9;:]*m'

const controls = new RegExp(unseen, 'gu')
const controlsOrColors = new RegExp(`${graphic}|${unseen}`, 'gu')

function shown(character: string, kept: string): string {
  if (kept.includes(character)) return character
  const text = JSON.stringify(character).slice(1, -1)
  return text === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : text
}

/** A text that somebody else wrote, as one line of a terminal. */
export function inLine(text: string): string {
  return text.replace(controls, (character) => shown(character, '\t'))
}

/** A line of a log: on a terminal its colors are kept, and of what was written over (`\r`, a progress bar) the end, after an ellipsis. */
export function logText(line: string, isTerminal: boolean): string {
  const whole = line.replace(/\r+$/, '')
  if (!isTerminal) return inLine(whole)
  const over = whole.lastIndexOf('\r') + 1
  const text = inLineColored(over > 0 ? `…${whole.slice(over)}` : whole)
  return text.includes('\x1b') ? `${text}\x1b[0m` : text
}

/** A line in which colors are meant. */
export function inLineColored(text: string): string {
  return colored(text, '\t')
}

function colored(text: string, kept: string): string {
  return text.replace(controlsOrColors, (found) => (found.length > 1 ? found : shown(found, kept)))
}

/** Writes lines. */
export function print(stream: Stream, text: string): void {
  stream.write(text.replace(controls, (character) => shown(character, '\n\t')))
}

/** Writes lines in which colors are meant. */
export function printColored(stream: Stream, text: string): void {
  stream.write(colored(text, '\n\t'))
}

/** Writes one object as one line; its numbers as they came. */
export function printJson(stream: Stream, object: unknown): void {
  print(stream, `${writeJson(object)}\n`)
}

/** A line that the next one takes the place of; '' takes it away. */
export function printOver(stream: Stream, text: string): void {
  stream.write(`\r\x1b[K${inLine(text)}`)
}
