/** Parses the bytes of a body as JSON. */

import { parseExact } from '@hub/formats/exact-json'
import { HubError } from '../../src/platform/errors.ts'
import { hasMoreValues } from '../../src/platform/json-values.ts'
import type { RoutePlan } from './dialect.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A report of 80,000 lines of two metrics; the largest of the other requests have a fifth. Parsed and checked, these
 * block the event loop for 250 ms at most.
 */
const MAX_BODY_VALUES = 250_000

/** The body as JSON, undefined if none was sent; 400 if it is not JSON, 413 if it has too many values. */
export function parseBody({ keepsNumbers }: RoutePlan, bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined
  if (hasMoreValues(bytes, MAX_BODY_VALUES))
    throw new HubError('too_large', `The body has more than ${MAX_BODY_VALUES} JSON values; send fewer at a time.`, {
      facts: { unit: 'values', limit: MAX_BODY_VALUES, used: null },
    })
  try {
    const text = utf8.decode(bytes)
    return keepsNumbers ? parseExact(text) : JSON.parse(text)
  } catch (cause) {
    throw new HubError(
      'validation.json',
      `The body is not valid JSON: ${cause instanceof SyntaxError ? cause.message : 'it is not UTF-8'}.`,
      { cause },
    )
  }
}
