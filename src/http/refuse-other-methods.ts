/** 405 with `Allow` for the methods that a path does not have. */
import type { FastifyInstance } from 'fastify'
import { HubError } from '../platform/errors.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Mounts the refusal on a path whose other routes are mounted already. It comes before authentication and before any
 * body is read.
 */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: async (request) => {
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
