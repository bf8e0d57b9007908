/** For how long addresses that a hub has signed are taken as good. */

/**
 * However late the hub's time seems: a machine whose clock is hours ahead would ask for a new address before each use,
 * and is told by a 403 which ones have expired.
 */
const LEAST_MS = 120_000

/** Until when, by `performance.now()`, for addresses that were just received; `expiresAt` is by the hub's clock. */
export const goodUntilMs = (expiresAt: string): number =>
  performance.now() + Math.max(Date.parse(expiresAt) - Date.now(), LEAST_MS)

/** Whether so much time is left. */
export const lastsFor = (untilMs: number, marginMs: number): boolean => untilMs - performance.now() >= marginMs
