/** `/graphql/stream`: graphql-sse in both its modes, with the context, limits and errors of `/graphql`. */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  specifiedRules,
  subscribe,
  validate,
} from 'graphql'
import { createHandler } from 'graphql-sse'
import { parseExact } from '../exact-json.ts'
import type { GraphqlParts } from './graphql.ts'
import { renderError, renderResult } from './graphql-errors.ts'
import { fewRootFields, parseBounded, refuseOversized } from './graphql-limits.ts'
import { typedNumbers } from './graphql-numbers.ts'
import { OpenStreams } from './open-streams.ts'
import { endingOf } from './request-context.ts'
import { StreamOutlet } from './stream-outlet.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** Mounts the endpoint; what it returns ends every stream when the hub stops. */
export function registerGraphqlStream(
  app: FastifyInstance,
  parts: GraphqlParts,
  streams = new OpenStreams(),
): OpenStreams {
  const connections = new Map<string, FastifyRequest>()
  const outlets = new WeakMap<FastifyRequest, StreamOutlet>()
  const handler = createHandler<FastifyRequest>({
    schema: parts.schema,
    // A connection is made with a token that nobody can guess: who has it may add operations and read their results.
    authenticate: ({ raw }) => (raw.method === 'PUT' ? '' : tokenOf(raw)) || randomUUID(),
    execute,
    subscribe: (args) => subscribe(args),
    onSubscribe: ({ raw }, params) => {
      const connection = connections.get(tokenOf(raw))
      if (connection && raw !== connection) {
        // An operation of single connection mode is answered at once, and lasts as long as the connection that its results go out on.
        raw.ending = endingOf(connection)
        const outlet = outlets.get(connection)
        if (outlet) outlets.set(raw, outlet)
      }
      return prepare(parts, raw, params)
    },
    onOperation: (_context, { raw }, _args, result) => {
      const outlet = outlets.get(raw)
      return outlet && isStream(result) ? outlet.paced(result) : undefined
    },
    onNext: (_context, { raw }, result) => {
      outlets.get(raw)?.expectResult()
      return renderResult(result, raw)
    },
  })
  async function answer(request: FastifyRequest, reply: FastifyReply, outlet: StreamOutlet): Promise<void> {
    const [body, { status, statusText, headers }] = await handler({
      method: request.method,
      url: request.url,
      headers: { get: (name) => headerOf(request, name) },
      body: () => parseExact(typeof request.body === 'string' ? request.body : '') as Record<string, unknown>,
      raw: request,
      context: undefined,
    })
    const { raw } = reply
    raw.writeHead(status, statusText, { ...(reply.getHeaders() as Record<string, string>), ...headers })
    if (typeof body === 'object' && body !== null) {
      raw.once('close', () => void body.return(undefined))
      for await (const message of body) if (!(await outlet.write(message))) break
    }
    raw.end(typeof body === 'string' ? body : undefined)
  }
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
      const outlet = new StreamOutlet(reply.raw)
      if (request.method === 'GET' || !connections.has(token)) outlets.set(request, outlet)
      if (request.method === 'GET' && token && !connections.has(token)) connections.set(token, request)
      await streams.during(request, reply.raw, async () => {
        try {
          await answer(request, reply, outlet)
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
function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown }
  return headerOf(request, 'x-graphql-event-stream-token') ?? (typeof token === 'string' ? token : '')
}

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

const isStream = (result: unknown): result is AsyncIterable<ExecutionResult> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

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
    const variableValues = typedNumbers(parts.schema, document, params.operationName, params.variables ?? {})
    refuseOversized(document, params.operationName, variableValues)
    // graphql-sse only passes the context on; its own type for it knows no class instances.
    const contextValue = parts.contextOf(request) as unknown as undefined
    return { schema: parts.schema, document, operationName: params.operationName ?? null, variableValues, contextValue }
  } catch (error) {
    return refuse([error])
  }
}
