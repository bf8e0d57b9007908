/**
 * Traces for an OpenTelemetry collector. Loaded only if they are asked for; without it the hub's signals have no
 * watcher and cost nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  backgroundJob,
  graphqlOperation,
  sqlStatement,
  storeCall,
  type TimedSignal,
  type TimedWork,
} from '../platform/signals.ts'

export interface Tracing {
  /** Adds the hooks that make a span of each request; before the server is ready. */
  readonly watchRequests: (app: FastifyInstance) => void
  /** Sends what has not been sent, for a few seconds at most. */
  stop(): Promise<void>
}

const STOP_MS = 5_000
const propagator = new W3CTraceContextPropagator()

/**
 * Begins to watch. The exporter reads the standard variables of the environment; `exporter` is for measurements without
 * a collector.
 */
export function startTracing(
  { sampledShare }: { readonly sampledShare: number },
  exporter: SpanExporter = new OTLPTraceExporter(),
): Tracing {
  const drawn = drawing(sampledShare)
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'hub' }))
      .merge(detectResources({ detectors: [envDetector] })),
    // A client's own decision does not count: a stranger must not have everything sent.
    sampler: new ParentBasedSampler({ root: drawn, remoteParentSampled: drawn, remoteParentNotSampled: drawn }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const spans = new Spans(provider.getTracer('hub'))
  const ends = [
    spans.follow(graphqlOperation, 'graphql', SpanKind.INTERNAL, ({ name }) => ({ 'graphql.operation.name': name })),
    spans.follow(sqlStatement, 'sql', SpanKind.CLIENT, ({ name }) => ({
      'db.system.name': 'postgresql',
      'db.query.summary': name,
    })),
    spans.follow(storeCall, 'store', SpanKind.CLIENT, () => ({})),
    spans.follow(backgroundJob, 'job', SpanKind.CONSUMER, () => ({})),
  ]
  return {
    watchRequests: (app) => spans.watchRequests(app),
    async stop() {
      for (const end of ends) end()
      await Promise.race([provider.shutdown().catch(() => undefined), waiting(STOP_MS)])
    },
  }
}

/**
 * Draws for each request. The usual sampler goes by the trace id, which a client chooses: under some ids it sends
 * everything.
 */
const drawing = (share: number): Sampler => ({
  shouldSample: () => ({
    decision: Math.random() < share ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
  }),
  toString: () => `Drawing{${share}}`,
})

const waiting = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())

/** The current span is kept by the hub itself: nothing is registered for the whole process. */
class Spans {
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<Span>()
  readonly #ofRequests = new WeakMap<FastifyRequest, Span>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** A span for each piece of work, within the one that it started in. */
  follow(
    signal: TimedSignal<TimedWork>,
    prefix: string,
    kind: SpanKind,
    attributes: (work: TimedWork) => Attributes,
  ): () => void {
    const begun = new WeakMap<TimedWork, Span>()
    const begin = (work: TimedWork) => {
      const span = this.#begin(
        work.name === '' ? prefix : `${prefix} ${work.name}`,
        kind,
        attributes(work),
        this.#context(),
      )
      begun.set(work, span)
      return span
    }
    const unbind = signal.bind(this.#current, begin)
    const unwatch = signal.watch(
      () => undefined,
      (work, error) => {
        const span = begun.get(work)
        if (error !== undefined) fail(span, error)
        span?.end()
      },
    )
    return () => {
      unbind()
      unwatch()
    }
  }

  /** Named by the pattern of the route, never by the path. */
  watchRequests(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      const route = request.routeOptions.url ?? 'none'
      const attributes = {
        'http.request.method': request.method,
        'http.route': route,
        'hub.request_id': request.id,
      }
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const span = this.#begin(`${request.method} ${route}`, SpanKind.SERVER, attributes, parent)
      this.#ofRequests.set(request, span)
      this.#current.run(span, done)
    })
    // The body arrives in the context of its socket.
    app.addHook('preValidation', (request, _reply, done) => this.#within(request, done))
    app.addHook('onResponse', (request, reply, done) => {
      const span = this.#ofRequests.get(request)
      span?.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      done()
    })
  }

  #within(request: FastifyRequest, done: () => void): void {
    const span = this.#ofRequests.get(request)
    if (span) this.#current.run(span, done)
    else done()
  }

  #begin(name: string, kind: SpanKind, attributes: Attributes, context: Context): Span {
    return this.#tracer.startSpan(name, { kind, attributes }, context)
  }

  #context(): Context {
    const parent = this.#current.getStore()
    return parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  }
}

/** The kind of the error alone: its text may quote what was sent. */
function fail(span: Span | undefined, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown }
  span?.setAttribute('error.type', typeof code === 'string' ? code : typeof name === 'string' ? name : 'error')
  span?.setStatus({ code: SpanStatusCode.ERROR })
}
