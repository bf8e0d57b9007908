/** The context that verbs and resolvers get, made from one HTTP request. */
import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Deps, IdempotencySlot, Replay, RequestContext, Viewer } from '../operation/context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `identify`; null on routes without authentication. */
    viewer: Viewer | null
    /** Ends with the request: the client went away, or the hub stops. */
    ending: AbortController | null
    /** The response under way, whose close is the end of the request; set by the first hook. */
    response: ServerResponse | null
  }
}

const anonymous: Viewer = { kind: 'anonymous' }

/** `viewer`: the caller as they are by now, in the place of the one who opened the request. */
type ContextChange = Partial<Pick<RequestContext, 'idempotency' | 'replay' | 'viewer'>>

class HttpContext implements RequestContext {
  readonly requestId: string
  readonly viewer: Viewer
  readonly deps: Deps
  readonly idempotency?: IdempotencySlot
  readonly replay?: Replay
  readonly #request: FastifyRequest

  constructor(deps: Deps, request: FastifyRequest, extra: ContextChange) {
    this.requestId = request.id
    this.viewer = extra.viewer ?? request.viewer ?? anonymous
    this.deps = deps
    this.#request = request
    if (extra.idempotency) this.idempotency = extra.idempotency
    if (extra.replay) this.replay = extra.replay
  }

  /** Made when first asked for: most reads never look at it. */
  get signal(): AbortSignal {
    return endingOf(this.#request).signal
  }
}

/** The context of a request; each call makes a new one, which is what loaders and auth caches are keyed by. */
export function contextOf(deps: Deps, request: FastifyRequest, extra: ContextChange = {}): RequestContext {
  return new HttpContext(deps, request, extra)
}

/** Aborts when the connection closes before the answer is out. */
export function endingOf(request: FastifyRequest): AbortController {
  if (request.ending) return request.ending
  const ending = new AbortController()
  request.ending = ending
  if (request.response?.destroyed) ending.abort()
  else request.response?.once('close', () => ending.abort())
  return ending
}
