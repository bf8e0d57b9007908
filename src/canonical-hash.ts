/** The one rule by which the hub hashes what clients declare: SHA-256 over RFC 8785 canonical JSON. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * Lower-case hex. Members that are null count as absent, at every level; nothing is defaulted, rounded or sorted but the members of objects. Throws for
 * what JSON cannot say (an infinity, `undefined`).
 */
export function canonicalSha256(value: object): string {
  const text = canonicalize(withoutNulls(value))
  if (text === undefined) throw new Error('The value has no canonical form.')
  return createHash('sha256').update(text).digest('hex')
}

/** A null in a list is a value and stays: the places of the others hang on it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}
