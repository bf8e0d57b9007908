/** Draws texts in place of each other on a terminal. */
import { printAt, type Stream } from './terminal.ts'

// Without a cursor, and long lines cut by the terminal: a line that wraps would be two.
const BEGIN = '\x1b[?25l\x1b[?7l'
const END = '\x1b[?25h\x1b[?7h'

/** Begins at once. `end` must be called: it gives the cursor back. */
export function drawingOn(stream: Stream) {
  let drawn = 0
  printAt(stream, BEGIN)
  const over = (lines: readonly string[]) => {
    printAt(stream, `${drawn === 0 ? '' : `\x1b[${drawn}A`}\r\x1b[J`, lines)
    drawn = lines.length
  }
  return {
    /** Draws as many lines as the terminal has room for, and the footer below them. */
    draw(text: string, footer: string, height: number): void {
      const lines = text.trimEnd().split('\n')
      const room = Math.max(2, height - 1)
      const shown = lines.length + 2 <= room ? [...lines, ''] : lines.slice(0, room - 1)
      const left = lines.length - shown.length
      over([...shown, left <= 0 ? footer : `… ${left} more lines; ${footer}`])
    },
    /** Draws all of the last text. */
    end(text: string | null): void {
      printAt(stream, END)
      if (text !== null) over(text.trimEnd().split('\n'))
    },
  }
}
