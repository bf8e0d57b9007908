/** Values that are invalid anywhere in free-form JSON because JSON cannot represent or PostgreSQL cannot store them. Pure. */
import { ExactNumber } from './exact-json.ts'
import { textFault } from './text-rules.ts'

export interface PlacedFault {
  readonly message: string
  readonly loc: readonly (string | number)[]
  /** The value is too large; nothing after this was checked. */
  readonly tooMuch?: boolean
}

const MAX_DEPTH = 100
/** A robot with 100 joints needs about 2,000 values; a body of 1 MiB has room for 500,000, each of which may be a fault. */
const MAX_VALUES = 50_000
const MAX_FAULTS = 50
/** Readers limit the length of numbers: Python to 4300 digits. */
const MAX_NUMBER_LENGTH = 1000

/**
 * The faults of a value, at most 50, in document order: a number beyond a double (`1e999` is read as infinity) or of more than 1000 characters, a NUL, a lone
 * surrogate, a member named `__proto__`, more than 100 levels or 50,000 values. Iterative, because the sender controls the depth.
 */
export function freeFormFaults(root: unknown): PlacedFault[] {
  const faults: PlacedFault[] = []
  const rest: { value: unknown; loc: readonly (string | number)[] }[] = [{ value: root, loc: [] }]
  let left = MAX_VALUES
  for (let next = rest.pop(); next && faults.length < MAX_FAULTS; next = rest.pop()) {
    const { value, loc } = next
    if (left-- === 0) return [...faults, { message: `contains more than ${MAX_VALUES} values`, loc: [], tooMuch: true }]
    const message = leafFault(value)
    if (message) faults.push({ message, loc })
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) continue
    if (loc.length >= MAX_DEPTH) {
      const message = `is nested deeper than ${MAX_DEPTH} levels`
      return [...faults, { message, loc: loc.slice(0, 1), tooMuch: true }]
    }
    // In reverse, because the stack pops the last one first.
    for (const [key, member] of Object.entries(value).reverse()) {
      const place = [...loc, Array.isArray(value) ? Number(key) : key]
      const named = Array.isArray(value) ? null : nameFault(key)
      if (named) faults.push({ message: named, loc })
      else rest.push({ value: member, loc: place })
    }
  }
  return faults
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
  if (name === '__proto__') return '"__proto__" is not allowed as a member name'
  const fault = textFault(name)
  return fault && `has a member whose name ${fault}`
}
