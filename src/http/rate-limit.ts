/** Requests per minute: a credential gets the full rate, an anonymous address a fifth of it (contract, "Limits of GraphQL operations"). */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'

const WINDOW_S = 60

/** The cost that each request of the rate may have on average: a page of a thousand files, or a dashboard. */
const COST_OF_REQUEST = 1000

export type Caller = { readonly credentialId: string } | { readonly address: string }

export interface RateLimit {
  /** Counts one request and sets `RateLimit` and `RateLimit-Policy`; throws 429 with `Retry-After` when the limit is exceeded. */
  count(reply: FastifyReply, who: Caller): Promise<void>
  /** Counts the cost of an operation, in nodes; adds it to the same headers, unless the response has begun. 429 in the same way. */
  spend(reply: FastifyReply, who: Caller, cost: number): Promise<void>
}

const unlimited: RateLimit = { count: async () => undefined, spend: async () => undefined }

interface Policy {
  readonly name: string
  readonly quota: number
  readonly what: string
  readonly limiter: RateLimiterMemory
}

const policy = (name: string, quota: number, what: string): Policy => ({
  name,
  quota,
  what,
  limiter: new RateLimiterMemory({ points: quota, duration: WINDOW_S }),
})

/** One window per credential or address for requests, and one for their cost, in memory; 0 disables both. */
export function createRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return unlimited
  const anonymousPerMinute = Math.max(1, Math.floor(perMinute / 5))
  const policiesOf = (name: string, quota: number) => ({
    requests: policy(name, quota, 'requests'),
    cost: policy(`${name}-cost`, quota * COST_OF_REQUEST, 'nodes'),
  })
  const credential = policiesOf('credential', perMinute)
  const address = policiesOf('address', anonymousPerMinute)
  const take = (reply: FastifyReply, who: Caller, kind: 'requests' | 'cost', points: number) =>
    'credentialId' in who
      ? consume(reply, credential[kind], who.credentialId, points)
      : consume(reply, address[kind], networkOf(who.address), points)
  return {
    count: (reply, who) => take(reply, who, 'requests', 1),
    spend: (reply, who, cost) => take(reply, who, 'cost', cost),
  }
}

async function consume(
  reply: FastifyReply,
  { name, quota, what, limiter }: Policy,
  key: string,
  points: number,
): Promise<void> {
  const taken = await limiter.consume(key, points).catch((spent: unknown) => {
    if (spent instanceof RateLimiterRes) return spent
    throw spent
  })
  const resetS = Math.max(1, Math.ceil(taken.msBeforeNext / 1000))
  // Of a streamed response the headers are gone already.
  const setHeader = (header: string, item: string) => {
    const before = reply.getHeader(header)
    if (!reply.raw.headersSent) reply.header(header, before === undefined ? item : `${before}, ${item}`)
  }
  setHeader('ratelimit-policy', `"${name}";q=${quota};w=${WINDOW_S}`)
  setHeader('ratelimit', `"${name}";r=${Math.max(0, taken.remainingPoints)};t=${resetS}`)
  if (taken.consumedPoints <= quota) return
  const detail = `More than ${quota} ${what} in a minute; retry in ${resetS} s.`
  if (!reply.raw.headersSent) reply.header('retry-after', String(resetS))
  const limit = { name, maximum: quota, actual: taken.consumedPoints }
  const items = [{ type: 'rate.limited', detail, limit }]
  throw new HubError('rate.limited', detail, { items, headers: { 'retry-after': String(resetS) } })
}
