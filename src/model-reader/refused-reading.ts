/** The reading of a model that was stopped before it was read to its end. */
import type { ModelReading } from '../mjcf/reading.ts'

/** Nothing is known of the model but that it is over a limit. */
export function overLimitReading(entry: string, message: string, hint: string): ModelReading {
  return {
    entry,
    format: null,
    model: null,
    joints: [],
    roots: [],
    base: null,
    keyframes: [],
    names: { bodies: [], sites: [], cameras: [], actuators: [] },
    sizes: null,
    files: [entry],
    missing: [],
    faults: [{ kind: 'limit', message, file: entry, line: null, names: [entry], hint }],
    warnings: [],
    undecided: [],
    unread: message,
    asked: [{ path: entry, text: true }],
  }
}
