/** 405 with `Allow` for the methods that a path does not have. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'

/** What routes without a caller need of the edge. */
export interface CountsAddress {
  /** Counts a request against its address; throws 429 beyond the limit. */
  readonly limitAddress: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/**
 * Mounts the refusal on a path whose other routes are mounted already. It comes before authentication and before any
 * body is read, so it counts against the address that sent it.
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  { limitAddress }: CountsAddress,
  url: string,
  allowed: readonly string[],
): void {
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      await limitAddress(request, reply)
      const headers = { allow: allowed.join(', ') }
      throw new HubError(
        'method.not_allowed',
        `${request.method} is not supported on this path; use ${headers.allow}.`,
        { headers },
      )
    },
    handler: () => undefined,
  })
}
