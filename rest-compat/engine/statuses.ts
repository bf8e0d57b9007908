/** The statuses that an operation may return: what its row declares, and those of every operation and of its method. */
import type { Method, Route } from './route.ts'

/**
 * Statuses of every operation: unreadable request, invalid credential, a request that stalls, exceeded rate limit,
 * headers that are too long, internal failure.
 */
export const everywhere: readonly number[] = [400, 401, 408, 422, 429, 431, 500, 503]

/**
 * 304 on reads, 403 for a cookie from another origin on writes, 413 and 415 with a body, 409 with an Idempotency-Key.
 */
const ofMethod: Readonly<Record<Method, readonly number[]>> = {
  GET: [304],
  POST: [403, 409, 413, 415],
  PUT: [403, 413, 415],
  PATCH: [403, 413, 415],
  DELETE: [403, 413, 415],
}

/** Every status of a route, in ascending order. */
export function statusesOf({ method, status, replayStatus, held, emptyWhenNull, errors = [] }: Route): number[] {
  const own = [status, ...(replayStatus ? [replayStatus] : []), ...(held ? [held.status] : []), ...errors]
  const empty = emptyWhenNull ? [204] : []
  return [...new Set([...own, ...empty, ...everywhere, ...ofMethod[method]])].sort((a, b) => a - b)
}
