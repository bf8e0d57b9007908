/** Creates the context of verbs and resolvers from an HTTP request. */
import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Deps, IdempotencySlot, Replay, RequestContext, RequestPeer, Viewer } from '../operation/context.ts'
import { linkOrigin, originOf } from './asked-origin.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's name in the contract. */
    operation?: string
    /** The one media type that the route takes as its body; without it JSON. An error of another one names it. */
    mediaType?: string
  }
  interface FastifyRequest {
    /** Set by `identify`; null on routes without authentication. */
    viewer: Viewer | null
    /** When `viewer` was looked up, by `performance.now()`. */
    identifiedAtMs: number
    /** Aborts if the client disconnects or the hub shuts down. */
    abortOnClose: AbortController | null
    /** The raw response, whose close ends the request; set by the first hook. */
    response: ServerResponse | null
    /** The answer has no secret: set by `mayCompress`. */
    isCompressible: boolean
  }
}

const anonymous: Viewer = { kind: 'anonymous' }

/** `viewer`: the caller's current state, replacing the one from the start of the request. */
type ContextChange = Partial<Pick<RequestContext, 'idempotency' | 'replay' | 'undo' | 'viewer'>>

class HttpContext implements RequestContext {
  readonly requestId: string
  readonly viewer: Viewer
  readonly deps: Deps
  readonly idempotency?: IdempotencySlot
  readonly replay?: Replay
  readonly undo?: (() => Promise<void>)[]
  readonly #request: FastifyRequest

  constructor(deps: Deps, request: FastifyRequest, extra: ContextChange) {
    this.requestId = request.id
    this.viewer = extra.viewer ?? request.viewer ?? anonymous
    this.deps = deps
    this.#request = request
    if (extra.idempotency) this.idempotency = extra.idempotency
    if (extra.replay) this.replay = extra.replay
    if (extra.undo) this.undo = extra.undo
  }

  get lastEventId(): string | null {
    const id = this.#request.headers['last-event-id']
    return typeof id === 'string' && id !== '' ? id : null
  }

  get peer(): RequestPeer {
    const request = this.#request
    const origin = originOf(request)
    return { address: request.ip, hubUrl: linkOrigin(this.deps.config.publicUrl, origin) ?? origin }
  }

  /** Created lazily: most reads never use it. */
  get signal(): AbortSignal {
    return abortOnCloseOf(this.#request).signal
  }
}

/** A new context per call; loaders and auth caches are keyed by it. */
export function contextOf(deps: Deps, request: FastifyRequest, extra: ContextChange = {}): RequestContext {
  return new HttpContext(deps, request, extra)
}

/** Whether the client has closed the connection. No controller is made for it: a query asks for each of its fields. */
export const hasLeft = ({ abortOnClose, response }: FastifyRequest): boolean =>
  abortOnClose?.signal.aborted ?? response?.destroyed ?? false

/** Aborts when the connection closes before the response is sent. */
export function abortOnCloseOf(request: FastifyRequest): AbortController {
  if (request.abortOnClose) return request.abortOnClose
  const abortOnClose = new AbortController()
  request.abortOnClose = abortOnClose
  if (request.response?.destroyed) abortOnClose.abort()
  else request.response?.once('close', () => abortOnClose.abort())
  return abortOnClose
}
