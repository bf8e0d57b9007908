/**
 * Values that are invalid anywhere in free-form JSON because JSON cannot represent or PostgreSQL cannot store them.
 * Pure.
 */
import { ExactNumber } from './exact-json.ts'
import { textFault } from './text-rules.ts'

export interface PlacedFault {
  readonly message: string
  readonly loc: readonly (string | number)[]
  /** The value is too large; nothing after this was checked. */
  readonly tooMuch?: boolean
}

const MAX_DEPTH = 100
/**
 * A robot with 100 joints needs about 2,000 values; a body of 1 MiB has room for 500,000, each of which may be a fault.
 */
const MAX_VALUES = 50_000
const MAX_FAULTS = 50
/** The fault of a member whose name would set a prototype. */
export const UNSAFE_NAME = '"__proto__" is not allowed as a member name'
/** Readers limit the length of numbers: Python to 4300 digits. */
const MAX_NUMBER_LENGTH = 1000

/**
 * The faults of a value, at most 50, in document order: a number beyond a double (`1e999` is read as infinity) or of
 * more than 1000 characters, a NUL, a lone surrogate, a member named `__proto__`, more than 100 levels or 50,000
 * values.
 */
export function freeFormFaults(root: unknown): PlacedFault[] {
  const walk = new Walk()
  walk.visit(root)
  return walk.faults
}

/**
 * One walk through a value. The sender controls the depth, which ends at 100, and the number of values: only the place
 * of a fault is copied.
 */
class Walk {
  readonly faults: PlacedFault[] = []
  /** Of the value that is looked at. */
  readonly #loc: (string | number)[] = []
  #left = MAX_VALUES

  /** False once there is nothing more to tell. */
  visit(value: unknown): boolean {
    if (this.#left-- === 0) return this.#end(`contains more than ${MAX_VALUES} values`, [])
    const message = leafFault(value)
    if (message && !this.#tell(message)) return false
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return true
    if (this.#loc.length >= MAX_DEPTH)
      return this.#end(`is nested deeper than ${MAX_DEPTH} levels`, this.#loc.slice(0, 1))
    return Array.isArray(value) ? this.#visitItems(value) : this.#visitMembers(value as Record<string, unknown>)
  }

  #visitItems(items: readonly unknown[]): boolean {
    for (let place = 0; place < items.length; place += 1) if (!this.#visitAt(place, items[place])) return false
    return true
  }

  #visitMembers(members: Readonly<Record<string, unknown>>): boolean {
    for (const name of Object.keys(members)) {
      const fault = nameFault(name)
      if (!(fault ? this.#tell(fault) : this.#visitAt(name, members[name]))) return false
    }
    return true
  }

  #visitAt(place: string | number, value: unknown): boolean {
    this.#loc.push(place)
    const goesOn = this.visit(value)
    this.#loc.pop()
    return goesOn
  }

  #tell(message: string): boolean {
    this.faults.push({ message, loc: [...this.#loc] })
    return this.faults.length < MAX_FAULTS
  }

  #end(message: string, loc: PlacedFault['loc']): false {
    this.faults.push({ message, loc, tooMuch: true })
    return false
  }
}

function leafFault(value: unknown): string | null {
  if (typeof value === 'number' || value instanceof ExactNumber) return numberFault(value)
  return typeof value === 'string' ? textFault(value) : null
}

function numberFault(value: number | ExactNumber): string | null {
  if (!Number.isFinite(Number(value))) return 'must be a finite number'
  const isLong = value instanceof ExactNumber && value.text.length > MAX_NUMBER_LENGTH
  return isLong ? `is a number of more than ${MAX_NUMBER_LENGTH} characters` : null
}

function nameFault(name: string): string | null {
  if (name === '__proto__') return UNSAFE_NAME
  const fault = textFault(name)
  return fault && `has a member whose name ${fault}`
}
