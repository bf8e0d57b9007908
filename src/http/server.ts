/** The HTTP server: common hooks, then each mount in its own scope. */
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Deps, RequestContext } from '../operation/context.ts'
import type { Config } from '../platform/config.ts'
import type { TrustProxy } from '../platform/config-values.ts'
import { type HubError, toProblem } from '../platform/errors.ts'
import { AddressSlots } from './address-slots.ts'
import { type Admit, admission, type CallerLimits } from './admission.ts'
import { archiveSlots } from './archive-slots.ts'
import { hasSeveralNames, keepAskedOrigin } from './asked-origin.ts'
import { CallerConnections } from './caller-connections.ts'
import { type ConnectionRules, Connections } from './connections.ts'
import { countedSchema } from './counted-schema.ts'
import { registerDocs } from './docs.ts'
import type { EarlyListener } from './early-listener.ts'
import { registerEdge, requestId } from './edge.ts'
import { graphiql } from './graphiql/page.ts'
import { registerGraphql, type SpendCost } from './graphql.ts'
import { Documents } from './graphql-documents.ts'
import { registerGraphqlStream } from './graphql-stream.ts'
import { registerHealth } from './health.ts'
import { HeldBytes, HeldTotal, holdAnswers, holdBodies } from './held-bytes.ts'
import { type Authenticate, identifyHook, limitAddressHook, type Renew, renewing } from './identify.ts'
import { registerInstall } from './install-routes.ts'
import { knownError } from './known-error.ts'
import { addMetricsRoute, type Metrics, openMetrics } from './metrics/metrics.ts'
import { limitConnections } from './network-connections.ts'
import { OpenStreams } from './open-streams.ts'
import { registerPages } from './pages.ts'
import { meaningOf, PersistedDocuments, type TrustedDocuments, trustedDocuments } from './persisted-documents.ts'
import { callerOf, createRateLimit, type RateLimit } from './rate-limit.ts'
import { headerTimeouts, ignoreExpectations, refuseBrokenRequest } from './refuse-connection.ts'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send-problem.ts'
import { sharedHead } from './shared-head.ts'
import { WrittenBytes } from './written-bytes.ts'

/** What the server provides to mounts that run operations: authentication, contexts, streams and error mapping. */
export interface Edge {
  /** Authenticates, applies the rate limit, and sets what `contextOf` reads. */
  readonly identify: onRequestHookHandler
  /** For what reads bodies as streams: asks for its caller's rights again, if they are not fresh, before it acts. */
  readonly renew: Renew
  /** Counts a request that no one is asked to answer for against its address; throws 429 beyond the limit. */
  readonly limitAddress: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  readonly contextOf: (
    request: FastifyRequest,
    extra?: Partial<Pick<RequestContext, 'viewer' | 'idempotency' | 'replay' | 'undo'>>,
  ) => RequestContext
  /** Counts the cost of an operation against its caller; throws 429 beyond the limit. */
  readonly spend: SpendCost
  readonly admit: Admit
  /** Counts memory that a request holds, piece by piece, until it is answered; throws 429 or 503 beyond the limit. */
  readonly holding: (request: FastifyRequest) => (bytes: number) => void
  /** All event streams of this server. */
  readonly streams: OpenStreams
  /** Counts one more archive that is sent to the caller, until the answer has ended. 429 over a limit. */
  readonly takeArchive: (request: FastifyRequest) => void
  /** Maps any error to one of the closed table; logs unexpected ones. */
  readonly knownError: (error: unknown, request: FastifyRequest) => HubError
}

/** `/v1`, built by the composition root: the server does not know its routes. */
export interface RestMount {
  register(scope: FastifyInstance, edge: Edge): void
  /** The OpenAPI document, with the hub's public URL. */
  openApi(publicUrl: string | null): object
}

/** Another dialect of the graph, with routes of its own. */
export interface DialectMount {
  /** Mounts what reads bodies as a whole. */
  register(scope: FastifyInstance, edge: Edge): void
  /** Mounts what reads bodies as streams. */
  registerStreams(scope: FastifyInstance, edge: Edge): void
}

export interface ServerParts {
  readonly schema: GraphQLSchema
  readonly rest: RestMount
  /** What other hubs' clients speak. */
  readonly dialects?: readonly DialectMount[]
  readonly authenticate: Authenticate
  /** Routes without authentication, rate limited by address: sign-in. */
  readonly open?: readonly FastifyPluginAsync[]
  /** Routes without a rate limit: signed object URLs. */
  readonly uncounted?: readonly FastifyPluginAsync[]
  /** All event streams, of `/v1` and of the graph. */
  readonly streams?: OpenStreams
  /** The memory that each caller holds. */
  readonly held?: HeldBytes
  readonly connectionRules?: Partial<ConnectionRules>
  /** The listener that is bound already; without one the server makes its own. */
  readonly listener?: EarlyListener
  /** Of TRUSTED_DOCUMENTS, where it has been read before; else it is read here. */
  readonly trusted?: TrustedDocuments | null
  /** Takes the metrics of a hub that serves them on a port of their own. */
  readonly onMetrics?: (metrics: Metrics) => void
}

function callerLimits({ databasePoolMax, callers }: Config, rate: RateLimit): CallerLimits {
  const written = callers.writtenBytesPerDay === 0 ? null : new WrittenBytes(callers.writtenBytesPerDay)
  return { slots: new AddressSlots(), connections: new CallerConnections(rate, databasePoolMax, written) }
}

