/**
 * All terminal output goes through here. Names, errors and log lines are untrusted: characters that could move the cursor, hide text or send input
 * are escaped as in JSON (`\u001b`), so that lines of JSON stay the same JSON.
 */
import { writeJson } from '../client/index.ts'

interface Stream {
  write(text: string): unknown
}

/** Control characters, bidirectional controls and line separators. */
const control = '[\\p{Cc}\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]'
/** Select Graphic Rendition: colors and weights, which are harmless. */
const graphic = '\\u001b\\[[0-9;:]*m'

const controls = new RegExp(control, 'gu')
const controlsOrColors = new RegExp(`${graphic}|${control}`, 'gu')

function shown(character: string, allowed: string): string {
  if (allowed.includes(character)) return character
  const text = JSON.stringify(character).slice(1, -1)
  return text === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : text
}

/** Escapes untrusted text for one terminal line. */
export function inLine(text: string): string {
  return text.replace(controls, (character) => shown(character, '\t'))
}

/** A log line. On a terminal, colors are allowed, and of text overwritten with `\r` (progress bars) only the last state, after an ellipsis. */
export function logText(line: string, isTerminal: boolean): string {
  const whole = line.replace(/\r+$/, '')
  if (!isTerminal) return inLine(whole)
  const over = whole.lastIndexOf('\r') + 1
  const text = inLineColored(over > 0 ? `…${whole.slice(over)}` : whole)
  return text.includes('\x1b') ? `${text}\x1b[0m` : text
}

/** Like `inLine`, but keeps colors. */
export function inLineColored(text: string): string {
  return colored(text, '\t')
}

function colored(text: string, allowed: string): string {
  return text.replace(controlsOrColors, (found) => (found.length > 1 ? found : shown(found, allowed)))
}

/** Prints text, escaped except for newlines and tabs. */
export function print(stream: Stream, text: string): void {
  stream.write(text.replace(controls, (character) => shown(character, '\n\t')))
}

/** Like `print`, but keeps colors. */
export function printColored(stream: Stream, text: string): void {
  stream.write(colored(text, '\n\t'))
}

/** Prints one object as one line of JSON; numbers keep their original form. */
export function printJson(stream: Stream, object: unknown): void {
  print(stream, `${writeJson(object)}\n`)
}

/** Prints a line that the next output overwrites; '' clears it. */
export function printOver(stream: Stream, text: string): void {
  stream.write(`\r\x1b[K${inLine(text)}`)
}
