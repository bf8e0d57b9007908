/**
 * Who may run an operation now, and what it has while it runs: anonymous addresses have few at once, and time that they
 * use up; every caller has a share of the connections.
 */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { endSlice, type TimeUser, timedFor } from '../platform/processor-time.ts'
import { withShare } from '../store/connection-share.ts'
import type { AddressSlots } from './address-slots.ts'
import type { CallerConnections } from './caller-connections.ts'
import { callerOf, type RateLimit } from './rate-limit.ts'
import { abortOnCloseOf } from './request-context.ts'

/**
 * Runs an operation of the request's caller, or one event of its subscription, from its document to its answer. 429 if
 * it may not run now.
 */
export type Admit = <T>(request: FastifyRequest, work: () => Promise<T>) => Promise<T>

interface CallerLimits {
  readonly slots: AddressSlots
  readonly connections: CallerConnections
}

/** `limits` are null where no caller is limited. */
export function admission(rate: RateLimit, limits: CallerLimits | null): Admit {
  return (request, work) => {
    if (!limits) return work()
    const who = callerOf(request)
    const shared = () => withShare(limits.connections.of(who), work)
    if (!('address' in who)) return shared()
    return limits.slots.run(who, async () => {
      // It may have waited for seconds.
      if (abortOnCloseOf(request).signal.aborted)
        throw new HubError('unavailable', 'The request was closed before its response.')
      rate.assertTime(who, 'processor')
      const used = new UsedTime()
      try {
        return await timedFor(used, shared)
      } finally {
        endSlice()
        rate.addTime(who, 'processor', used.ms)
      }
    })
  }
}

class UsedTime implements TimeUser {
  ms = 0

  addTime(ms: number): void {
    this.ms += ms
  }
}
