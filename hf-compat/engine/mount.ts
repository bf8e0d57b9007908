/** The dialect for the server: its documents planned once, its routes behind the hooks that `/v1` has. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { mayCompress, vary } from '../../src/http/compression.ts'
import type { ReadDocument } from '../../src/http/dialect/documents.ts'
import { planDocument, restDialect } from '../../src/http/dialect/planned-document.ts'
import { discardBody } from '../../src/http/discard-body.ts'
import { refuseOtherMethods } from '../../src/http/refuse-other-methods.ts'
import { assertTexts } from '../../src/http/request-texts.ts'
import type { DialectMount, Edge } from '../../src/http/server.ts'
import { HubError } from '../../src/platform/errors.ts'
import { Call, type DocumentName, type Plans } from './call.ts'
import type { HfHandler } from './handler.ts'
import { Refusal, refusalOf, sendRefusal } from './refusal.ts'
import type { HfRoute } from './route.ts'

export interface HfParts {
  readonly schema: GraphQLSchema
  readonly routes: readonly HfRoute[]
  readonly handlers: readonly HfHandler[]
  readonly readDocument: ReadDocument
}

/** The dialect, ready to mount; fails if a document does not fit the schema. */
export function hfMount({ schema, routes, handlers, readDocument }: HfParts): DialectMount {
  const names = new Set([...routes, ...handlers].flatMap(({ documents }) => documents))
  const plans = planDocuments(schema, names, readDocument)
  return {
    register(scope, edge) {
      prepare(scope, edge)
      for (const route of routes) if (!route.streamsBody) mountRoute(scope, edge, plans, route)
      for (const handler of handlers) mountHandler(scope, edge, plans, handler)
      for (const [path, methods] of methodsOf([...routes, ...handlers])) refuseOtherMethods(scope, edge, path, methods)
    },
    registerStreams(scope, edge) {
      prepare(scope, edge)
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      for (const route of routes) if (route.streamsBody) mountRoute(scope, edge, plans, route)
    },
  }
}

function planDocuments(schema: GraphQLSchema, names: ReadonlySet<DocumentName>, readDocument: ReadDocument): Plans {
  const dialect = restDialect(schema)
  return new Map(
    Array.from(names, (name) => {
      const fail = (why: string): never => {
        throw new Error(`hf-compat: ${name}.graphql ${why}`)
      }
      return [name, planDocument(readDocument(name), dialect, fail)] as const
    }),
  )
}

/** Clients for JavaScript send no key that does not begin so: it is taken off a key of this hub. */
const CLIENT_PREFIX = /^(Bearer )hf_(?=hub_)/i

/** Bodies are read as bytes, and every error below is one of this dialect: also those of hooks. */
function prepare(scope: FastifyInstance, edge: Edge): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    /^application\/(?:(?:[\w.-]+\+)?json|x-www-form-urlencoded)\b/i,
    { parseAs: 'buffer' },
    (_request, bytes, done) => done(null, bytes),
  )
  scope.addHook('onRequest', async ({ headers }) => {
    if (headers.authorization) headers.authorization = headers.authorization.replace(CLIENT_PREFIX, '$1')
  })
  scope.setErrorHandler((error, request, reply) => fail(edge, error, request, reply))
}

function mountRoute(app: FastifyInstance, edge: Edge, all: Plans, route: HfRoute): void {
  const plans: Plans = new Map([...all].filter(([name]) => route.documents.includes(name)))
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: false,
    config: { operation: route.operation },
    ...(route.bodyLimitBytes && { bodyLimit: route.bodyLimitBytes }),
    onRequest: [edge.identify, refuseAnonymous(plans)],
    preHandler: assertTexts(),
    handler: (request, reply) =>
      answered(edge, request, reply, async () => {
        const call = new Call({ edge, request, reply, plans })
        const { status = 200, body, headers = {} } = await withBody(route, request, () => route.answer(call))
        const answersSecrets = [...plans.values()].some(({ carriesSecrets }) => carriesSecrets())
        if (route.method === 'GET') {
          reply.header('cache-control', 'private, no-cache')
          vary(reply, 'Authorization', 'Cookie')
          if (!answersSecrets) mayCompress(request)
        }
        return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body))
      }),
  })
}

/**
 * What is read of a streamed body after its refusal: 10,000 files of 64 KiB have less. The Python client reads no
 * answer before it has sent all, and says "connection reset" in place of the error if it cannot.
 */
const REFUSED_STREAM_BYTES = 1024 * 1024 * 1024

/** Of a body that is refused while it comes the rest is read: the client reads the error when it has sent all. */
async function withBody<T>({ streamsBody }: HfRoute, { raw }: FastifyRequest, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (streamsBody) discardBody(raw, REFUSED_STREAM_BYTES)
    throw error
  }
}

function mountHandler(app: FastifyInstance, edge: Edge, all: Plans, route: HfHandler): void {
  const plans: Plans = new Map([...all].filter(([name]) => route.documents.includes(name)))
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: route.method === 'GET',
    config: { operation: route.operation },
    onRequest: [edge.identify, refuseAnonymous(plans)],
    preHandler: assertTexts(),
    handler: (request, reply) =>
      answered(edge, request, reply, () => route.handle(new Call({ edge, request, reply, plans }))),
  })
}

/** Before a body is read that no one has to answer for. */
const refuseAnonymous = (plans: Plans) => {
  const isOpen = [...plans.values()].every(({ scope }) => scope === 'none')
  return async (request: FastifyRequest) => {
    if (isOpen || (request.viewer && request.viewer.kind !== 'anonymous')) return
    throw new HubError('auth.missing', 'This operation needs a key of this hub: set HF_TOKEN.')
  }
}

async function answered(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await edge.admit(request, work)
  } catch (error) {
    return fail(edge, error, request, reply)
  }
}

function fail(edge: Edge, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = error instanceof Refusal ? error : refusalOf(edge.knownError(error, request), request.id)
  return sendRefusal(reply, refusal)
}

/** The methods of each path. */
function methodsOf(routes: readonly (HfRoute | HfHandler)[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const route of routes) {
    const heads = 'handle' in route && route.method === 'GET' ? ['HEAD'] : []
    methods.set(route.path, [...(methods.get(route.path) ?? []), route.method, ...heads])
  }
  return methods
}
