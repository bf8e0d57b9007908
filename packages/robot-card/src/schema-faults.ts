/** Violations of the card's schema: their place, their fix, and the failing check for each. Pure. */

import type { PlacedFault } from '@hub/formats/free-form-faults'
import { type Check, check } from '@hub/mjcf/verdict/check'
import type { z } from 'zod'

export interface SchemaFault extends PlacedFault {
  readonly hint?: string
  /** An unknown member does not invalidate others. */
  readonly unknown?: boolean
}

/** The faults of one issue of the schema, each at its member of the document. */
export function placedFaults(issue: z.core.$ZodIssue, document: unknown): SchemaFault[] {
  const loc = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      message: 'is not a member of this object',
      loc: [...loc, key],
      hint: 'Remove it: only actuators may have extra members.',
      unknown: true,
    }))
  }
  if (issue.code === 'invalid_type' && valueAt(document, loc) === undefined) {
    return [{ message: 'is required', loc, hint: `Add it: its type is ${issue.expected}.` }]
  }
  return [{ message: issue.message.replace(/^Invalid input: /, ''), loc }]
}

function valueAt(root: unknown, loc: readonly (string | number)[]): unknown {
  let value = root
  for (const step of loc) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

/** The failing check of a fault. */
export function asCheck({ message, loc, hint }: SchemaFault): Check {
  const place = loc.map((step) => String(step).slice(0, 100)).join('.')
  return check('card.schema', 'fail', `${place || 'The card'}: ${message}`, {
    names: place ? [place] : [],
    hint: hint ?? null,
    loc: [...loc],
  })
}
