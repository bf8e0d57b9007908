/** Retries: which failures are transient, and how long to back off. */
import { delay } from './delay.ts'
import { ProblemError, TransferError } from './problem.ts'

export interface RetryPolicy {
  /** Includes the first attempt. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
  /** How long to keep retrying while another request is doing the same work, regardless of `attempts`. */
  readonly inProgressMs?: number
  /** Returns a number in [0, 1). */
  readonly random: () => number
}

export const defaultRetry: RetryPolicy = {
  attempts: 6,
  baseMs: 250,
  maxMs: 15_000,
  inProgressMs: 90_000,
  random: Math.random,
}

/** A longer `Retry-After` fails the call instead of being waited for. */
const MAX_RETRY_AFTER_MS = 120_000

/**
 * Exponential backoff with jitter over the upper half of the window, so that clients that failed together do not retry
 * together.
 */
function backoffMs(policy: RetryPolicy, failedAttempts: number): number {
  const window = Math.min(policy.maxMs, policy.baseMs * 2 ** (failedAttempts - 1))
  return Math.round(window / 2 + (window / 2) * policy.random())
}

/** `Retry-After` in milliseconds (seconds or an HTTP date); null when absent or unreadable. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

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

/** An error with the server's `Retry-After`. */
export interface RetryAfter {
  retryAfterMs?: number | null
}

/**
 * Runs `work` until it succeeds, fails permanently, or uses up `attempts` (`inProgressMs` for work in progress
 * elsewhere). Rejects at once when `signal` aborts.
 */
export async function withRetry<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  work: (attempt: number) => Promise<T>,
  retryable: (error: unknown) => boolean = isTransient,
): Promise<T> {
  const inProgressUntil = Date.now() + (policy.inProgressMs ?? 0)
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      return await work(attempt)
    } catch (error) {
      signal.throwIfAborted()
      const retryAfter = (error as RetryAfter).retryAfterMs ?? 0
      const exhausted = attempt >= policy.attempts && !(isInProgress(error) && Date.now() < inProgressUntil)
      if (exhausted || !retryable(error) || retryAfter > MAX_RETRY_AFTER_MS) throw error
      await delay(Math.max(retryAfter, backoffMs(policy, attempt)), signal)
    }
  }
}
