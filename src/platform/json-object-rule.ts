/**
 * Free-form JSON objects as zod schemas. What is in them is judged for every input alike (`schema/rule-faults.ts`).
 * Contract, "Numbers of free-form JSON".
 */

import { isJsonObject } from '@hub/formats/exact-json'
import { z } from 'zod'

type Path = readonly (string | number)[]

/** Maximum faults in a response; a report may have 10,000 lines. */
const MAX_FAULTS = 50

/** A user-defined object, passed through unchanged. */
export const jsonObject = z.unknown().superRefine((value, check) => addFault(value, [], check))

/**
 * Each item as `jsonObject`; the first 50 others. A list over `limit` is left to the verb, which returns 413; null
 * marks an item that was already rejected.
 */
export const jsonObjectList = (limit: number) =>
  z.array(z.unknown()).superRefine((items, check) => {
    if (items.length > limit) return
    for (const [at, item] of items.entries()) {
      if (check.issues.length >= MAX_FAULTS) return
      if (item !== null) addFault(item, [at], check)
    }
  })

function addFault(value: unknown, at: Path, check: z.RefinementCtx): void {
  if (isJsonObject(value)) return
  check.addIssue({ code: 'custom', message: 'must be an object', path: [...at], params: { type: 'validation.type' } })
}
