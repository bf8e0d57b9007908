import type { FaultKind, ModelFault } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'

/** Where what is found goes: `Faults`, or a list of warnings. */
export interface Sink {
  add(
    kind: FaultKind,
    place: XmlElement,
    message: string,
    details?: { readonly names?: readonly string[]; readonly hint?: string },
  ): void
}

/** A person reads the first of them; unlike faults, too many do not end the reading. */
const MAX_WARNINGS = 100

/** Appends to a list of warnings, up to 100 of them. */
export function warningSink(warnings: ModelFault[]): Sink {
  return {
    add(kind, { file, line }, message, details = {}) {
      const { names = [], hint = null } = details
      if (warnings.length < MAX_WARNINGS) warnings.push({ kind, message, file, line, names, hint })
    },
  }
}
