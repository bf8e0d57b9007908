/** What is wrong with a model: one fault for each place, collected, so that the first does not hide the others. */
import { limits } from './limits.ts'
import type { XmlElement } from './xml/element.ts'

/**
 * `entry`: the entry itself is absent, empty or no model. `xml`: not well-formed as MuJoCo's parser reads it. `include`: an include that cannot be
 * resolved. `schema`: an element, attribute or number of occurrences that MJCF does not have. `value`: an attribute that cannot be read. `reference`: a
 * name that nothing bears. `name`: a name borne twice or missing where one is needed. `compile`: well-formed, but MuJoCo refuses to compile it.
 * `limit`: over a stated cap of this reader. `path`: a path that leaves the repo. `asset`: a file that is there but that MuJoCo cannot read.
 */
export type FaultKind =
  | 'entry'
  | 'xml'
  | 'include'
  | 'schema'
  | 'value'
  | 'reference'
  | 'name'
  | 'compile'
  | 'limit'
  | 'path'
  | 'asset'

export interface ModelFault {
  readonly kind: FaultKind
  /** A sentence that names the thing: what is wrong, not what to do. */
  readonly message: string
  readonly file: string | null
  /** 1-based; null where no line is to blame. */
  readonly line: number | null
  /** What the fault is about: element names, joint names, paths. */
  readonly names: readonly string[]
  /** One line on how to mend it. */
  readonly hint: string | null
}

/** Where a fault lies: an element, a file, or nowhere in particular. */
export type FaultPlace = XmlElement | { readonly file: string; readonly line?: number } | null

/** Ends the reading: nothing sensible can be read past this fault. */
export class ModelRefusal extends Error {
  readonly fault: ModelFault

  constructor(fault: ModelFault) {
    super(fault.message)
    this.name = 'ModelRefusal'
    this.fault = fault
  }
}

interface FaultDetails {
  readonly names?: readonly string[]
  readonly hint?: string
}

/** Collects faults; past the cap the reading ends. */
export class Faults {
  readonly items: ModelFault[] = []
  /** Elements that are out of place or have a value that cannot be read: what they fail to be besides follows from that, and is not told. */
  readonly #unread = new Set<FaultPlace>()

  add(kind: FaultKind, place: FaultPlace, message: string, details: FaultDetails = {}): void {
    if (kind === 'compile' && this.#unread.has(place)) return
    const itself = place !== null && 'name' in place && details.names?.includes(place.name)
    if (kind === 'value' || (kind === 'schema' && itself)) this.#unread.add(place)
    this.items.push(faultAt(kind, place, message, details))
    if (this.items.length >= limits.faults) {
      throw new ModelRefusal(faultAt('limit', null, `More than ${limits.faults} faults; the rest is not read.`, {}))
    }
  }

  /** For what the rest of the reading stands on. */
  refuse(kind: FaultKind, place: FaultPlace, message: string, details: FaultDetails = {}): never {
    throw new ModelRefusal(faultAt(kind, place, message, details))
  }
}

/** Messages and names repeat what a file says, which may be megabytes. */
const MAX_TEXT = 300

const clipped = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** A fault with texts of a bounded length. */
export function faultAt(kind: FaultKind, place: FaultPlace, message: string, details: FaultDetails = {}): ModelFault {
  const { names = [], hint = null } = details
  return {
    kind,
    message: clipped(message),
    file: place?.file ?? null,
    line: place?.line ?? null,
    names: names.map(clipped),
    hint: hint && clipped(hint),
  }
}
