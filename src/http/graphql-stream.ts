/** `/graphql/stream`: graphql-sse in both its modes, with the context, limits and errors of `/graphql`. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ExecutionArgs, execute, type GraphQLError, specifiedRules, subscribe, validate } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/fastify'
import type { GraphqlParts } from './graphql.ts'
import { renderError, renderResult } from './graphql-errors.ts'
import { fewRootFields, parseBounded, refuseOversized } from './graphql-limits.ts'
import { endingOf } from './request-context.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** Streams under way. At a stop each is ended, and its client comes back to another instance. */
export interface OpenStreams {
  endAll(): void
}

/** Mounts the endpoint; what it returns ends every stream when the hub stops. */
export function registerGraphqlStream(app: FastifyInstance, parts: GraphqlParts): OpenStreams {
  const open = new Set<{ request: FastifyRequest; end(): void }>()
  let ended = false
  const handler = createHandler({
    schema: parts.schema,
    execute,
    subscribe,
    onSubscribe: ({ raw }, params) => prepare(parts, raw, params),
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
      const stream = { request, end: () => endSoftly(reply.raw, request) }
      open.add(stream)
      if (ended) stream.end()
      reply.hijack()
      try {
        await handler(request, reply)
      } catch (error) {
        renderError(error, request)
        if (!reply.raw.headersSent) reply.raw.writeHead(500)
        reply.raw.end()
      } finally {
        open.delete(stream)
      }
    },
  })
  return {
    endAll() {
      ended = true
      for (const stream of open) stream.end()
    },
  }
}

/** Says when to come back, then ends the response; the request's signal ends what feeds it. */
function endSoftly(
  raw: { writable: boolean; headersSent: boolean; write(text: string): boolean; end(): unknown },
  request: FastifyRequest,
): void {
  endingOf(request).abort()
  if (raw.writable && raw.headersSent) raw.write('retry: 2000\n\n')
  raw.end()
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
