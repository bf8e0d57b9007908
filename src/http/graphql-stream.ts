/** `/graphql/stream`: graphql-sse in both its modes, with the context, limits and errors of `/graphql`. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ExecutionArgs, execute, type GraphQLError, specifiedRules, subscribe, validate } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/fastify'
import type { GraphqlParts } from './graphql.ts'
import { renderError, renderResult } from './graphql-errors.ts'
import { fewRootFields, parseBounded, refuseOversized } from './graphql-limits.ts'
import { OpenStreams } from './open-streams.ts'
import { endingOf } from './request-context.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** Mounts the endpoint; what it returns ends every stream when the hub stops. */
export function registerGraphqlStream(app: FastifyInstance, parts: GraphqlParts): OpenStreams {
  const streams = new OpenStreams()
  const connections = new Map<string, FastifyRequest>()
  const handler = createHandler({
    schema: parts.schema,
    execute,
    subscribe,
    onSubscribe: ({ raw }, params) => {
      const connection = connections.get(tokenOf(raw))
      // An operation of single connection mode is answered at once, and lasts as long as the connection that its results go out on.
      if (connection && raw !== connection) raw.ending = endingOf(connection)
      return prepare(parts, raw, params)
    },
    onNext: (_context, { raw }, result) => renderResult(result, raw),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:graphql\+)?json\b/i, { parseAs: 'string' }, (_request, text, done) =>
    done(null, text),
  )
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/graphql/stream',
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: parts.identify,
    handler: async (request, reply) => {
      // Proxies hold small chunks back unless told otherwise.
      reply.header('x-accel-buffering', 'no')
      reply.hijack()
      const token = tokenOf(request)
      if (request.method === 'GET' && token && !connections.has(token)) connections.set(token, request)
      await streams.during(request, reply.raw, async () => {
        try {
          await handler(request, reply)
        } catch (error) {
          renderError(error, request)
          if (!reply.raw.headersSent) reply.raw.writeHead(500)
          reply.raw.end()
        } finally {
          if (connections.get(token) === request) connections.delete(token)
        }
      })
    },
  })
  return streams
}

/** What ties the operations of single connection mode to their connection; empty in the other mode. */
function tokenOf({ headers }: FastifyRequest): string {
  const token = headers['x-graphql-event-stream-token']
  return typeof token === 'string' ? token : ''
}

type Params = {
  readonly query?: unknown
  readonly operationName?: string | null | undefined
  readonly variables?: Record<string, unknown> | null | undefined
}

/** The operation ready to run, or its faults as the one result of the stream. */
function prepare(
  parts: GraphqlParts,
  request: FastifyRequest,
  params: Params,
): (ExecutionArgs & { contextValue: undefined }) | { errors: GraphQLError[] } {
  const refuse = (errors: readonly unknown[]) => ({ errors: errors.map((error) => renderError(error, request)) })
  try {
    const document = parseBounded(String(params.query ?? ''))
    const faults = validate(parts.schema, document, [...specifiedRules, fewRootFields])
    if (faults.length > 0) return refuse(faults)
    const variableValues = params.variables ?? {}
    refuseOversized(document, params.operationName, variableValues)
    // graphql-sse only passes the context on; its own type for it knows no class instances.
    const contextValue = parts.contextOf(request) as unknown as undefined
    return { schema: parts.schema, document, operationName: params.operationName ?? null, variableValues, contextValue }
  } catch (error) {
    return refuse([error])
  }
}
