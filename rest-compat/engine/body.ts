/** Parses the bytes of a body as JSON. */

import { parseExact } from '@hub/formats/exact-json'
import { HubError } from '../../src/platform/errors.ts'
import { assertFewValues } from '../../src/platform/json-values.ts'
import type { RoutePlan } from './dialect.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body as JSON, undefined if none was sent; 400 if it is not JSON, 413 if it has too many values. */
export function parseBody({ keepsNumbers }: RoutePlan, bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined
  assertFewValues(bytes)
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
