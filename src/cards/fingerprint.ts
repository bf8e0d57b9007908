/** The fingerprint of an interface: SHA-256 of its RFC 8785 canonical JSON. The rule and vectors to test against are in docs/robot-cards.md. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { EmbodimentInterface } from './interface-schema.ts'

/**
 * Lower-case hex. Members that are null count as absent, at every level; nothing is defaulted, rounded or sorted but the members of objects, so any other
 * order of a list is another interface. Null where there is no interface.
 */
export function interfaceFingerprint(value: EmbodimentInterface | null | undefined): string | null {
  if (!value) return null
  const text = canonicalize(withoutNulls(value))
  if (text === undefined) throw new Error('An interface is an object, which has a canonical form.')
  return createHash('sha256').update(text).digest('hex')
}

/** A null in a list would be a value and stay; the schema of an interface has none. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}
