/** Keyset pages and their cursors: opaque to clients, bound to the listing that made them, never trusted when they come back. */
import { hash } from 'node:crypto'
import { invalid } from './errors.ts'
import { type IdPrefix, isId } from './ids.ts'

/** `cursorOf` makes the cursor of one row when it is asked for: most pages need only the last. */
export interface Page<T> {
  readonly nodes: readonly T[]
  readonly hasNextPage: boolean
  readonly cursorOf: (node: T) => string
}

/** One column of a keyset: what the next page's `WHERE (…) > (…)` is compared against. */
export type KeyPart = string | number | null

/** The longest cursor that is read back; the spec's limit. */
export const MAX_CURSOR_LENGTH = 512

/**
 * Twelve characters that tell one listing from another. A listing is what must stay the same from page to page: the
 * operation, its filters and its order, in one string such as `tree:repo_…:prefix`.
 */
function listingMark(listing: string): string {
  return hash('sha256', listing, 'base64url').slice(0, 12)
}

/** The cursor of the page after the row with this key. Keys whose text may pass some 370 bytes need a shorter stand-in. */
export function encodeCursor(listing: string, key: readonly KeyPart[]): string {
  return Buffer.from(listingMark(listing) + JSON.stringify(key)).toString('base64url')
}

/** What one part of a listing's key is. A forged cursor may hold anything, and what passes here meets a comparison or a cast in SQL. */
export type KeyRule<Part extends KeyPart> = (part: KeyPart) => part is Part

/** An id of this prefix. */
export function idPart(prefix: IdPrefix): KeyRule<string> {
  return (part): part is string => typeof part === 'string' && isId(prefix, part)
}

/** A time of the calendar, as the hub writes it: PostgreSQL knows no 31st of February and no year 0. */
export function isTimePart(part: KeyPart): part is string {
  if (typeof part !== 'string' || !/^(?!0000)\d{4}-/.test(part)) return false
  const time = new Date(part)
  return !Number.isNaN(time.getTime()) && time.toISOString() === part
}

/** The key inside a cursor, a part for each rule; 422 `validation.cursor` when it is malformed or was made by another listing. */
export function decodeCursor<Parts extends readonly KeyPart[]>(
  listing: string,
  cursor: string,
  rules: { readonly [Index in keyof Parts]: KeyRule<Parts[Index]> },
  loc: readonly string[] = ['after'],
): Parts {
  const refuse = () => invalid('validation.cursor', 'The cursor is malformed or belongs to another listing.', loc)
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(cursor)) throw refuse()
  const bytes = Buffer.from(cursor, 'base64url')
  // Only the one spelling that encodeCursor writes is accepted: base64url has several for the same bytes.
  if (bytes.toString('base64url') !== cursor) throw refuse()
  const text = bytes.toString('utf8')
  if (!text.startsWith(listingMark(listing))) throw refuse()
  try {
    const key: unknown = JSON.parse(text.slice(12))
    const holds = Array.isArray(key) && key.length === rules.length
    if (holds && key.every((part, index) => isKeyPart(part) && rules[index]?.(part))) return key as unknown as Parts
  } catch {
    // Falls through to the same refusal.
  }
  throw refuse()
}

/** PostgreSQL takes no NUL in text, and `1e999` is valid JSON: both would come back as a 500. */
function isKeyPart(value: unknown): value is KeyPart {
  if (typeof value === 'string') return !value.includes('\0')
  return value === null || Number.isFinite(value)
}
