/** Free-form JSON objects as zod schemas. Contract, "Numbers of free-form JSON". */
import { z } from 'zod'
import { isJsonObject } from './exact-json.ts'
import { freeFormFaults } from './free-form-faults.ts'

type Path = readonly (string | number)[]

/** Maximum faults in a response; a report may have 10,000 lines. */
const MAX_FAULTS = 50

/** A user-defined object, passed through unchanged: only values that JSON cannot represent or PostgreSQL cannot store are rejected. */
export const jsonObject = z.unknown().superRefine((value, check) => addFaults(value, [], check))

/** Each item as `jsonObject`; the first 50 faults. A list over `limit` is left to the verb, which returns 413; null marks an item that was already rejected. */
export const jsonObjectList = (limit: number) =>
  z.array(z.unknown()).superRefine((items, check) => {
    if (items.length > limit) return
    for (const [at, item] of items.entries()) {
      if (check.issues.length >= MAX_FAULTS) return
      if (item !== null) addFaults(item, [at], check)
    }
  })

/** Any JSON value, under the same rules. */
export const jsonValue = z.unknown().superRefine((value, check) => addFreeFormFaults(value, [], check))

function addFaults(value: unknown, at: Path, check: z.RefinementCtx): void {
  if (!isJsonObject(value)) {
    check.addIssue({ code: 'custom', message: 'must be an object', path: [...at], params: { type: 'validation.type' } })
    return
  }
  addFreeFormFaults(value, at, check)
}

function addFreeFormFaults(value: unknown, at: Path, check: z.RefinementCtx): void {
  for (const { message, loc } of freeFormFaults(value))
    check.addIssue({ code: 'custom', message, path: [...at, ...loc] })
}
