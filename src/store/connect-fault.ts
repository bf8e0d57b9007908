/** Why a database cannot be used, in words for its operator. Nothing of the server's own text is in them. */
import { HubError } from '../platform/errors.ts'

interface Fault {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

const NO_RIGHTS = 'lets this user make no tables; give the user rights on the schema public'

const byState: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password; check the user and the password',
  '28000': 'refuses the user; check the user, and what its pg_hba.conf allows',
  '3D000': 'has no database of that name; create it, or name another',
  '42501': NO_RIGHTS,
  '53300': 'takes no more connections; raise its max_connections, or lower DATABASE_POOL_MAX',
  '53100': 'has a full disk; make room there',
}

/** Of a connection: files and other servers have these codes too. */
const bySocket: Readonly<Record<string, string>> = {
  ENOTFOUND: 'is not found: its host has no address; check the host',
  EAI_AGAIN: 'is not found: its host has no address; check the host',
  ECONNREFUSED: 'refuses connections; check host and port, and that the server runs',
  EHOSTUNREACH: 'cannot be reached; check host, port and network',
  ENETUNREACH: 'cannot be reached; check host, port and network',
  ENOENT: 'has no socket there; check the host, and that the server runs',
  EACCES: 'has a socket that this user may not open; check its rights',
}

const byMessage: readonly (readonly [RegExp, string])[] = [
  // The engine of migrations gives the server's text without its code.
  [/^ERROR: permission denied for (schema|database|table) /, NO_RIGHTS],
  [/^SASL: .*password must be a/, 'asks for a password, and the URL has none'],
  [/does not support SSL/, 'has no TLS, which the URL asks for'],
  [/certificate/i, 'has a certificate that is not trusted; check sslmode and sslrootcert'],
]

/** What the database does, as the rest of a sentence; null for an error that is not about reaching or entering it. */
export function databaseFault(error: unknown): string | null {
  let isLost = false
  for (let at: unknown = error; typeof at === 'object' && at !== null; ) {
    const fault = at as Fault
    const codes = Array.isArray(fault.errors) ? fault.errors.map((one: Fault) => String(one?.code)) : []
    const inner = isLost && codes.map((code) => bySocket[code]).find((what) => what !== undefined)
    if (inner) return inner
    isLost ||= at instanceof HubError && at.type === 'unavailable'
    const known = byState[String(fault.code)] ?? (isLost ? bySocket[String(fault.code)] : undefined)
    if (known !== undefined) return known
    const said = byMessage.find(([message]) => message.test(String(fault.message)))
    if (said) return said[1]
    at = fault.cause
  }
  return isLost ? 'does not answer; check host and port, and that the server runs' : null
}

/** Whether a disk was full: of the system's error codes, of PostgreSQL's, or in what a program of PostgreSQL wrote. */
export function isFullDisk(error: unknown): boolean {
  for (let at: unknown = error; typeof at === 'object' && at !== null; at = (at as Fault).cause) {
    const { code, message } = at as Fault
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === '53100') return true
    if (/No space left on device|Disk quota exceeded/.test(String(message))) return true
  }
  return false
}
