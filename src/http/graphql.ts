/**
 * `/graphql`: Yoga for programs (POST, and GET for queries only), GraphiQL for browsers.
 *
 * Yoga does the GraphQL over HTTP protocol: it reads requests, chooses the media type and the status, and prints
 * results and event streams. A plain request whose result has no error goes past it (`graphql-direct.ts`). The hub
 * replaces these of its stages:
 *
 * | stage | here | why |
 * |---|---|---|
 * | GraphiQL, landing page | `graphiql/page.ts` | assets from packages, a content security policy, examples |
 * | CORS, health check, logging | `edge.ts` | the same for every path of the server |
 * | request parsing | `onRequestParse` | numbers stay as they were written; persisted documents by id |
 * | parsing, validation and their cache | `graphql-documents.ts` | documents are bounded, counted and kept once, for `/graphql/stream` too |
 * | execution, subscription | `graphql-operation.ts` | cost, processor time and bytes are counted while an operation runs; turns; `compiled/` plans what is sent again |
 * | masking of errors | `graphql-errors.ts` | one closed table of errors for both APIs |
 * | batching, multipart | off | one operation a request has one cost; files move through presigned URLs |
 */
import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, type YogaServerInstance } from 'graphql-yoga'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { assertFewValues } from '../platform/json-values.ts'
import { lazy } from '../platform/lazy.ts'
import { assertTakesAnswer, assertTakesEvents, eventsOnly } from './accepted-types.ts'
import type { Admit } from './admission.ts'
import { mayCompress } from './compression.ts'
import type { SendGraphiql } from './graphiql/page.ts'
import { type ReadBody, readDirect, readOnce, type Settled } from './graphql-direct.ts'
import { type Documents, PreparedDocument } from './graphql-documents.ts'
import { renderResult, sendGraphqlError, withStatus } from './graphql-errors.ts'
import { executeOperation, type MakeContext, type Operation, subscribeOperation } from './graphql-operation.ts'
import type { OpenStreams } from './open-streams.ts'
import type { PersistedDocuments } from './persisted-documents.ts'
import { sseHeaders } from './sse.ts'

export interface GraphqlParts {
  readonly documents: Documents
  readonly persisted: PersistedDocuments
  readonly identify: onRequestHookHandler
  readonly contextOf: (request: FastifyRequest, change?: { readonly viewer?: Viewer }) => RequestContext
  readonly streams: OpenStreams
  readonly spend: SpendCost
  readonly admit: Admit
}

/**
 * Adds the cost of an operation to what its caller has spent, and throws 429 if that is too much. No headers are set
 * once `reply` has begun.
 */
export type SpendCost = (request: FastifyRequest, reply: FastifyReply, cost: number) => void

interface ServerContext {
  /** Not `request`, which Yoga sets itself. */
  readonly fastifyRequest: FastifyRequest
  readonly readBody: ReadBody
  /** What was executed already, and only has to be answered. */
  readonly settled: Settled | null
  readonly makeContext: MakeContext
  readonly spend: Operation['spend']
  readonly admit: Operation['admit']
}

/** What a request may have; of any type until Yoga has looked. */
type Params = GraphQLParams & { readonly documentId?: unknown }

/** What Yoga and `onParse` add. */
interface ParsedContext extends ServerContext {
  readonly params: { readonly extensions?: { readonly cost?: unknown } | null }
  readonly prepared: PreparedDocument
}

const BODY_LIMIT_BYTES = 1024 * 1024

/** Mounts the endpoint. Bodies are JSON only, so that no form of another origin can post one; GET runs queries only. */
export function registerGraphql(app: FastifyInstance, parts: GraphqlParts & { readonly graphiql: SendGraphiql }): void {
  const yoga = lazy(() => yogaOf(parts))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:graphql\+)?json\b/i, { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  )
  app.setErrorHandler(sendGraphqlError)
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: async (request, reply) => {
      if (wantsPage(request)) return parts.graphiql(request, reply)
      reply.header('cache-control', 'private, no-store')
      await parts.identify.call(app, request, reply, () => undefined)
    },
    handler: async (request, reply) => {
      if (Buffer.isBuffer(request.body)) assertFewValues(request.body)
      assertTakesAnswer(acceptOf(request))
      if (request.url.includes('?')) assertJsonParameters(urlOf(request).searchParams)
      const answer = await answerOf(parts, yoga, request, reply)
      if (typeof answer === 'string') return reply.send(answer)
      if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
        await parts.streams.serve(request, reply, sseHeaders, (outlet) => outlet.writeAll(piecesOf(answer)))
        return reply
      }
      // Yoga's own has no body.
      if (answer.status === 406) throw eventsOnly()
      reply.code(answer.status)
      for (const [name, value] of answer.headers) if (name !== 'content-length') reply.header(name, value)
      return reply.send(Buffer.from(await answer.arrayBuffer()))
    },
  })
}

type Yoga = YogaServerInstance<ServerContext, object>

const yogaOf = (parts: GraphqlParts): Yoga =>
  createYoga<ServerContext>({
    schema: parts.documents.schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    // The documents are kept by `Documents`, with their limits.
    parserAndValidationCache: false,
    // `bodyLimit` is the limit; Yoga's would send each body through a stream.
    maxRequestBodySize: false,
    plugins: [hubPlugin(parts)],
  })

