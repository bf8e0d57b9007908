/**
 * Lines of a log. Pure. A line ends with `\n`, in whichever chunk that comes: reports cut a log where they like. The
 * line that a log ends in without one is open; the next chunk of the holder continues with it, whatever notices of the
 * hub come between.
 */

const CARRIAGE_RETURN = 13
const NEWLINE = 10

/** An open line: the chunk that it began in, and its length so far. */
export interface OpenLine {
  readonly from: number
  readonly bytes: number
}

/**
 * An open line ends with its chunk once it is as long or in as many chunks: a reader joins it in memory, from one read
 * for each chunk.
 */
const MAX_OPEN_BYTES = 1024 * 1024
const MAX_OPEN_CHUNKS = 100

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

/** The number of line ends of a chunk, and the number of bytes after the last one. */
export interface ChunkShape {
  readonly lineEnds: number
  readonly openBytes: number
}

/** The shape of a chunk, from its UTF-8. */
export function shapeOf(bytes: Uint8Array): ChunkShape {
  let lineEnds = 0
  let after = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, after)) {
    lineEnds += 1
    after = at + 1
  }
  return { lineEnds, openBytes: bytes.byteLength - after }
}

/** What a chunk does to the lines of its log. */
export interface ChunkLines {
  /** Lines that end in it. */
  readonly lineCount: number
  /** The chunk that the line began in which this one continues with; null where it begins a line. */
  readonly lineFrom: number | null
  /** The open line after it. */
  readonly open: OpenLine | null
}

/** The lines of the holder's next chunk, which is not empty and has the number `seq`, after the open line `before`. */
export function linesAfter(before: OpenLine | null, seq: number, { lineEnds, openBytes }: ChunkShape): ChunkLines {
  const lineFrom = before?.from ?? null
  const goesOn = lineEnds === 0 ? before : null
  const open = { from: goesOn?.from ?? seq, bytes: (goesOn?.bytes ?? 0) + openBytes }
  if (openBytes === 0) return { lineCount: lineEnds, lineFrom, open: null }
  const isFull = open.bytes >= MAX_OPEN_BYTES || seq - open.from >= MAX_OPEN_CHUNKS - 1
  return isFull ? { lineCount: lineEnds + 1, lineFrom, open: null } : { lineCount: lineEnds, lineFrom, open }
}
