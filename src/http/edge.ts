/** Common to every response: request id, security headers, one log line, and errors as Problems. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { HubError, toProblem } from '../platform/errors.ts'
import { limitHeaderNames } from '../platform/limit-facts.ts'
import { registerCompression, vary } from './compression.ts'
import { knownError } from './known-error.ts'
import { pathOf, requestLogger } from './logger.ts'
import { sendProblem } from './send-problem.ts'

/** The client's `X-Request-Id` if valid, otherwise a new id. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(header) ? header : `req_${randomUUID()}`
}

/** Responses are data: no page may execute, frame or sniff them. HTML pages set their own policy. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Hooks and handlers on the root instance. `https`: the public URL is https, so HSTS is sent. */
export function registerEdge(
  app: FastifyInstance,
  options: {
    log: Logger
    https: boolean
    corsOrigins: readonly string[]
    /** Counts a request for an address that nothing has; absent where no one is limited. */
    limitAddress?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  },
): void {
  app.decorateRequest('viewer', null)
  app.decorateRequest('identifiedAtMs', 0)
  app.decorateRequest('abortOnClose', null)
  app.decorateRequest('response', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.response = reply.raw
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': dataPolicy,
    })
    if (options.https) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
  if (options.corsOrigins.length > 0) registerCors(app, new Set(options.corsOrigins))
  // Before its body is read: a megabyte of JSON takes 25 ms to parse.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    await options.limitAddress?.(request, reply)
    throw nothingAt(request)
  })
  registerCompression(app)
  app.addHook('onSend', (_request, reply, payload, done) => done(null, inPieces(reply, payload)))
  const log = requestLogger(options.log)
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    const known = knownError(error, request)
    return sendProblem(reply, toProblem(known, request.id), known.headers)
  })
  // Of the pages' route, which has no page at this address.
  app.setNotFoundHandler(async (request, reply) => {
    await options.limitAddress?.(request, reply)
    throw nothingAt(request)
  })
}

function nothingAt({ url }: FastifyRequest): HubError {
  return new HubError('not_found', `Nothing found at ${pathOf(url).slice(0, 200)}; /docs lists the available paths.`)
}

/** Long responses are written in pieces, so that a slow reader can be distinguished from a stalled one. */
const PIECE_BYTES = 32 * 1024

function inPieces(reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  if (payload.length <= PIECE_BYTES) return payload
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  reply.header('content-length', bytes.byteLength)
  return Readable.from(piecesOf(bytes), { objectMode: false })
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES)
}

function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { viewer } = request
  log.info(
    {
      request_id: request.id,
      method: request.method,
      path: pathOf(request.url),
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      credential: viewer && viewer.kind !== 'anonymous' ? viewer.credentialId : undefined,
      address: request.ip,
    },
    'request',
  )
}

const exposedHeaders = [
  'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Idempotent-Replayed',
  ...limitHeaderNames,
].join(', ')

/** Only the configured origins, without cookies: a page of another origin sends its own credential. */
function registerCors(app: FastifyInstance, origins: ReadonlySet<string>): void {
  app.addHook('onRequest', async (request, reply) => {
    vary(reply, 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !origins.has(origin)) return
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders })
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
    reply.headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, Last-Event-ID',
      'access-control-max-age': '600',
    })
    return reply.code(204).send()
  })
}
