/** `/graphql`: Yoga for programs (POST, and GET for queries only), GraphiQL for browsers. */
import { hash } from 'node:crypto'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type ExecutionArgs, type GraphQLSchema, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { noneMatchCovers, strongEtag } from '../platform/etag.ts'
import { parseExact } from '../platform/exact-json.ts'
import { lazy } from '../platform/lazy.ts'
import { renderResult, sendGraphqlError } from './graphql-errors.ts'
import { fewRootFields, parseBounded } from './graphql-limits.ts'
import { executeOperation, type MakeContext, type Operation, subscribeOperation } from './graphql-operation.ts'
import type { OpenStreams } from './open-streams.ts'
import { sseHeaders } from './sse.ts'

export interface GraphqlParts {
  /** One of `countedSchema`. */
  readonly schema: GraphQLSchema
  readonly identify: onRequestHookHandler
  readonly contextOf: (request: FastifyRequest, change?: { readonly viewer?: Viewer }) => RequestContext
  readonly streams: OpenStreams
}

interface ServerContext {
  /** Not `request`, which Yoga sets itself. */
  readonly fastifyRequest: FastifyRequest
  readonly makeContext: MakeContext
}

const BODY_LIMIT_BYTES = 1024 * 1024

/** Mounts the endpoint. Bodies are JSON only, so that no form of another origin can post one; GET runs queries only. */
export function registerGraphql(app: FastifyInstance, parts: GraphqlParts): void {
  const yoga = createYoga<ServerContext>({
    schema: parts.schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    plugins: [hubPlugin],
  })
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
      if (wantsPage(request)) return sendPage(graphiqlPage(), request, reply)
      await parts.identify.call(app, request, reply, () => undefined)
    },
    handler: async (request, reply) => {
      const url = new URL(request.url, 'http://hub.invalid')
      const body = Buffer.isBuffer(request.body) ? { body: new Uint8Array(request.body) } : {}
      const headers = { 'content-type': 'application/json', accept: String(request.headers.accept ?? '*/*') }
      assertJsonParameters(url.searchParams)
      const init = { method: request.method, headers, ...body }
      const response = await yoga.fetch(url.href, init, {
        fastifyRequest: request,
        makeContext: contextMaker(parts, request),
      })
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
        await parts.streams.serve(request, reply, sseHeaders, (outlet) => outlet.writeAll(piecesOf(response)))
        return reply
      }
      reply.code(response.status)
      for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value)
      return reply.send(Buffer.from(await response.arrayBuffer()))
    },
  })
}

/** Creates the contexts of one request, a new one per execution. */
export function contextMaker({ contextOf }: Pick<GraphqlParts, 'contextOf'>, request: FastifyRequest): MakeContext {
  return (viewer) => contextOf(request, viewer ? { viewer } : {})
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

const hubPlugin: Plugin<object, ServerContext> = {
  onRequestParse({ request, requestParser, setRequestParser }) {
    if (request.method !== 'POST' || !requestParser) return
    // Yoga's own body parser, but with exact numbers.
    const withNumbers = Object.create(request, { json: { value: async () => parseExact(await request.text()) } })
    setRequestParser(() => requestParser(withNumbers))
  },
  onParse({ setParseFn }) {
    setParseFn(parseBounded)
  },
  onValidate({ addValidationRule, setValidationFn }) {
    setValidationFn(validate)
    addValidationRule(fewRootFields)
  },
  onExecute({ args, setExecuteFn }) {
    setExecuteFn(() => executeOperation(operationOf(args)))
  },
  onSubscribe({ args, setSubscribeFn }) {
    setSubscribeFn(() => subscribeOperation(operationOf(args)))
  },
  onResultProcess({ result, serverContext: { fastifyRequest }, setResult }) {
    // Syntax and validation errors never reach execution, so they are rendered here; already rendered ones are left alone.
    if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors?.length) return
    if (result.errors.every((error) => error.extensions?.problem)) return
    setResult(renderResult(result, fastifyRequest))
  },
}

/** Resolvers get the hub's own context, not Yoga's. */
function operationOf({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs): Operation {
  const { fastifyRequest, makeContext } = contextValue as ServerContext
  return { schema, document, operationName, variables: variableValues ?? {}, request: fastifyRequest, makeContext }
}

function wantsPage(request: FastifyRequest): boolean {
  // Also with a query in the URL, which is how people share queries.
  return request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '')
}

/** Nine megabytes: rendered once, and cached by browsers through its ETag. */
interface GraphiqlPage {
  readonly bytes: Buffer
  readonly etag: string
  readonly policy: string
}

function sendPage(page: GraphiqlPage, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({
    etag: page.etag,
    'cache-control': 'no-cache',
    vary: 'Accept',
    'content-security-policy': page.policy,
  })
  if (noneMatchCovers(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page.bytes)
}

// A half-filled Authorization header would be an invalid credential, and the page could not load the schema.
const exampleQuery = `# The hub's graph. Press the button, or Ctrl+Enter.
# To ask as yourself, sign in at /auth/session, or put { "Authorization": "Bearer <key or session>" } under Headers.
{
  repos(first: 5) {
    nodes { fullName kind visibility fileSummary { count totalBytes } }
    pageInfo { hasNextPage endCursor }
  }
}
`

/** The page with all scripts and styles inline, made for its first reader since it takes 100 ms; the policy allows its scripts by hash and the editor's workers as blobs. */
const graphiqlPage = lazy((): GraphiqlPage => {
  const html = renderGraphiQL({
    title: 'Hub · GraphiQL',
    endpoint: '/graphql',
    defaultQuery: exampleQuery,
    shouldPersistHeaders: false,
  })
  const hashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    'worker-src blob:',
    "frame-ancestors 'none'",
  ].join('; ')
  return { bytes: Buffer.from(html), etag: strongEtag(html), policy }
})
