/** How long to wait between attempts, and when to give up. Pure but for the clock: pages wait alike. */
import { delay } from './delay.ts'

export interface RetryPolicy {
  /** Includes the first attempt. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
  /** How long to keep retrying while another request is doing the same work, regardless of `attempts`. */
  readonly inProgressMs?: number
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Told of each failure that is tried again, before the wait. */
  readonly onRetry?: (failure: RetriedFailure) => void
}

/** A failed attempt, after which there is another. */
export interface RetriedFailure {
  readonly error: unknown
  /** How many attempts have failed. */
  readonly attempt: number
  readonly waitMs: number
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

/** An error with the server's `Retry-After`. */
export interface RetryAfter {
  retryAfterMs?: number | null
}

interface Attempts<T> {
  readonly policy: RetryPolicy
  readonly signal: AbortSignal
  readonly work: (attempt: number) => Promise<T>
  /** Whether the error may go away by itself. */
  readonly retryable: (error: unknown) => boolean
  /** Whether another request is doing the same work: `inProgressMs` counts then, not `attempts`. */
  readonly isInProgress?: (error: unknown) => boolean
}

/** Runs `work` until it succeeds, fails for good, or has had its attempts. Rejects at once when `signal` aborts. */
export async function retried<T>({ policy, signal, work, retryable, isInProgress }: Attempts<T>): Promise<T> {
  const inProgressUntil = performance.now() + (policy.inProgressMs ?? 0)
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      return await work(attempt)
    } catch (error) {
      signal.throwIfAborted()
      const retryAfter = (error as RetryAfter).retryAfterMs ?? 0
      const isWaiting = (isInProgress?.(error) ?? false) && performance.now() < inProgressUntil
      const exhausted = attempt >= policy.attempts && !isWaiting
      if (exhausted || !retryable(error) || retryAfter > MAX_RETRY_AFTER_MS) throw error
      const waitMs = Math.max(retryAfter, backoffMs(policy, attempt))
      policy.onRetry?.({ error, attempt, waitMs })
      await delay(waitMs, signal)
    }
  }
}
