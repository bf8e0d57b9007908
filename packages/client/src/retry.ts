/** Retries of requests to a hub: which of its failures are transient. */
import { type RetryPolicy, retried } from './backoff.ts'
import { ProblemError, TransferError } from './problem.ts'

export { defaultRetry, parseRetryAfter, type RetriedFailure, type RetryAfter, type RetryPolicy } from './backoff.ts'

const lastingKinds: ReadonlySet<string> = new Set(['quota.uploads', 'store.lost'])
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * A 503 "not configured", a full upload quota and lost data do not go away by themselves; a concurrent duplicate (409)
 * does.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof TransferError) return true
  if (!(error instanceof ProblemError)) return false
  if (error.kind.startsWith('not_configured') || lastingKinds.has(error.kind)) return false
  return transientStatuses.has(error.status) || isInProgress(error)
}

/** Another request is doing the same work. If its hub died with its machine, its claim expires after a minute. */
function isInProgress(error: unknown): boolean {
  return error instanceof ProblemError && ['conflict.in_progress', 'idempotency.in_flight'].includes(error.kind)
}

/**
 * Runs `work` until it succeeds, fails permanently, or uses up `attempts` (`inProgressMs` for work in progress
 * elsewhere). Rejects at once when `signal` aborts.
 */
export function withRetry<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  work: (attempt: number) => Promise<T>,
  retryable: (error: unknown) => boolean = isTransient,
): Promise<T> {
  return retried({ policy, signal, work, retryable, isInProgress })
}
