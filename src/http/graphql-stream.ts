/**
 * `/graphql/stream`: the GraphQL over SSE protocol in both modes, with the context, limits and errors of `/graphql`.
 */
import { AsyncResource } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ExecutionResult, getOperationAST } from 'graphql'
import { placeOf } from '../operation/event-place.ts'
import { HubError } from '../platform/errors.ts'
import { peers } from '../platform/peers.ts'
import { callOf, type GraphqlParts } from './graphql.ts'
import { PreparedDocument } from './graphql-documents.ts'
import { renderError, sendGraphqlError } from './graphql-errors.ts'
import { executeOperation, subscribeOperation } from './graphql-operation.ts'
import { addWaiting, answerForStreams, passOn, takeStream } from './peer-streams.ts'
import { sentOf } from './sent-request.ts'
import { messageOf } from './shared-executions.ts'
import { SharedStreams } from './shared-streams.ts'
import { sseHeaders } from './sse.ts'
import { completeMessage, nextMessage, readParams, type StreamParams, streamTokenOf } from './stream-messages.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_OPERATION_ID = 128

/** Mounts the endpoint. */
export function registerGraphqlStream(app: FastifyInstance, parts: GraphqlParts, shared = new SharedStreams()): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:graphql\+)?json\b/i, { parseAs: 'string' }, (_request, text, done) =>
    done(null, text),
  )
  app.setErrorHandler(sendGraphqlError)
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
      .send(shared.reserve(callerOf(request), parts.streams.take(request))),
  )
  answerForStreams(app, shared)
  /** Whether the request's stream may be another process's. */
  const isElsewhere = (request: FastifyRequest) =>
    peers.areThere && shared.find(streamTokenOf(request), callerOf(request)) === null
  const orPassedOn =
    (handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply) =>
    (request: FastifyRequest, reply: FastifyReply) => {
      if (!isElsewhere(request)) return handler(request, reply)
      return passOn(request, reply, callerOf(request)).then((isAnswered) =>
        isAnswered ? reply : handler(request, reply),
      )
    }
  const remove = orPassedOn((request, reply) => {
    const { operationId } = request.query as { operationId?: unknown }
    if (typeof operationId !== 'string') throw new HubError('validation.request', '`operationId` is required.')
    streamOf(shared, request).complete(operationId)
    return reply.code(200).send()
  })
  route('DELETE', remove)
  const add = orPassedOn((request, reply) => addOperation(parts, shared, request, reply))
  const read = (request: FastifyRequest, reply: FastifyReply) =>
    shared.find(streamTokenOf(request), callerOf(request))
      ? readShared(parts, shared, request, reply)
      : readOne(parts, request, reply)
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    if (!readsEvents(request)) return add(request, reply)
    return isElsewhere(request) ? takeAndRead(request, reply) : read(request, reply)
  }
  const takeAndRead = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = streamTokenOf(request)
    const waiting = await takeStream(token, callerOf(request))
    if (!waiting) return read(request, reply)
    shared.reserve(callerOf(request), parts.streams.take(request), token)
    void addWaiting(app, waiting)
    return read(request, reply)
  }
  route('GET', handle)
  route('POST', handle)
}

/** Distinct connection mode: the results of one operation. */
async function readOne(parts: GraphqlParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const params = readParams(request, parts.persisted)
  await parts.streams.serve(request, reply, sseHeaders, async (outlet) => {
    await outlet.write(':\n\n')
    const results = await resultsOf(parts, request, reply, params)
    if (Symbol.asyncIterator in results) {
      for await (const result of results)
        if (!(await outlet.write(messageOf(result, () => nextMessage(result, { place: placeOf(result) }))))) return
    } else await outlet.write(nextMessage(results))
    await outlet.write(completeMessage())
  })
  return reply
}

/** Single connection mode: streams the results of operations added by other requests. */
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

/** Single connection mode: responds at once; the operation lives as long as the connection that carries its results. */
function addOperation(
  parts: GraphqlParts,
  shared: SharedStreams,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const stream = streamOf(shared, request)
  const params = readParams(request, parts.persisted)
  const { operationId: id } = params
  if (id === '' || id.length > MAX_OPERATION_ID) {
    const detail = `\`extensions.operationId\` must be a string of 1 to ${MAX_OPERATION_ID} characters.`
    throw new HubError('validation.request', detail)
  }
  // Set before the operation starts, which may be at once: it outlives its own request.
  const abortOnClose = new AbortController()
  request.abortOnClose = abortOnClose
  const release = parts.streams.take(request)
  try {
    stream.add({
      id,
      bytes: Buffer.byteLength(request.method === 'GET' ? request.url : String(request.body)),
      abortOnClose,
      sent: peers.areThere ? sentOf(request) : null,
      // It may start from another request's call stack; the binding keeps its own async context.
      start: AsyncResource.bind(() => resultsOf(parts, request, reply, params)),
      failed: (error) => ({ errors: [renderError(error, request)] }),
      release,
    })
  } catch (error) {
    release()
    throw error
  }
  return reply.code(202).send()
}

/** The results of the operation, or its errors as a single result. */
async function resultsOf(
  parts: GraphqlParts,
  request: FastifyRequest,
  reply: FastifyReply,
  params: StreamParams,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  try {
    return await parts.admit(request, () => startOf(parts, request, reply, params))
  } catch (error) {
    return { errors: [renderError(error, request)] }
  }
}

async function startOf(
  parts: GraphqlParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, operationName, variables, showsCost }: StreamParams,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { schema } = parts.documents
  const prepared = parts.documents.prepare(query)
  if (!(prepared instanceof PreparedDocument))
    return { errors: prepared.faults.map((fault) => renderError(fault, request)) }
  const kind = getOperationAST(prepared.document, operationName)?.operation
  if (kind === 'mutation' && request.method === 'GET')
    throw new HubError('method.not_allowed', 'A mutation is sent by POST.', { headers: { allow: 'POST' } })
  const call = callOf(parts, request, reply)
  const operation = { schema, prepared, operationName, variables, request, showsCost, ...call }
  return kind === 'subscription' ? subscribeOperation(operation) : executeOperation(operation)
}

/** Whose streams a request may use: those of the same credential, or those of anonymous callers. */
const callerOf = ({ viewer }: FastifyRequest): string =>
  viewer && viewer.kind !== 'anonymous' ? viewer.credentialId : 'anonymous'

/** The caller's stream of the request's token; 404 if there is none. */
function streamOf(shared: SharedStreams, request: FastifyRequest) {
  const stream = shared.find(streamTokenOf(request), callerOf(request))
  if (stream) return stream
  throw new HubError('not_found', 'No such stream: reserve one with PUT and read it within a minute.')
}

/** A POST without a token adds to no stream: what takes any media type, as curl does, gets events. */
function readsEvents(request: FastifyRequest): boolean {
  const { accept = '*/*' } = request.headers
  return (
    accept === 'text/event-stream' || (accept === '*/*' && request.method === 'POST' && streamTokenOf(request) === '')
  )
}
