/** Mounts the operations that are no documents. */
import type { FastifyInstance } from 'fastify'
import { refuseOtherMethods } from '../../src/http/refuse-other-methods.ts'
import { assertTexts } from '../../src/http/request-texts.ts'
import type { Edge } from '../../src/http/server.ts'
import type { HandlerRoute } from './handler-route.ts'

/**
 * Each behind authentication, the rate limit and the rule for texts; other methods of their paths get 405 and `Allow`.
 */
export function registerHandlers(app: FastifyInstance, edge: Edge, handlers: readonly HandlerRoute[]): void {
  for (const route of handlers) {
    const { operation, method, path, rest, answersHead } = route
    app.route({
      method,
      url: path,
      exposeHeadRoute: answersHead,
      config: { operation },
      onRequest: edge.identify,
      preHandler: assertTexts(rest === undefined ? {} : { '*': rest }),
      handler: (request, reply) => route.handle(edge, request, reply),
    })
    refuseOtherMethods(app, edge, path, answersHead ? [method, 'HEAD'] : [method])
  }
}
