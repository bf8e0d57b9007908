/** Open event streams: limits per client, and graceful end at shutdown. Clients can resume each stream. */
import type { OutgoingHttpHeaders } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { HeldBytes } from './held-bytes.ts'
import { type Owner, type OwnerBounds, OwnerCounts, ownersOf } from './owner-counts.ts'
import { abortOnCloseOf } from './request-context.ts'
import { StreamOutlet } from './stream-outlet.ts'

/** Per instance. */
const defaultBounds: OwnerBounds = { credential: 1000, account: 2000, address: 100 }

const RETRY_HINT = 'retry: 2000\n\n'
const RETRY_AFTER_S = 5

/** One per server; call `endAll` in its `preClose`. */
export class OpenStreams {
  readonly #bounds: OwnerBounds
  readonly #counts = new OwnerCounts(tooMany)
  readonly #open = new Map<StreamOutlet, FastifyRequest>()
  /** Messages that have not been read. */
  readonly #held: HeldBytes
  #isStopping = false

  constructor(bounds = defaultBounds, held = new HeldBytes()) {
    this.#bounds = bounds
    this.#held = held
  }

  /** How many are served. */
  get size(): number {
    return this.#open.size
  }

  /** Counts one more stream for the caller; call the returned function to release it. 429 over a limit. */
  take(request: Pick<FastifyRequest, 'viewer' | 'ip'>): () => void {
    return this.#counts.take(ownersOf(request, this.#bounds))
  }

  /**
   * Responds with a stream written by `work`; resolves once it is fully sent or the client has disconnected. 429 over
   * the limit.
   */
  async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: OutgoingHttpHeaders,
    work: (outlet: StreamOutlet) => Promise<void>,
  ): Promise<void> {
    const release = this.take(request)
    const { raw } = reply
    const outlet = new StreamOutlet(raw, (bytes) => this.#held.take(request, bytes))
    this.#open.set(outlet, request)
    try {
      const set = reply.getHeaders() as OutgoingHttpHeaders
      reply.hijack()
      // Proxies buffer small pieces unless told otherwise.
      raw.writeHead(200, { ...set, 'cache-control': 'private, no-store', ...headers, 'x-accel-buffering': 'no' })
      if (this.#isStopping) this.#endGracefully(outlet, request)
      await work(outlet)
    } finally {
      outlet.end()
      await finished(raw).catch(() => undefined)
      this.#open.delete(outlet)
      release()
    }
  }

  endAll(): void {
    this.#isStopping = true
    for (const [outlet, request] of this.#open) this.#endGracefully(outlet, request)
  }

  /** Sends a retry hint; aborting the request's signal stops the producer of the stream. */
  #endGracefully(outlet: StreamOutlet, request: FastifyRequest): void {
    outlet.end(RETRY_HINT)
    abortOnCloseOf(request).abort()
  }
}

function tooMany({ whose, bound }: Owner): HubError {
  const detail = `${whose} has at most ${bound} streams open per instance of the hub; close one first.`
  return new HubError('rate.limited', detail, {
    facts: { unit: 'streams', limit: bound, used: bound, retryAfterS: RETRY_AFTER_S },
  })
}
