/** Who may run an operation now: anonymous addresses have few at once, and processor time that their operations use up. */
import type { FastifyRequest } from 'fastify'
import { endSlice, type TimeUser, timedFor } from '../platform/processor-time.ts'
import type { AddressSlots } from './address-slots.ts'
import { callerOf, type RateLimit } from './rate-limit.ts'

/** Runs an operation of the request's caller, or one event of its subscription, from its document to its answer. 429 if it may not run now. */
export type Admit = <T>(request: FastifyRequest, work: () => Promise<T>) => Promise<T>

/** `slots` is null where nothing is limited. */
export function admission(rate: RateLimit, slots: AddressSlots | null): Admit {
  return async (request, work) => {
    const who = callerOf(request)
    if (!slots || !('address' in who)) return work()
    return slots.run(who, async () => {
      await rate.assertTime(who)
      const used = new UsedTime()
      try {
        return await timedFor(used, work)
      } finally {
        endSlice()
        await rate.addTime(who, used.ms)
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
