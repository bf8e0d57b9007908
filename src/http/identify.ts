/** Authenticates a request once, before its body is read, and counts it against the rate limit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { callerOf, type RateLimit } from './rate-limit.ts'

/** The viewer of a request; 401 for an invalid credential, 403 for a cookie from another origin. */
export type Authenticate = (request: FastifyRequest) => Promise<Viewer>

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Asks again who sends a request whose rights are no longer fresh; 401 if its credential has ended meanwhile. */
export type Renew = (request: FastifyRequest) => Promise<void>

/** Most bodies are there by then, and cost no second look at their sender's rights. */
export const FRESH_RIGHTS_MS = 1000

/**
 * An `onRequest` hook that sets `request.viewer`. An invalid credential is 401 everywhere and counts against the
 * address that sent it.
 */
export function identifyHook(authenticate: Authenticate, rate: RateLimit): Hook {
  return async (request, reply) => {
    try {
      await identify(authenticate, request)
    } catch (error) {
      if (error instanceof HubError && error.status === 401) await rate.count(reply, { address: request.ip })
      throw error
    }
    await rate.count(reply, callerOf(request))
  }
}

/**
 * For what acts once a body is there: a body may take hours to come, byte by byte, and a key that was revoked or a
 * member who was removed meanwhile acts no more. Anonymous callers have no rights to lose.
 */
export function renewing(authenticate: Authenticate): Renew {
  return async (request) => {
    if (!request.viewer || request.viewer.kind === 'anonymous') return
    if (performance.now() - request.identifiedAtMs >= FRESH_RIGHTS_MS) await identify(authenticate, request)
  }
}

async function identify(authenticate: Authenticate, request: FastifyRequest): Promise<void> {
  request.viewer = await authenticate(request)
  request.identifiedAtMs = performance.now()
}

/** An `onRequest` hook for pages that need no authentication. */
export function limitAddressHook(rate: RateLimit): Hook {
  return (request, reply) => rate.count(reply, { address: request.ip })
}
