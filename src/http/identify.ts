/** Authenticates a request once, before its body is read, and counts it against the rate limit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { callerOf, type RateLimit } from './rate-limit.ts'

/** The viewer of a request; 401 for an invalid credential, 403 for a cookie from another origin. */
export type Authenticate = (request: FastifyRequest) => Promise<Viewer>

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * An `onRequest` hook that sets `request.viewer`. An invalid credential is 401 everywhere and counts against the
 * address that sent it.
 */
export function identifyHook(authenticate: Authenticate, rate: RateLimit): Hook {
  return async (request, reply) => {
    try {
      request.viewer = await authenticate(request)
    } catch (error) {
      if (error instanceof HubError && error.status === 401) await rate.count(reply, { address: request.ip })
      throw error
    }
    await rate.count(reply, callerOf(request))
  }
}

/** An `onRequest` hook for pages that need no authentication. */
export function limitAddressHook(rate: RateLimit): Hook {
  return (request, reply) => rate.count(reply, { address: request.ip })
}
