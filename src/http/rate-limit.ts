/**
 * What callers may use per minute: requests and the cost of operations, for a credential, for all credentials of an account together, and for an anonymous
 * address, which also has limits of processor and database time. Contract, "Limits of GraphQL operations".
 */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'

const WINDOW_S = 60

/** The cost that each request of the rate may have on average: a page of a thousand files, or a dashboard. */
const COST_OF_REQUEST = 1000

/** All credentials of an account, and all that a person made, may use as much as so many. */
const CREDENTIALS_OF_ACCOUNT = 10

/** Of a minute, on one processor: what the hub does for callers that it knows comes first. */
const ADDRESS_TIME_MS = 10_000

/** For as long as its statements hold connections of the database, all together: a third of one. */
const ADDRESS_DATABASE_MS = 20_000

/** Of what a caller has a time. */
type TimeKind = 'processor' | 'database'

export type Caller =
  | { readonly credentialId: string; readonly accountIds: readonly string[] }
  | { readonly address: string }

/** Whose limits a request counts against: a credential's and its account's, or an anonymous address's. */
export function callerOf({ viewer, ip }: { readonly viewer: Viewer | null; readonly ip: string }): Caller {
  if (!viewer || viewer.kind === 'anonymous') return { address: ip }
  // Who makes an org for each key is still one person.
  const accountIds = viewer.personId === null ? [viewer.account.id] : [...new Set([viewer.account.id, viewer.personId])]
  return { credentialId: viewer.credentialId, accountIds }
}

export interface RateLimit {
  /** Counts one request and sets `RateLimit` and `RateLimit-Policy`; throws 429 with `Retry-After` when the limit is exceeded. */
  count(reply: FastifyReply, who: Caller): Promise<void>
  /** Counts the cost of an operation, in objects; adds it to the same headers, unless the response has begun. 429 in the same way. */
  spend(reply: FastifyReply, who: Caller, cost: number): Promise<void>
  /** Throws 429 for an anonymous address that has used its time. */
  assertTime(who: Caller, of: TimeKind): Promise<void>
  /** Counts time. */
  addTime(who: Caller, of: TimeKind, ms: number): Promise<void>
}

const nothing = async () => undefined
const unlimited: RateLimit = { count: nothing, spend: nothing, assertTime: nothing, addTime: nothing }

interface Policy {
  readonly name: string
  readonly quota: number
  /** What is counted: for programs, and for people. */
  readonly unit: string
  readonly what: string
  readonly limiter: RateLimiterMemory
}

const policy = (name: string, quota: number, unit: string, what = unit): Policy => ({
  name,
  quota,
  unit,
  what,
  limiter: new RateLimiterMemory({ points: quota, duration: WINDOW_S }),
})

/** Windows in memory; 0 disables all of them. */
export function createRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return unlimited
  const anonymousPerMinute = Math.max(1, Math.floor(perMinute / 5))
  const policiesOf = (name: string, quota: number) => ({
    requests: policy(name, quota, 'requests'),
    cost: policy(`${name}-cost`, quota * COST_OF_REQUEST, 'objects'),
  })
  const credential = policiesOf('credential', perMinute)
  const account = policiesOf('account', CREDENTIALS_OF_ACCOUNT * perMinute)
  const address = policiesOf('address', anonymousPerMinute)
  const times: Readonly<Record<TimeKind, Policy>> = {
    processor: policy('address-time', ADDRESS_TIME_MS, 'ms', 'ms of processor time'),
    database: policy('address-database', ADDRESS_DATABASE_MS, 'ms', 'ms of database time'),
  }
  const take = async (reply: FastifyReply, who: Caller, kind: 'requests' | 'cost', points: number) => {
    if ('address' in who)
      return show(reply, address[kind], await consume(address[kind], networkOf(who.address), points))
    const ofAccounts = who.accountIds.map(async (id) => ({
      of: account[kind],
      taken: await consume(account[kind], id, points),
    }))
    show(reply, credential[kind], await consume(credential[kind], who.credentialId, points))
    for (const { of, taken } of await Promise.all(ofAccounts))
      if (taken.consumedPoints > of.quota) show(reply, of, taken)
  }
  return {
    count: (reply, who) => take(reply, who, 'requests', 1),
    spend: (reply, who, cost) => take(reply, who, 'cost', cost),
    async assertTime(who, of) {
      const time = times[of]
      const used = 'address' in who ? await time.limiter.get(networkOf(who.address)) : null
      if (used && used.consumedPoints >= time.quota) throw over(time, used)
    },
    async addTime(who, of, ms) {
      if ('address' in who && ms >= 1) await consume(times[of], networkOf(who.address), Math.round(ms))
    },
  }
}

const consume = ({ limiter }: Policy, key: string, points: number): Promise<RateLimiterRes> =>
  limiter.consume(key, points).catch((spent: unknown) => {
    if (spent instanceof RateLimiterRes) return spent
    throw spent
  })

const resetOf = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000))

/** Adds the window to the headers; throws if it is used up. */
function show(reply: FastifyReply, of: Policy, taken: RateLimiterRes): void {
  const resetS = resetOf(taken)
  // Of a streamed response the headers are gone already.
  const setHeader = (header: string, item: string) => {
    const before = reply.getHeader(header)
    if (!reply.raw.headersSent) reply.header(header, before === undefined ? item : `${before}, ${item}`)
  }
  setHeader('ratelimit-policy', `"${of.name}";q=${of.quota};w=${WINDOW_S}`)
  setHeader('ratelimit', `"${of.name}";r=${Math.max(0, taken.remainingPoints)};t=${resetS}`)
  if (taken.consumedPoints <= of.quota) return
  throw over(of, taken)
}

function over({ name, quota, unit, what }: Policy, taken: RateLimiterRes): HubError {
  const resetS = resetOf(taken)
  const detail = `More than ${quota} ${what} in a minute; retry in ${resetS} s.`
  const facts = { name, unit, limit: quota, used: taken.consumedPoints, retryAfterS: resetS }
  return new HubError('rate.limited', detail, { facts })
}
