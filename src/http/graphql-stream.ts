/** `/graphql/stream`: the GraphQL over SSE protocol in both its modes, with the context, limits and errors of `/graphql`. */
import { AsyncResource } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ExecutionResult, getOperationAST, specifiedRules, validate } from 'graphql'
import { HubError } from '../platform/errors.ts'
import { contextMaker, type GraphqlParts } from './graphql.ts'
import { renderError, sendRefusal } from './graphql-errors.ts'
import { fewRootFields, parseBounded } from './graphql-limits.ts'
import { executeOperation, subscribeOperation } from './graphql-operation.ts'
import { SharedStreams } from './shared-streams.ts'
import { sseHeaders } from './sse.ts'
import { completeMessage, nextMessage, readParams, type StreamParams } from './stream-messages.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_OPERATION_ID = 128

/** Mounts the endpoint. */
export function registerGraphqlStream(app: FastifyInstance, parts: GraphqlParts, shared = new SharedStreams()): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:graphql\+)?json\b/i, { parseAs: 'string' }, (_request, text, done) =>
    done(null, text),
  )
  app.setErrorHandler(sendRefusal)
  app.addHook('preClose', async () => shared.endAll())
  const route = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ) =>
    app.route({
      method,
      url: '/graphql/stream',
      bodyLimit: BODY_LIMIT_BYTES,
      exposeHeadRoute: false,
      onRequest: parts.identify,
      handler,
    })
  route('PUT', (request, reply) =>
    reply
      .code(201)
      .type('text/plain; charset=utf-8')
      .send(shared.reserve(parts.streams.take(request))),
  )
  route('DELETE', (request, reply) => {
    const { operationId } = request.query as { operationId?: unknown }
    if (typeof operationId !== 'string') throw new HubError('validation.request', 'Say which `operationId`.')
    streamOf(shared, request).complete(operationId)
    return reply.code(200).send()
  })
  const ask = (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers.accept !== 'text/event-stream') return addOperation(parts, shared, request, reply)
    return shared.find(tokenOf(request)) ? readShared(parts, shared, request, reply) : readOne(parts, request, reply)
  }
  route('GET', ask)
  route('POST', ask)
}

/** Distinct connection mode: the results of one operation. */
async function readOne(parts: GraphqlParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const params = readParams(request)
  await parts.streams.serve(request, reply, sseHeaders, async (outlet) => {
    await outlet.write(':\n\n')
    const results = await resultsOf(parts, request, params)
    if (Symbol.asyncIterator in results) {
      for await (const result of results) if (!(await outlet.write(nextMessage(result)))) return
    } else await outlet.write(nextMessage(results))
    await outlet.write(completeMessage())
  })
  return reply
}

/** Single connection mode: what operations of other requests yield. */
async function readShared(
  parts: GraphqlParts,
  shared: SharedStreams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const stream = streamOf(shared, request)
  stream.claim()
  try {
    await parts.streams.serve(request, reply, sseHeaders, (outlet) => stream.feed(outlet))
  } finally {
    stream.end()
  }
  return reply
}

/** An operation of single connection mode is answered at once; it lasts as long as the connection that its results go out on. */
function addOperation(
  parts: GraphqlParts,
  shared: SharedStreams,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const stream = streamOf(shared, request)
  const params = readParams(request)
  const { operationId: id } = params
  if (id === '' || id.length > MAX_OPERATION_ID) {
    const detail = `\`extensions.operationId\` names the operation on its stream: a text of 1 to ${MAX_OPERATION_ID} characters.`
    throw new HubError('validation.request', detail)
  }
  // Set before it starts, which may be at once: the end of its own request is not the end of the operation.
  const ending = new AbortController()
  request.ending = ending
  const release = parts.streams.take(request)
  try {
    stream.add({
      id,
      bytes: Buffer.byteLength(request.method === 'GET' ? request.url : String(request.body)),
      ending,
      // It may start when another request makes room for it; what belongs to its own request is that of its own.
      start: AsyncResource.bind(() => resultsOf(parts, request, params)),
      failed: (error) => ({ errors: [renderError(error, request)] }),
      release,
    })
  } catch (error) {
    release()
    throw error
  }
  return reply.code(202).send()
}

/** What the operation yields, or its faults as the one result. */
async function resultsOf(
  parts: GraphqlParts,
  request: FastifyRequest,
  { query, operationName, variables }: StreamParams,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const refuse = (errors: readonly unknown[]) => ({ errors: errors.map((error) => renderError(error, request)) })
  try {
    const { schema } = parts
    const document = parseBounded(query)
    const faults = validate(schema, document, [...specifiedRules, fewRootFields])
    if (faults.length > 0) return refuse(faults)
    const kind = getOperationAST(document, operationName)?.operation
    if (kind === 'mutation' && request.method === 'GET')
      throw new HubError('method.not_allowed', 'A mutation is sent by POST.', { headers: { allow: 'POST' } })
    const makeContext = contextMaker(parts, request)
    const operation = { schema, document, operationName, variables, request, makeContext }
    return await (kind === 'subscription' ? subscribeOperation(operation) : executeOperation(operation))
  } catch (error) {
    return refuse([error])
  }
}

/** The stream that the request's token stands for; 404 where there is none. */
function streamOf(shared: SharedStreams, request: FastifyRequest) {
  const stream = shared.find(tokenOf(request))
  if (stream) return stream
  throw new HubError('not_found', 'There is no such stream: reserve one with PUT, and read it within a minute.')
}

/** What ties the operations of single connection mode to their connection; empty in the other mode. */
function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown }
  const header = request.headers['x-graphql-event-stream-token']
  return typeof header === 'string' ? header : typeof token === 'string' ? token : ''
}
