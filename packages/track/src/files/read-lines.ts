/** The next lines of a growing file that a command writes. */
import { type MetricsBatch, readMetrics } from '@hub/runner/metrics-batch'
import { readFrom } from '@hub/runner/worker/growing-file'

const NEWLINE = 10
/** Longer than the longest line, so that the end of one is seen. */
const WINDOW = 1024 * 1024 + 64 * 1024

/** Lines from `from` on, at most up to `to`; `isFinal`: a last line without an end is complete. */
export async function readLines(file: string, from: number, to: number, isFinal: boolean): Promise<MetricsBatch> {
  const before = Math.min(from, 1)
  const length = before + Math.min(to - from, WINDOW)
  const window = await readFrom(file, from - before, length)
  // The rest of a line that was too long.
  const isInLine = before === 1 && window.length > 0 && window[0] !== NEWLINE
  return readMetrics(window.subarray(before), isFinal && from + window.length - before >= to, isInLine)
}
