/** Parses the bytes of a body as JSON. */

import { parseExact } from '@hub/formats/exact-json'
import { HubError } from '../../platform/errors.ts'
import { assertFewValues } from '../../platform/json-values.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body as JSON, undefined if none was sent; 400 if it is not JSON, 413 if it has too many values. `keepsNumbers`:
 * its numbers keep their original spelling.
 */
export function parseBody({ keepsNumbers }: { readonly keepsNumbers: boolean }, bytes: unknown): unknown {
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
