/** How many values a JSON body may have. */
import { hasMoreValues } from '@hub/formats/json-values'
import { HubError } from './errors.ts'

/**
 * A report of 80,000 lines of two metrics; the largest of the other requests have a fifth. Parsed and checked, these
 * block the event loop for 250 ms at most.
 */
const MAX_BODY_VALUES = 250_000

/** Throws 413 for the text of a body that has too many values. */
export function assertFewValues(text: Uint8Array): void {
  if (!hasMoreValues(text, MAX_BODY_VALUES)) return
  throw new HubError('too_large', `The body has more than ${MAX_BODY_VALUES} JSON values; send fewer at a time.`, {
    facts: { unit: 'values', limit: MAX_BODY_VALUES, used: null },
  })
}
