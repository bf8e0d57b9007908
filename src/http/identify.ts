/** Authenticates a request once, before its body is read, and counts it against the rate limit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import type { RateLimit } from './rate-limit.ts'

/** Who sends this request; 401 for a bad credential, 403 for a cookie from a foreign origin. */
export type Authenticate = (request: FastifyRequest) => Promise<Viewer>

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** An `onRequest` hook that sets `request.viewer`. A bad credential is 401 everywhere, and counts against the address that tries it. */
export function identifyHook(authenticate: Authenticate, rate: RateLimit): Hook {
  return async (request, reply) => {
    try {
      request.viewer = await authenticate(request)
    } catch (error) {
      if (error instanceof HubError && error.status === 401) await rate.count(reply, { address: request.ip })
      throw error
    }
    await rate.count(
      reply,
      request.viewer.kind === 'anonymous' ? { address: request.ip } : { credentialId: request.viewer.credentialId },
    )
  }
}

/** An `onRequest` hook for pages that need no authentication. */
export function limitAddressHook(rate: RateLimit): Hook {
  return (request, reply) => rate.count(reply, { address: request.ip })
}
