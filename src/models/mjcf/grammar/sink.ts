import type { FaultKind, Faults, ModelFault } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'

/** Where what is found goes. The hint is made only where it is kept: looking for the nearest name takes its time. */
export type Sink = (
  kind: FaultKind,
  place: XmlElement,
  message: string,
  names: readonly string[],
  hint?: () => string | undefined,
) => void

/**
 * How much of an element MuJoCo looks at. `checked`: names and occurrences against the grammar, then the values. `loose`: inside a frame or replicate
 * MuJoCo reads the attributes that it knows and does not notice others, nor elements out of place (3.14 as all versions since frames exist). `unread`:
 * bodies beside the world body are held against the grammar and then forgotten. `passed over`: both, so that nothing is looked at.
 */
export type Scrutiny = 'checked' | 'loose' | 'unread' | 'passed over'

/** Where faults go, and what MuJoCo passes over. */
export interface Sinks {
  readonly faults: Sink
  readonly warnings: Sink
}

/** Adds to the faults of a model. */
export function faultSink(faults: Faults): Sink {
  return (kind, place, message, names, makeHint) => {
    const hint = makeHint?.()
    faults.add(kind, place, message, { names, ...(hint !== undefined && { hint }) })
  }
}

/** A person reads the first of them; unlike faults, too many do not end the reading. */
const MAX_WARNINGS = 100

/** Appends to a list of warnings, up to 100 of them. */
export function warningSink(warnings: ModelFault[]): Sink {
  return (kind, { file, line }, message, names, makeHint) => {
    if (warnings.length >= MAX_WARNINGS) return
    warnings.push({ kind, message, file, line, names, hint: makeHint?.() ?? null })
  }
}