/** The text of a result without errors, whose headers are set; else Yoga's response. */
async function answerOf(
  parts: GraphqlParts,
  yoga: () => Yoga,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | Response> {
  const { body, method } = request
  const readBody = readOnce(() => parseExact(Buffer.isBuffer(body) ? body.toString() : ''))
  const call = callOf(parts, request, reply)
  const byYoga = async (settled: Settled | null) => {
    // The body is read by `readBody`.
    const init = { method, headers: { 'content-type': 'application/json', accept: acceptOf(request) } }
    return yoga().fetch(urlOf(request).href, init, { fastifyRequest: request, readBody, settled, ...call })
  }
  return parts.admit(request, async () => {
    const ask = readDirect(parts, request, acceptOf(request), readBody)
    if (!ask) return byYoga(null)
    const settled = await settle(() => executeVisibly({ ...ask.asked, request, ...call }))
    const { result } = settled
    if (!result || result.errors || result.extensions?.http) return byYoga({ params: ask.params, ...settled })
    reply.type(ask.contentType)
    return JSON.stringify(result)
  })
}

const urlOf = ({ url }: FastifyRequest) => new URL(url, 'http://hub.invalid')

/** Executes a query or mutation; its answer may be compressed if it holds no secret. */
function executeVisibly(operation: Operation): Promise<ExecutionResult> {
  if (!operation.prepared.carriesSecrets()) mayCompress(operation.request)
  return executeOperation(operation)
}

async function settle(work: () => Promise<ExecutionResult>): Promise<Omit<Settled, 'params'>> {
  try {
    return { result: await work(), failure: null }
  } catch (failure) {
    return { result: null, failure }
  }
}

/** What an operation needs of the request that carried it. */
export function callOf(
  { contextOf, spend, admit }: Pick<GraphqlParts, 'contextOf' | 'spend' | 'admit'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Pick<Operation, 'makeContext' | 'spend' | 'admit'> {
  return {
    // A new one per execution.
    makeContext: (viewer) => contextOf(request, viewer ? { viewer } : {}),
    spend: (cost) => spend(request, reply, cost),
    admit: (work) => admit(request, work),
  }
}

/** The body of Yoga's streamed response. */
function piecesOf({ body }: Response): AsyncIterable<Uint8Array> {
  if (!body) throw new Error('Yoga answered with a stream that has no body.')
  return body
}

/** Yoga would report invalid JSON in these parameters as its own failure. */
function assertJsonParameters(query: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    const text = query.get(name)
    if (!text) continue
    try {
      JSON.parse(text)
    } catch (cause) {
      throw new HubError('validation.json', `The query parameter ${name} is not JSON.`, { cause })
    }
  }
}

const hubPlugin = ({ documents, persisted }: GraphqlParts): Plugin<Pick<ParsedContext, 'prepared'>, ServerContext> => ({
  onRequestParse({ request, requestParser, setRequestParser, serverContext: { readBody, settled } }) {
    if (settled) return setRequestParser(() => settled.params)
    if (!requestParser) return
    // Yoga's own body parser, but with exact numbers.
    const withNumbers = Object.create(request, { json: { value: async () => readBody() } })
    setRequestParser(async () => {
      const params = await requestParser(request.method === 'POST' ? withNumbers : request)
      // A batch is refused later.
      if (!isJsonObject(params)) return params
      // Yoga reads no `documentId` from a URL.
      const { documentId = new URL(request.url).searchParams.get('documentId'), ...known } = params as Params
      const query = persisted.textOf({ ...known, documentId })
      if (query !== known.query && typeof query === 'string') documents.notePersisted(query)
      return { ...known, query: query as string }
    })
  },
  onParams({ context: { settled }, setResult }) {
    if (settled?.result) setResult(settled.result)
    else if (settled) throw settled.failure
  },
  onParse({ params, setParsedDocument, extendContext }) {
    const prepared = documents.prepare(String(params.source))
    if (!(prepared instanceof PreparedDocument)) throw new AggregateError(prepared.faults)
    setParsedDocument(prepared.document)
    extendContext({ prepared })
  },
  onValidate({ setResult }) {
    // The document is valid, or `onParse` has thrown.
    setResult([])
  },
  onExecute({ args, setExecuteFn }) {
    const operation = operationOf(args)
    setExecuteFn(() => executeVisibly(operation))
  },
  onSubscribe({ args, setSubscribeFn }) {
    const operation = operationOf(args)
    assertTakesEvents(acceptOf(operation.request))
    setSubscribeFn(() => subscribeOperation(operation))
  },
  onResultProcess({ result, serverContext: { fastifyRequest }, setResult }) {
    if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors?.length) return
    // Syntax and validation errors never reach execution, so they are rendered here; already rendered ones are left
    // alone.
    const isRendered = result.errors.every((error) => error.extensions?.problem)
    setResult(withStatus(isRendered ? result : renderResult(result, fastifyRequest)))
  },
})

/** Resolvers get the hub's own context, not Yoga's. */
function operationOf({ schema, operationName, variableValues, contextValue }: ExecutionArgs): Operation {
  const { fastifyRequest: request, makeContext, spend, admit, prepared, params } = contextValue as ParsedContext
  const showsCost = params.extensions?.cost === true
  const variables = variableValues ?? {}
  return { schema, prepared, operationName, variables, request, makeContext, spend, admit, showsCost }
}

/** An absent or empty header takes anything. */
const acceptOf = ({ headers }: FastifyRequest): string => headers.accept || '*/*'

function wantsPage(request: FastifyRequest): boolean {
  // Also with a query in the URL, which is how people share queries.
  return request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '')
}
