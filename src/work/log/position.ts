/** Position of a follower in the log and metrics of a job, as in an SSE `id` or a cursor. Pure. */

/**
 * The last log chunk of which lines were sent, the number of its lines that were sent, and the last metrics row that
 * was sent. A line is of the chunk in which it ends. An open line that was sent as far as it went counts as one more of
 * the last chunk: if it continues, it is sent again, whole.
 */
export interface LogPosition {
  readonly chunk: number
  readonly line: number
  readonly metric: number
}

const shape = /^(\d{1,15})\.(\d{1,15})-(\d{1,15})$/

/** `5.3-12`: three lines of chunk 5, and metrics up to row 12. */
export function positionText({ chunk, line, metric }: LogPosition): string {
  return `${chunk}.${line}-${metric}`
}

/** Parses a position; null if the text is malformed. */
export function readPosition(text: string): LogPosition | null {
  const [, chunk, line, metric] = shape.exec(text) ?? []
  return chunk === undefined ? null : { chunk: Number(chunk), line: Number(line), metric: Number(metric) }
}
