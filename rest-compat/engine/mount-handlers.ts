/** Mounts the operations that are not documents. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from '../../src/http/refuse-other-methods.ts'
import { assertTexts } from '../../src/http/request-texts.ts'
import type { Edge } from '../../src/http/server.ts'
import { releaseChunk } from '../../src/store/objects/release-chunk.ts'
import type { HandlerRoute } from './handler-route.ts'
import { refuseAnonymous } from './refuse-anonymous.ts'

/**
 * Each behind authentication, the rate limit and the rule for texts; other methods of their paths get 405 and `Allow`.
 */
export function registerHandlers(app: FastifyInstance, edge: Edge, handlers: readonly HandlerRoute[]): void {
  for (const route of handlers) {
    const { body, method, path, answersHead } = route
    // A scope of its own: no other route takes this media type.
    if (body)
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser(body.mediaType, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
        freePieces(scope, body.limitBytes)
        mountHandler(scope, edge, route)
      })
    else mountHandler(app, edge, route)
    refuseOtherMethods(app, edge, path, answersHead ? [method, 'HEAD'] : [method])
  }
}

/**
 * Frees the pieces of a body once they are copied into one: the collector would go through the whole heap for every
 * 64 MiB of them.
 */
function freePieces(scope: FastifyInstance, limitBytes: number): void {
  const pieces = new WeakMap<FastifyRequest, Uint8Array[]>()
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    const some: Uint8Array[] = []
    let room = limitBytes
    const take = (piece: Uint8Array) => {
      room -= piece.byteLength
      if (room >= 0) some.push(piece)
      // A body that is too large is refused, and not kept.
      else payload.off('data', take)
    }
    pieces.set(request, some)
    if (!(Number(request.headers['content-length']) > limitBytes)) payload.on('data', take)
    done(null, payload)
  })
  scope.addHook('preValidation', (request, _reply, done) => {
    const whole = Buffer.isBuffer(request.body) ? request.body.buffer : null
    for (const piece of pieces.get(request) ?? []) if (piece.buffer !== whole) releaseChunk(piece)
    done()
  })
}

function mountHandler(app: FastifyInstance, edge: Edge, route: HandlerRoute): void {
  const { operation, method, path, rest, answersHead, body } = route
  app.route({
    method,
    url: path,
    exposeHeadRoute: answersHead,
    config: { operation },
    ...(body && { bodyLimit: body.limitBytes }),
    onRequest: body ? [edge.identify, ...refuseAnonymous({ scope: 'key' })] : edge.identify,
    preHandler: assertTexts(rest === undefined ? {} : { '*': rest }),
    handler: (request, reply) => route.handle(edge, request, reply),
  })
}
