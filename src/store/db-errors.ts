/** The one place that reads the database driver's errors. */
import { HubError } from '../errors.ts'

/** SQLSTATE of a driver error, also of one that is wrapped. */
function sqlState(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return null
}

function constraintOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('constraint' in at && typeof at.constraint === 'string') return at.constraint
  }
  return 'unknown'
}

/** Name of the unique constraint or index that refused the row, or null for any other error. */
export function uniqueViolation(error: unknown): string | null {
  return sqlState(error) === '23505' ? constraintOf(error) : null
}

/** Name of the foreign key that refused the change, or null for any other error. */
export function foreignKeyViolation(error: unknown): string | null {
  const state = sqlState(error)
  return state === '23503' || state === '23001' ? constraintOf(error) : null
}

/** A serialization failure or a deadlock: the whole transaction may be run again. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40001' || state === '40P01'
}

/** Connection refused, lost or not to be had in time; shutting down; too many connections. */
const unavailableStates =
  /^(08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENOENT)$/
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|connection timeout/

/** Turns a database that does not answer into 503 `unavailable`; returns any other error as it is. */
export function asUnavailable(error: unknown): unknown {
  const state = sqlState(error)
  const lost =
    state !== null ? unavailableStates.test(state) : error instanceof Error && unavailableMessages.test(error.message)
  return lost
    ? new HubError('unavailable', 'The database does not answer; try again.', {
        cause: error,
        headers: { 'Retry-After': '2' },
      })
    : error
}
