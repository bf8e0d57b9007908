/** The reading of a model that was stopped before it was read to its end. */
import { emptyReading, type ModelReading } from '../reading.ts'

/** Nothing is known about the model except that it exceeds a limit. */
export function overLimitReading(entry: string, message: string, hint: string): ModelReading {
  return {
    ...emptyReading(entry),
    files: [entry],
    faults: [{ kind: 'limit', message, file: entry, line: null, names: [entry], hint }],
    unread: message,
    asked: [{ path: entry, text: true }],
  }
}
