/** Requests per minute: a credential gets the full rate, an anonymous address a fifth of it (contract, "Money, tiers, limits"). */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { HubError } from '../platform/errors.ts'
import { networkOf } from './network-of.ts'

const WINDOW_S = 60

export interface RateLimit {
  /** Counts one request and sets `RateLimit` and `RateLimit-Policy`; throws 429 with `Retry-After` when the limit is exceeded. */
  count(reply: FastifyReply, who: { credentialId: string } | { address: string }): Promise<void>
}

const unlimited: RateLimit = { count: async () => undefined }

/** One window per credential or address, in memory; 0 disables the limit. */
export function createRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return unlimited
  const anonymousPerMinute = Math.max(1, Math.floor(perMinute / 5))
  const policies = {
    credential: {
      name: 'credential',
      quota: perMinute,
      limiter: new RateLimiterMemory({ points: perMinute, duration: WINDOW_S }),
    },
    address: {
      name: 'address',
      quota: anonymousPerMinute,
      limiter: new RateLimiterMemory({ points: anonymousPerMinute, duration: WINDOW_S }),
    },
  }
  return {
    async count(reply, who) {
      const [policy, key] =
        'credentialId' in who ? [policies.credential, who.credentialId] : [policies.address, networkOf(who.address)]
      const { name, quota } = policy
      const taken = await policy.limiter.consume(key).catch((spent: unknown) => {
        if (spent instanceof RateLimiterRes) return spent
        throw spent
      })
      const resetS = Math.max(1, Math.ceil(taken.msBeforeNext / 1000))
      reply.header('ratelimit-policy', `"${name}";q=${quota};w=${WINDOW_S}`)
      reply.header('ratelimit', `"${name}";r=${Math.max(0, taken.remainingPoints)};t=${resetS}`)
      if (taken.consumedPoints <= quota) return
      const detail = `More than ${quota} requests in a minute; retry in ${resetS} s.`
      throw new HubError('rate.limited', detail, { headers: { 'retry-after': String(resetS) } })
    },
  }
}
