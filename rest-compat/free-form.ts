/** What may stand in text and in free-form JSON, which pass through untouched: everything that PostgreSQL can keep and that is no trap for objects. */
import type { ErrorItem, Loc } from '../src/errors.ts'
import { ExactNumber } from '../src/exact-json.ts'

const MAX_DEPTH = 100

/** Why a string cannot be kept, or null: PostgreSQL's text has no NUL, and UTF-8 no lone surrogate. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character'
  if (!text.isWellFormed()) return 'is not well-formed Unicode'
  return null
}

/** The first fault inside a free-form value and its place in it, or null: text faults, a member named `__proto__`, more than 100 levels. */
export function freeFormFault(root: unknown): { type: ErrorItem['type']; detail: string; at: Loc } | null {
  const rest: { value: unknown; at: Loc }[] = [{ value: root, at: [] }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, at } = next
    if (typeof value === 'string') {
      const detail = textFault(value)
      if (detail) return { type: 'validation.value', detail, at }
    } else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
      if (at.length >= MAX_DEPTH)
        return { type: 'validation.value', detail: `is nested deeper than ${MAX_DEPTH} levels`, at: [] }
      for (const [key, member] of Object.entries(value)) {
        if (key === '__proto__')
          return { type: 'validation.unknown_member', detail: '"__proto__" is no name for a member', at }
        const detail = textFault(key)
        if (detail) return { type: 'validation.value', detail: `has a member whose name ${detail}`, at }
        if (typeof member === 'object' || typeof member === 'string')
          rest.push({ value: member, at: [...at, Array.isArray(value) ? Number(key) : key] })
      }
    }
  }
  return null
}
