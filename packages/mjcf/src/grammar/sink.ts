import type { FaultKind, Faults, ModelFault } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'

/** What a finding is about. The hint is lazy: finding the nearest name is slow. */
interface About {
  readonly names: readonly string[]
  readonly hint?: () => string | undefined
}

/** Receives findings. */
export type Sink = (kind: FaultKind, place: XmlElement, message: string, about: About) => void

/**
 * How much of an element MuJoCo checks. `checked`: names and occurrences against the grammar, then the values. `loose`:
 * inside a frame or replicate MuJoCo reads known attributes and ignores others, and elements out of place (3.14 as all
 * versions since frames exist). `unread`: bodies next to the world body are checked against the grammar and then
 * dropped. `passed over`: both, so nothing is checked.
 */
export type Scrutiny = 'checked' | 'loose' | 'unread' | 'passed over'

/** Receivers of faults and of warnings. */
export interface Sinks {
  readonly faults: Sink
  readonly warnings: Sink
}

/** Adds to the faults of a model. */
export function faultSink(faults: Faults): Sink {
  return (kind, place, message, { names, hint: makeHint }) => {
    const hint = makeHint?.()
    faults.add(kind, place, message, { names, ...(hint !== undefined && { hint }) })
  }
}

/** Limit of warnings; unlike faults, too many do not end the reading. */
const MAX_WARNINGS = 100

/** Appends to a list of warnings, up to 100 of them. */
export function warningSink(warnings: ModelFault[]): Sink {
  return (kind, { file, line }, message, { names, hint: makeHint }) => {
    if (warnings.length >= MAX_WARNINGS) return
    warnings.push({ kind, message, file, line, names, hint: makeHint?.() ?? null })
  }
}
