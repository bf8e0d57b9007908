/** Lines of a log chunk. Pure. A chunk consists of complete lines: a line that is cut at the end of a chunk counts as two lines. */

const CARRIAGE_RETURN = 13

/** The lines without line ends. A `\r` inside a line, as progress bars write it, stays in the line. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line))
}

/** The number of lines that `linesOf` returns. */
export function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
