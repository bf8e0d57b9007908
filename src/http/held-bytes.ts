/**
 * The memory that a caller's slowness costs: bodies that have not come whole or whose request is not over, and answers
 * that the client has not taken. A stalled client is disconnected, but one that moves a little at a time may take hours
 * for each of them, and open any number of connections.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'
import { type Owner, OwnerCounts } from './owner-counts.ts'
import { callerOf } from './rate-limit.ts'

export interface HeldBounds {
  /** Bytes of an anonymous address. */
  readonly address: number
  /** Bytes of all credentials of an account, and of all that a person made. */
  readonly account: number
}

const MIB = 1024 * 1024

/** Two of the largest answers, or sixteen of the largest bodies. */
const defaultBounds: HeldBounds = { address: 64 * MIB, account: 256 * MIB }

/** Shorter answers and messages of streams are not counted: they fit into the buffers of a connection. */
export const UNCOUNTED_BYTES = 64 * 1024
const RETRY_AFTER_S = 5

/** A request of someone who holds no more than this is not what fills the memory. */
const SMALL_BYTES = 1 * MIB
/** Beyond the bound of all callers, for callers who hold little. */
const SMALL_PART = 8

/** What all callers hold, of whatever kind. One per process. */
export class HeldTotal {
  readonly #most: number
  #bytes = 0

  /** 0 for no bound. */
  constructor(most = 0) {
    this.#most = most
  }

  /** Counts bytes for a caller who holds `own` already. 503 over the bound, which is higher for callers who hold little. */
  take(bytes: number, own: number): () => void {
    const most = own + bytes <= SMALL_BYTES ? this.#most * (1 + 1 / SMALL_PART) : this.#most
    if (this.#most > 0 && this.#bytes + bytes > most) throw allTooMany()
    this.#bytes += bytes
    return () => {
      this.#bytes -= bytes
    }
  }
}

/** One per server. */
export class HeldBytes {
  readonly #bounds: HeldBounds
  readonly #total: HeldTotal
  readonly #counts = new OwnerCounts(tooMany)

  constructor(bounds = defaultBounds, total = new HeldTotal()) {
    this.#bounds = bounds
    this.#total = total
  }

  /**
   * Counts bytes for the caller of a request until the returned function is called. 429 over the caller's bound, 503
   * over that of all.
   */
  take(request: FastifyRequest, bytes: number): () => void {
    const owners = this.#ownersOf(request)
    const own = Math.max(...owners.map(({ who }) => this.#counts.of(who)))
    const release = this.#counts.take(owners, bytes)
    try {
      const releaseTotal = this.#total.take(bytes, own)
      return once(() => {
        release()
        releaseTotal()
      })
    } catch (error) {
      release()
      throw error
    }
  }

  /** The same until the response is closed. */
  hold(request: FastifyRequest, bytes: number): void {
    const release = this.take(request, bytes)
    if (!request.response || request.response.closed) release()
    else request.response.once('close', release)
  }

  /** Counts what a request holds more and more of, until its response is closed. */
  growing(request: FastifyRequest): (bytes: number) => void {
    const { response } = request
    const releases: (() => void)[] = []
    response?.once('close', () => {
      for (const release of releases.splice(0)) release()
    })
    return (bytes) => {
      if (response && !response.closed) releases.push(this.take(request, bytes))
    }
  }

  #ownersOf(request: FastifyRequest): readonly Owner[] {
    const caller = callerOf(request)
    const { address, account } = this.#bounds
    if ('address' in caller) return [{ who: networkOf(caller.address), whose: 'An anonymous address', bound: address }]
    return caller.accountIds.map((who) => ({ who, whose: 'An account', bound: account }))
  }
}

/** Before compression, so that an answer counts with the bytes that it was made of. */
export function holdAnswers(app: FastifyInstance, held: HeldBytes): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
    if (bytes > UNCOUNTED_BYTES) held.hold(request, bytes)
    done(null, payload)
  })
}

/** In a scope whose bodies are read as a whole. A body without a length counts as the longest that its route takes. */
export function holdBodies(scope: FastifyInstance, held: HeldBytes): void {
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-length': declared, 'transfer-encoding': coding } = request.headers
    const { bodyLimit } = request.routeOptions
    const bytes = coding === undefined ? Number(declared ?? 0) : bodyLimit
    // What is over the limit is refused before it is read.
    if (bytes > 0 && bytes <= bodyLimit) held.hold(request, bytes)
    done(null, payload)
  })
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

function allTooMany(): HubError {
  const detail = 'The hub holds as many bodies and unread answers as it may, of all callers; try again in a moment.'
  return new HubError('unavailable', detail, { facts: { retryAfterS: RETRY_AFTER_S } })
}

function tooMany({ whose, bound }: Owner, used: number): HubError {
  const detail = `${whose} has at most ${bound / MIB} MiB of bodies on their way and of answers that it has not read; send fewer requests at a time, and read their answers.`
  return new HubError('rate.limited', detail, {
    facts: { name: 'held-bytes', unit: 'bytes', limit: bound, used, retryAfterS: RETRY_AFTER_S },
  })
}
