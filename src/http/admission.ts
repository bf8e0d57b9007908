/**
 * Who can run an operation now, and what it has while it runs: anonymous addresses have few at once, and time that they
 * use up; every caller has a share of the connections.
 */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { endSlice, type TimeUser, timedFor } from '../platform/processor-time.ts'
import { withShare } from '../store/connection-share.ts'
import type { AddressSlots } from './address-slots.ts'
import type { CallerConnections } from './caller-connections.ts'
import { type Caller, callerOf, type RateLimit } from './rate-limit.ts'
import { abortOnCloseOf } from './request-context.ts'

/**
 * Runs an operation of the request's caller, or one event of its subscription, from its document to its answer. 429 if
 * it may not run now.
 */
export type Admit = <T>(request: FastifyRequest, work: () => Promise<T>) => Promise<T>

export interface CallerLimits {
  readonly slots: AddressSlots
  readonly connections: CallerConnections
}

/** `limits` are null where no caller is limited. */
export function admission(rate: RateLimit, limits: CallerLimits | null): Admit {
  return (request, work) => {
    if (!limits) return work()
    const who = callerOf(request)
    const shared = () => withShare(limits.connections.of(who), work)
    if ('address' in who) return limits.slots.run(who, () => ofAddress(rate, request, who, shared))
    if (!rate.countsTime(who, 'processor')) return shared()
    rate.assertTime(who, 'processor')
    const weight = weightOf(request)
    return weight === 0 ? shared() : timed(new AccountTime(rate, who, weight), shared)
  }
}

async function ofAddress<T>(rate: RateLimit, request: FastifyRequest, who: Caller, work: () => Promise<T>): Promise<T> {
  // It may have waited for seconds.
  if (abortOnCloseOf(request).signal.aborted)
    throw new HubError('unavailable', 'The request was closed before its response.')
  rate.assertTime(who, 'processor')
  const used = new UsedTime()
  try {
    return await timed(used, work)
  } finally {
    rate.addTime(who, 'processor', used.ms)
  }
}

async function timed<T>(user: TimeUser, work: () => Promise<T>): Promise<T> {
  try {
    return await timedFor(user, work)
  } finally {
    endSlice()
  }
}

/** To look at the clock costs a read one per cent, so one in so many is looked at, and counts for the others. */
const READS_PER_LOOK = 8

/** How often the time of a request counts; 0 where no one looks. */
function weightOf({ method }: FastifyRequest): number {
  if (method !== 'GET' && method !== 'HEAD') return 1
  return Math.random() * READS_PER_LOOK < 1 ? READS_PER_LOOK : 0
}

/** Counts at once: others of the account wait for connections, and are looked at again when they get one. */
class AccountTime implements TimeUser {
  readonly #rate: RateLimit
  readonly #who: Caller
  readonly #weight: number

  constructor(rate: RateLimit, who: Caller, weight: number) {
    this.#rate = rate
    this.#who = who
    this.#weight = weight
  }

  addTime(ms: number): void {
    this.#rate.addTime(this.#who, 'processor', ms * this.#weight)
  }
}

class UsedTime implements TimeUser {
  ms = 0

  addTime(ms: number): void {
    this.ms += ms
  }
}
