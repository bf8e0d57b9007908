/** Faults of a model: one per place, collected, so that the first does not hide the others. */
import { limits } from './limits.ts'
import type { XmlElement } from './xml/element.ts'

/**
 * `entry`: the entry itself is absent, empty or not a model. `xml`: not well-formed as MuJoCo's parser reads it.
 * `include`: an include that cannot be resolved. `schema`: an unknown element or attribute, or too many occurrences.
 * `value`: an attribute that cannot be read. `reference`: an unknown name. `name`: a duplicate or missing name.
 * `compile`: well-formed, but MuJoCo does not compile it. `limit`: over a stated cap of this reader. `path`: a path
 * that leaves the repo. `asset`: a file that exists but that MuJoCo cannot read.
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
  /** A sentence that says what is wrong, not how to fix it. */
  readonly message: string
  readonly file: string | null
  /** 1-based; null if no line applies. */
  readonly line: number | null
  /** What the fault is about: element names, joint names, paths. */
  readonly names: readonly string[]
  /** How to fix it, in one line. */
  readonly hint: string | null
}

/** The location of a fault: an element, a file, or none. */
export type FaultPlace = XmlElement | { readonly file: string; readonly line?: number } | null

/** Ends the reading: nothing useful can be read after this fault. */
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
  /**
   * Misplaced elements and elements with an unreadable value: their other faults follow from that and are not reported.
   */
  readonly #unread = new Set<FaultPlace>()

  add(kind: FaultKind, place: FaultPlace, message: string, details: FaultDetails = {}): void {
    if (kind === 'compile' && this.#unread.has(place)) return
    const itself = place !== null && 'name' in place && details.names?.includes(place.name)
    if (kind === 'value' || (kind === 'schema' && itself)) this.#unread.add(place)
    this.items.push(faultAt(kind, place, message, details))
    if (this.items.length >= limits.faults) {
      throw new ModelRefusal(faultAt('limit', null, `More than ${limits.faults} faults; the rest was not read.`, {}))
    }
  }

  /** For faults that make further reading pointless. */
  refuse(kind: FaultKind, place: FaultPlace, message: string, details: FaultDetails = {}): never {
    throw new ModelRefusal(faultAt(kind, place, message, details))
  }
}

/** Messages and names quote the file, so they can be megabytes long. */
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
