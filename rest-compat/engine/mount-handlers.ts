/** Mounts the operations that are not documents. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from '../../src/http/refuse-other-methods.ts'
import { assertTexts } from '../../src/http/request-texts.ts'
import type { Edge } from '../../src/http/server.ts'
import { type Bodies, openBodies } from './bodies.ts'
import { Faults, RequestRefusal, unknownParameter } from './faults.ts'
import type { HandlerRoute } from './handler-route.ts'
import { refuseAnonymous } from './refuse-anonymous.ts'

/**
 * Each behind authentication, the rate limit and the rule for texts; other methods of their paths get 405 and `Allow`.
 */
export function registerHandlers(app: FastifyInstance, edge: Edge, handlers: readonly HandlerRoute[]): void {
  const bodies = openBodies()
  for (const route of handlers) {
    const { body, method, path, answersHead } = route
    // A scope of its own: no other route takes this media type.
    if (body)
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser(body.mediaType, ({ headers }: FastifyRequest, payload: IncomingMessage) =>
          bodies.read(payload, { lengthBytes: Number(headers['content-length']), limitBytes: body.limitBytes }),
        )
        mountHandler(scope, edge, route, bodies)
      })
    else mountHandler(app, edge, route, bodies)
    refuseOtherMethods(app, edge, path, answersHead ? [method, 'HEAD'] : [method])
  }
}

function mountHandler(app: FastifyInstance, edge: Edge, route: HandlerRoute, bodies: Bodies): void {
  const { operation, method, path, rest, answersHead, body, refusesQuery } = route
  app.route({
    method,
    url: path,
    exposeHeadRoute: answersHead,
    config: { operation, ...(body && { mediaType: body.mediaType }) },
    ...(body && { bodyLimit: body.limitBytes }),
    onRequest: body ? [edge.identify, ...refuseAnonymous({ scope: 'key' })] : edge.identify,
    preHandler: [assertTexts(rest === undefined ? {} : { '*': rest }), ...(refusesQuery ? [refuseQuery] : [])],
    handler: (request, reply) => route.handle(edge, request, reply, bodies),
  })
}

/** As an operation that is a document refuses a member that it does not have. */
async function refuseQuery({ query }: FastifyRequest): Promise<void> {
  const faults = new Faults()
  for (const name of Object.keys(query as object)) unknownParameter(name, faults)
  if (faults.items.length > 0) throw new RequestRefusal(faults.items)
}
