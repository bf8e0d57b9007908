/** Trying again: which failures pass by themselves, and how long to wait for them. */
import { setTimeout as delay } from 'node:timers/promises'
import { ProblemError, TransferError } from './problem.ts'

export interface RetryPolicy {
  /** The first try included. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
  /** How long work that another request holds is waited for, however many tries that takes. */
  readonly heldMs?: number
  /** A number in [0, 1); given by tests. */
  readonly random: () => number
}

export const defaultRetry: RetryPolicy = {
  attempts: 6,
  baseMs: 250,
  maxMs: 15_000,
  heldMs: 90_000,
  random: Math.random,
}

/** A server that asks for a longer rest than this is reported instead of waited for. */
const LONGEST_RETRY_AFTER_MS = 120_000

/** Full jitter over an exponentially growing window, so that many clients that failed together do not return together. */
function backoffMs(policy: RetryPolicy, failedAttempts: number): number {
  const window = Math.min(policy.maxMs, policy.baseMs * 2 ** (failedAttempts - 1))
  return Math.round(window / 2 + (window / 2) * policy.random())
}

/** `Retry-After` in milliseconds (seconds or an HTTP date); null when absent or unreadable. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

const passing = new Set([408, 425, 429, 500, 502, 503, 504])

/** A 503 that says "not configured" stays so, and so do uploads that no one completes; a concurrent duplicate (409) ends by itself. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransferError) return true
  if (!(error instanceof ProblemError)) return false
  if (error.kind.startsWith('not_configured') || error.kind === 'quota.uploads') return false
  return passing.has(error.status) || isHeld(error)
}

/** Another request is at it; when that one's hub was killed, it is free again after a minute. */
function isHeld(error: unknown): boolean {
  return error instanceof ProblemError && ['conflict.in_progress', 'idempotency.in_flight'].includes(error.kind)
}

/** An error that carries how long its sender asked to wait. */
export interface Restable {
  restMs?: number | null
}

/** Runs `work` until it succeeds, fails for good, or `attempts` (for what is held: `heldMs`) are used up. Rejects at once when `signal` is aborted. */
export async function withRetry<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  work: (attempt: number) => Promise<T>,
  passes: (error: unknown) => boolean = isPassing,
): Promise<T> {
  const heldUntil = Date.now() + (policy.heldMs ?? 0)
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      return await work(attempt)
    } catch (error) {
      signal.throwIfAborted()
      const asked = (error as Restable).restMs ?? 0
      const usedUp = attempt >= policy.attempts && !(isHeld(error) && Date.now() < heldUntil)
      if (usedUp || !passes(error) || asked > LONGEST_RETRY_AFTER_MS) throw error
      await delay(Math.max(asked, backoffMs(policy, attempt)), undefined, { signal })
    }
  }
}
