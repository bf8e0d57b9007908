/**
 * All terminal output goes through here. Names, errors and log lines are untrusted: characters that could move the
 * cursor, hide text or send input are escaped as in JSON (`\u001b`), so that lines of JSON stay the same JSON.
 */

import { writeExact } from '@hub/formats/exact-json'
import { withHiddenShown } from '@hub/text/hidden-characters'
import { inLine, inLineColored, linesColored } from '@hub/text/terminal-text'

export { inLine, inLineColored }

/** Where text goes to. */
export interface Stream {
  write(text: string): unknown
}

/**
 * A log line. On a terminal, colors are allowed, and of text overwritten with `\r` (progress bars) only the last state,
 * after an ellipsis.
 */
export function logText(line: string, isTerminal: boolean): string {
  const whole = line.replace(/\r+$/, '')
  if (!isTerminal) return inLine(whole)
  const over = whole.lastIndexOf('\r') + 1
  const text = inLineColored(over > 0 ? `…${whole.slice(over)}` : whole)
  return text.includes('\x1b') ? `${text}\x1b[0m` : text
}

/** Prints text, escaped except for newlines and tabs. */
export function print(stream: Stream, text: string): void {
  stream.write(withHiddenShown(text, '\n\t'))
}

/** Like `print`, but keeps colors. */
export function printColored(stream: Stream, text: string): void {
  stream.write(linesColored(text))
}

/** Prints lines, which keep colors, where a control sequence of our own has put the cursor. */
export function printAt(stream: Stream, control: string, lines: readonly string[] = []): void {
  stream.write(`${control}${lines.map((line) => `${linesColored(line)}\n`).join('')}`)
}

/** Prints one object as one line of JSON; numbers keep their original form. */
export function printJson(stream: Stream, object: unknown): void {
  print(stream, `${writeExact(object)}\n`)
}

/** Prints a line that the next output overwrites; '' clears it. */
export function printOver(stream: Stream, text: string): void {
  stream.write(`\r\x1b[K${inLine(text)}`)
}
