/** Keyset pages and their cursors: opaque to clients, bound to one listing, validated when they come back. */
import { hash } from 'node:crypto'
import { type IdPrefix, isId } from '@hub/formats/ids'
import { textFault } from '@hub/formats/text-rules'
import { LRUCache } from 'lru-cache'
import { invalid } from './errors.ts'

/** `cursorOf` encodes cursors on demand: most pages need only the last one. */
export interface Page<T> {
  readonly nodes: readonly T[]
  readonly hasNextPage: boolean
  readonly cursorOf: (node: T) => string
  /** The cursor of the next page, where it begins after more than the last node: what was looked at and not found. */
  readonly endsAfter?: string | undefined
}

/** One keyset column, compared in the next page's `WHERE (…) > (…)`. */
export type KeyPart = string | number | null

/** Maximum cursor length (spec). */
export const MAX_CURSOR_LENGTH = 512

/**
 * A 12-character hash of the listing. A listing is what must stay the same from page to page: the
 * operation, its filters and its order, in one string such as `tree:repo_…:prefix`.
 */
function listingMark(listing: string): string {
  const known = marks.get(listing)
  if (known !== undefined) return known
  const mark = hash('sha256', listing, 'base64url').slice(0, 12)
  if (listing.length <= MAX_KEPT_LISTING) marks.set(listing, mark)
  return mark
}

/** A hash takes as long as the rows of a small page. Most pages are of few listings; clients may ask for any. */
const marks = new LRUCache<string, string>({ max: 500 })
const MAX_KEPT_LISTING = 300

/**
 * The cursor of the page after the row with this key. A key that may exceed about 370 bytes needs a shorter substitute.
 */
export function encodeCursor(listing: string, key: readonly KeyPart[]): string {
  return Buffer.from(listingMark(listing) + JSON.stringify(key)).toString('base64url')
}

/**
 * Validates one part of a key. A forged cursor may contain anything, and valid parts reach a comparison or cast in SQL.
 */
export type KeyRule<Part extends KeyPart> = (part: KeyPart) => part is Part

/** An id of this prefix. */
export function idPart(prefix: IdPrefix): KeyRule<string> {
  return (part): part is string => typeof part === 'string' && isId(prefix, part)
}

/** A valid calendar time in the hub's format: PostgreSQL rejects February 31 and year 0. */
export function isTimePart(part: KeyPart): part is string {
  if (typeof part !== 'string' || !/^(?!0000)\d{4}-/.test(part)) return false
  const time = new Date(part)
  return !Number.isNaN(time.getTime()) && time.toISOString() === part
}

/** The key in a cursor, one part per rule; 422 `validation.cursor` if it is malformed or from another listing. */
export function decodeCursor<Parts extends readonly KeyPart[]>(
  listing: string,
  cursor: string,
  rules: { readonly [Index in keyof Parts]: KeyRule<Parts[Index]> },
  loc: readonly string[] = ['after'],
): Parts {
  const refuse = () => invalid('validation.cursor', 'The cursor is malformed, too old or of another listing.', loc)
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(cursor)) throw refuse()
  const bytes = Buffer.from(cursor, 'base64url')
  // base64url has several spellings of the same bytes; only the canonical one is accepted.
  if (bytes.toString('base64url') !== cursor) throw refuse()
  const text = bytes.toString('utf8')
  if (!text.startsWith(listingMark(listing))) throw refuse()
  try {
    const key: unknown = JSON.parse(text.slice(12))
    const holds = Array.isArray(key) && key.length === rules.length
    if (holds && key.every((part, index) => isKeyPart(part) && rules[index]?.(part))) return key as unknown as Parts
  } catch {
    // Falls through to the same error.
  }
  throw refuse()
}

/** The client may have made it up: a text that PostgreSQL cannot store, and `1e999`, would cause a 500. */
function isKeyPart(value: unknown): value is KeyPart {
  if (typeof value === 'string') return textFault(value) === null
  return value === null || Number.isFinite(value)
}
