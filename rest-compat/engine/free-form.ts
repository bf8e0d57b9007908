/** What text and free-form JSON may contain: everything that PostgreSQL can store, except member names that are unsafe in JavaScript objects. */

import { ExactNumber } from '@hub/formats/exact-json'
import { textFault } from '@hub/formats/text-rules'
import type { ErrorItem, Loc } from '../../src/platform/errors.ts'

const MAX_DEPTH = 100

interface FreeFormFault {
  readonly type: ErrorItem['type']
  readonly detail: string
  readonly at: Loc
}

/**
 * The faults inside a free-form value and their places in it, `max` at most: text faults, a member named `__proto__`, more than 100 levels (the last
 * to be told).
 */
export function freeFormFaults(root: unknown, max: number): FreeFormFault[] {
  const faults: FreeFormFault[] = []
  const rest: { value: unknown; at: Loc }[] = [{ value: root, at: [] }]
  for (let next = rest.pop(); next && faults.length < max; next = rest.pop()) {
    const { value, at } = next
    if (typeof value === 'string') {
      const detail = textFault(value)
      if (detail) faults.push({ type: 'validation.value', detail, at })
    } else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
      if (at.length >= MAX_DEPTH) {
        faults.push({ type: 'validation.value', detail: `is nested deeper than ${MAX_DEPTH} levels`, at: [] })
        break
      }
      for (const [key, member] of Object.entries(value)) {
        const named = nameFault(key)
        if (named) faults.push({ ...named, at })
        else if (typeof member === 'object' || typeof member === 'string')
          rest.push({ value: member, at: [...at, Array.isArray(value) ? Number(key) : key] })
      }
    }
  }
  return faults
}

function nameFault(name: string): Omit<FreeFormFault, 'at'> | null {
  if (name === '__proto__')
    return { type: 'validation.unknown_member', detail: '"__proto__" is not allowed as a member name' }
  const detail = textFault(name)
  return detail === null ? null : { type: 'validation.value', detail: `has a member whose name ${detail}` }
}
