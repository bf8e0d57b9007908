/** Classifies errors of the database driver and of Prisma. */
import { HubError } from '../platform/errors.ts'

type Fault = Readonly<Record<string, unknown>>

/** The error and its causes, including Prisma's own member for the driver error. */
function chainOf(error: unknown): Fault[] {
  const chain: Fault[] = []
  for (let at = error; typeof at === 'object' && at !== null; ) {
    const fault = at as Fault
    chain.push(fault)
    at = fault.cause ?? (fault.meta as Fault | undefined)?.driverAdapterError
  }
  return chain
}

/** SQLSTATE, a system error code or Prisma's code; null if there is none. */
function codeOf({ originalCode, code }: Fault): string | null {
  const found = originalCode ?? code
  return typeof found === 'string' ? found : null
}

/** The constraint of the error in the chain that has one of `states`, or null. */
function constraintOf(error: unknown, states: readonly string[]): string | null {
  const refused = chainOf(error).find((fault) => states.includes(codeOf(fault) ?? ''))
  if (!refused) return null
  return typeof refused.constraint === 'string' ? refused.constraint : 'unknown'
}

/** Name of the violated unique constraint or index; null for any other error. */
export function uniqueViolation(error: unknown): string | null {
  return constraintOf(error, ['23505'])
}

/** A serialization failure or deadlock: the whole transaction may be retried. */
export function isRetryable(error: unknown): boolean {
  return chainOf(error).some((fault) => ['40001', '40P01'].includes(codeOf(fault) ?? ''))
}

/** A statement took longer than its time, or an operator of the database ended it. */
const STATEMENT_ENDED = '57014'

/** Connection lost (08); statement or idle-transaction timeout; shutting down or starting up; too many connections. */
const unavailableStates = /^(?:08...|57014|25P03|57P0[1235]|53300)$/
/** Prisma: unreachable, timeout, connection closed, no free connection, too many connections. */
const prismaCodes = /^P(?:1001|1002|1008|1017|2024|2037)$/
const socketCodes =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)$/
/** File errors share some codes; the system call distinguishes them. */
const socketCalls = /^(?:connect|read|write|getaddrinfo)$/
const driverMessages = new RegExp(
  [
    'timeout exceeded when trying to connect',
    'Connection terminated',
    'Client has encountered a connection error',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end',
  ].join('|'),
)

function isLost(fault: Fault): boolean {
  const code = codeOf(fault)
  if (code !== null && (unavailableStates.test(code) || prismaCodes.test(code))) return true
  if (code !== null && socketCodes.test(code) && socketCalls.test(String(fault.syscall)) && !('path' in fault))
    return true
  // Node tries every address of a host name and aggregates the failures.
  if (fault instanceof AggregateError) return fault.errors.some((one: Fault) => isLost(one))
  return typeof fault.message === 'string' && driverMessages.test(fault.message)
}

/** Whether this statement, which was sent together with others, divided by zero. */
export function hasDivided(error: unknown, statementName: string): boolean {
  return chainOf(error).some((fault) => fault.statementName === statementName && codeOf(fault) === '22012')
}

/** Disk full. */
export function isDiskFull(error: unknown): boolean {
  return chainOf(error).some((fault) => codeOf(fault) === '53100')
}

/** Maps a database that is unreachable, full or too slow to 503 `unavailable`; returns any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  const chain = chainOf(error)
  if (chain.some((fault) => fault instanceof HubError)) return error
  if (isDiskFull(error))
    return new HubError(
      'unavailable',
      'The disk of the database is full, so nothing was changed; its operator has to make room.',
      { cause: error, facts: { retryAfterS: 60 } },
    )
  if (!chain.some(isLost)) return error
  if (chain.some((fault) => codeOf(fault) === STATEMENT_ENDED))
    return new HubError(
      'unavailable',
      'The database ended a statement of this, which took too long; ask for less at once, or try again later.',
      { cause: error, facts: { retryAfterS: 10 } },
    )
  return new HubError('unavailable', 'The database does not respond; try again.', {
    cause: error,
    facts: { retryAfterS: 2 },
  })
}