/** A request may ask several operations: what the earlier ones used counts before the next begins. */
const spending =
  (rate: RateLimit): SpendCost =>
  (request, reply, cost) => {
    const who = callerOf(request)
    rate.spend(reply, who, cost)
    rate.assertTime(who, 'processor')
  }

/** Longest path segment: an upload id. Owners and slugs are validated by rule, not by the router. */
const MAX_PARAM_LENGTH = 512

/**
 * A request may name a host in its target (RFC 9112, 3.2.2). What answers repeat of the target, such as the address of
 * a repo that was moved, would else lead to that host.
 */
const withoutHost = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/** Fastify with the hub's request ids, limits and answers to what is not a request; it has no routes yet. */
function bareServer({ config, log }: Deps, { listener }: ServerParts): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    // A child logger per request would cost more than its one line, which includes the request id anyway.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: trustedProxies(config.trustProxy),
    rewriteUrl: ({ url = '/' }) => withoutHost(url),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    requestTimeout: 0,
    connectionTimeout: 0,
    http: headerTimeouts,
    ...(listener && { serverFactory: listener.factory }),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      // A URL that the router cannot parse: no hook has run and no error handler will.
      const known = knownError(error, request)
      const answer = reply as unknown as FastifyReply
      sendProblem(answer.header('x-request-id', request.id), toProblem(known, request.id), known.headers)
    },
  }) as unknown as FastifyInstance
}

/**
 * Builds the server without listening. `app.close()` is the graceful shutdown: readiness turns off, streams end with a
 * retry hint, requests in progress are finished, new ones get 503.
 */
export function buildServer(deps: Deps, parts: ServerParts): FastifyInstance {
  const { config } = deps
  const app = bareServer(deps, parts)
  let stopping = false
  ignoreExpectations(app.server)
  if (config.trustProxy === 0) limitConnections(app.server)
  const connections = new Connections(app.server, parts.connectionRules)
  const total = new HeldTotal(config.callers.heldBytes)
  const streams = parts.streams ?? new OpenStreams(undefined, new HeldBytes(undefined, total))
  const held = parts.held ?? new HeldBytes(undefined, total)
  const rate = createRateLimit(config.rateLimitPerMinute, config.callers.processorMsPerMinute)
  const limits = config.rateLimitPerMinute === 0 ? null : callerLimits(config, rate)
  const identify = identifyHook(parts.authenticate, rate)
  const edge: Edge = {
    identify,
    renew: renewing(parts.authenticate),
    limitAddress: limitAddressHook(rate),
    contextOf: (request, extra) => contextOf(deps, request, extra),
    spend: spending(rate),
    admit: admission(rate, limits),
    holding: (request) => held.growing(request),
    streams,
    takeArchive: archiveSlots(),
    knownError,
  }

  holdAnswers(app, held)
  registerEdge(app, {
    limitAddress: edge.limitAddress,
    log: deps.log,
    https: config.publicUrl?.startsWith('https:') ?? false,
    corsOrigins: config.corsOrigins,
  })
  if (hasSeveralNames(config)) keepAskedOrigin(app)
  const metrics = openMetrics(app, deps, streams)
  if (config.metrics.listener) parts.onMetrics?.(metrics)
  else addMetricsRoute(app, metrics, config, false)
  registerHealth(app, deps, () => stopping)
  /** Mounts what reads bodies as a whole. */
  const registerReader = (mount: (scope: FastifyInstance) => void) =>
    app.register(async (scope) => {
      holdBodies(scope, held)
      scope.addHook('preValidation', edge.renew)
      mount(scope)
    })
  registerReader((scope) => parts.rest.register(scope, edge))
  for (const dialect of parts.dialects ?? []) {
    registerReader((scope) => dialect.register(scope, edge))
    app.register(async (scope) => dialect.registerStreams(scope, edge))
  }
  const signIn = `${config.oidc?.clientId ? '/auth/login' : '/auth/session'}?return_to=%2Fgraphql`
  const trusted = parts.trusted === undefined ? trustedDocuments(config) : parts.trusted
  const isTrusted = (document: DocumentNode) => trusted === null || trusted.meanings.has(meaningOf(document))
  const documents = new Documents(() => countedSchema(parts.schema), isTrusted)
  const graph = { documents, persisted: new PersistedDocuments(trusted), graphiql: graphiql(signIn), ...edge }
  registerReader((scope) => registerGraphql(scope, graph))
  registerReader((scope) => registerGraphqlStream(scope, graph))
  app.register(async (scope) => {
    scope.addHook('onRequest', limitAddressHook(rate))
    registerDocs(scope, parts.schema, () => parts.rest.openApi(config.publicUrl))
    for (const plugin of parts.open ?? []) await scope.register(plugin)
  })
  app.register(async (scope) => registerInstall(scope, config, edge))
  for (const plugin of parts.uncounted ?? []) app.register(plugin)
  app.register(async (scope) => registerPages(scope, deps, sharedHead(deps, edge)))
  app.addHook('preClose', async () => {
    stopping = true
    streams.endAll()
    connections.stop()
  })
  return app
}

/**
 * Fastify's `trustProxy`. Addresses are checked from the right, starting with the connection's own: the client is the
 * first untrusted one, and everything left of it is client input. With a plain number Fastify would trust no proxy,
 * since it cannot know who connects; here the operator guarantees that only the proxies can connect.
 */
function trustedProxies(trust: TrustProxy): false | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust !== 'number') return [...trust]
  return trust === 0 ? false : (_address, hop) => hop < trust
}
