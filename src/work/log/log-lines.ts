/**
 * Lines of a log, as readers take them from its chunks. Pure. A line ends with `\n`, in whichever chunk that comes:
 * reports cut a log where they like. The line that a log ends in without one is open; the next chunk of the holder
 * continues with it, whatever notices of the hub come between.
 */

const CARRIAGE_RETURN = 13

/** The text without the `\r` of a line end. */
const withoutReturn = (line: string) =>
  line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line

/**
 * The lines of a text without line ends, the last one also where it is open. A `\r` inside a line, as progress bars
 * write it, stays in the line.
 */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map(withoutReturn)
}

/** The line that begins with `open` and continues with `rest`, the first line of a later chunk. */
export function joined(open: string, rest: string): string {
  return rest === '' ? withoutReturn(open) : open + rest
}

/**
 * What of a chunk is after its last line end; nothing where a line ends with the chunk, as the number of lines that end
 * in it says.
 */
export function openEndOf(text: string, lineCount: number): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return end !== '' && linesOf(text).length > lineCount ? end : ''
}
