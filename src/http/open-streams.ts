/** Streams of events under way: how many somebody may have open, and their soft end when the hub stops. Each can be taken up again where it was. */
import type { OutgoingHttpHeaders } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { networkOf } from './network-of.ts'
import { endingOf } from './request-context.ts'
import { StreamOutlet } from './stream-outlet.ts'

export interface StreamBounds {
  readonly credential: number
  readonly address: number
}

/** Of one instance. */
const defaultBounds: StreamBounds = { credential: 1000, address: 100 }

const COME_BACK = 'retry: 2000\n\n'
const RETRY_AFTER_S = '5'

/** One for all streams of a server; `endAll` belongs into its `preClose`. */
export class OpenStreams {
  readonly #bounds: StreamBounds
  readonly #counts = new Map<string, number>()
  readonly #open = new Map<StreamOutlet, FastifyRequest>()
  #isStopping = false

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds
  }

  /** Counts one more stream of the caller, until the function it returns is called. 429 past the bound. */
  take({ viewer, ip }: FastifyRequest): () => void {
    const known = viewer && viewer.kind !== 'anonymous' ? viewer.credentialId : null
    const who = known ?? `address ${networkOf(ip)}`
    const bound = known ? this.#bounds.credential : this.#bounds.address
    const count = this.#counts.get(who) ?? 0
    if (count >= bound) throw tooMany(known ? 'A credential' : 'An anonymous address', bound)
    this.#counts.set(who, count + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#counts.get(who) ?? 1) - 1
      if (left > 0) this.#counts.set(who, left)
      else this.#counts.delete(who)
    }
  }

  /** Answers with a stream that `work` writes; resolves when all of it has left, or the reader. 429 past the bound. */
  async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: OutgoingHttpHeaders,
    work: (outlet: StreamOutlet) => Promise<void>,
  ): Promise<void> {
    const release = this.take(request)
    const { raw } = reply
    const outlet = new StreamOutlet(raw)
    this.#open.set(outlet, request)
    try {
      const set = reply.getHeaders() as OutgoingHttpHeaders
      reply.hijack()
      // Proxies hold small pieces back unless told otherwise.
      raw.writeHead(200, { ...set, 'cache-control': 'private, no-store', ...headers, 'x-accel-buffering': 'no' })
      if (this.#isStopping) this.#endSoftly(outlet, request)
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
    for (const [outlet, request] of this.#open) this.#endSoftly(outlet, request)
  }

  /** Says when to come back; the request's signal ends what feeds the stream. */
  #endSoftly(outlet: StreamOutlet, request: FastifyRequest): void {
    outlet.end(COME_BACK)
    endingOf(request).abort()
  }
}

function tooMany(whose: string, bound: number): HubError {
  const detail = `${whose} has at most ${bound} streams open on an instance of the hub; close one first.`
  return new HubError('rate.limited', detail, { headers: { 'retry-after': RETRY_AFTER_S } })
}
