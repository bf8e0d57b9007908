/**
 * What callers may use per minute: requests and the cost of operations, for a credential, for all credentials of an
 * account together, and for an anonymous address, which also has limits of processor and database time.
 * Contract, "Limits of GraphQL operations".
 */
import type { FastifyReply } from 'fastify'
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'
import { type MinuteWindow, MinuteWindows, WINDOW_S } from './minute-windows.ts'

/** The cost that each request of the rate may have on average: a page of a thousand files, or a dashboard. */
const COST_OF_REQUEST = 1000

/** An anonymous address has one of so many parts of a credential's rate. */
const ANONYMOUS_PART = 5

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
export function callerOf(request: { readonly viewer: Viewer | null; readonly ip: string }): Caller {
  const { viewer } = request
  // The address of a credentialed request is not read: behind a proxy it is computed from headers.
  if (!viewer || viewer.kind === 'anonymous') return { address: request.ip }
  const { credentialId, account, personId } = viewer
  // Who makes an org for each key is still one person.
  const accountIds = personId === null || personId === account.id ? [account.id] : [account.id, personId]
  return { credentialId, accountIds }
}

export interface RateLimit {
  /**
   * Counts one request and sets `RateLimit` and `RateLimit-Policy`; rejects with 429 and `Retry-After` when the limit
   * is exceeded.
   */
  count(reply: FastifyReply, who: Caller): Promise<void>
  /**
   * Counts the cost of an operation, in objects; adds it to the same headers, unless the response has begun. 429 in the
   * same way.
   */
  spend(reply: FastifyReply, who: Caller, cost: number): void
  /** Whether such time of the caller is bounded. */
  countsTime(who: Caller, of: TimeKind): boolean
  /** Throws 429 for an anonymous address that has used its time, or an account that has used its processor time. */
  assertTime(who: Caller, of: TimeKind): void
  /** Counts time; of an account processor time alone. */
  addTime(who: Caller, of: TimeKind, ms: number): void
}

const unlimited: RateLimit = {
  count: async () => undefined,
  spend: () => undefined,
  countsTime: () => false,
  assertTime: () => undefined,
  addTime: () => undefined,
}

/** Of what each request and each operation takes. */
type WorkKind = 'requests' | 'cost'

interface Policy {
  readonly name: string
  readonly quota: number
  /** What is counted: for programs, and for people. */
  readonly unit: string
  readonly what: string
  /** Its item of `RateLimit-Policy`. */
  readonly header: string
}

const policy = (name: string, quota: number, unit: string, what = unit): Policy => ({
  name,
  quota,
  unit,
  what,
  header: `"${name}";q=${quota};w=${WINDOW_S}`,
})

const policiesOf = (name: string, quota: number): Readonly<Record<WorkKind, Policy>> => ({
  requests: policy(name, quota, 'requests'),
  cost: policy(`${name}-cost`, quota * COST_OF_REQUEST, 'objects'),
})

const times: Readonly<Record<TimeKind, Policy>> = {
  processor: policy('address-time', ADDRESS_TIME_MS, 'ms', 'ms of processor time'),
  database: policy('address-database', ADDRESS_DATABASE_MS, 'ms', 'ms of database time'),
}

/** Windows in memory; 0 requests disable all of them, 0 ms those of accounts' processor time. */
export function createRateLimit(perMinute: number, accountMs = 0): RateLimit {
  return perMinute === 0 ? unlimited : new MinuteRate(perMinute, accountMs)
}

class MinuteRate implements RateLimit {
  readonly #credential: Readonly<Record<WorkKind, Policy>>
  readonly #account: Readonly<Record<WorkKind, Policy>>
  readonly #address: Readonly<Record<WorkKind, Policy>>
  readonly #credentials = new MinuteWindows<WorkKind>('credentials')
  readonly #accountTime: Policy
  readonly #accounts = new MinuteWindows<WorkKind | TimeKind>('accounts')
  readonly #addresses = new MinuteWindows<WorkKind | TimeKind>('addresses')

  constructor(perMinute: number, accountMs: number) {
    this.#accountTime = policy('account-time', accountMs, 'ms', 'ms of processor time')
    this.#credential = policiesOf('credential', perMinute)
    this.#account = policiesOf('account', CREDENTIALS_OF_ACCOUNT * perMinute)
    this.#address = policiesOf('address', Math.max(1, Math.floor(perMinute / ANONYMOUS_PART)))
  }

  async count(reply: FastifyReply, who: Caller): Promise<void> {
    this.#take(reply, who, 'requests', 1)
  }

  spend(reply: FastifyReply, who: Caller, cost: number): void {
    this.#take(reply, who, 'cost', cost)
  }

  assertTime(who: Caller, of: TimeKind): void {
    if ('address' in who) assertLeft(times[of], this.#addresses.of(networkOf(who.address)), of)
    else if (this.countsTime(who, of))
      for (const id of who.accountIds) assertLeft(this.#accountTime, this.#accounts.of(id), of)
  }

  addTime(who: Caller, of: TimeKind, ms: number): void {
    if ('address' in who) this.#addresses.of(networkOf(who.address)).add(of, ms)
    else if (this.countsTime(who, of)) for (const id of who.accountIds) this.#accounts.of(id).add(of, ms)
  }

  countsTime(who: Caller, of: TimeKind): boolean {
    return 'address' in who || (of === 'processor' && this.#accountTime.quota > 0)
  }

  #take(reply: FastifyReply, who: Caller, kind: WorkKind, points: number): void {
    if ('address' in who) {
      take(reply, { of: this.#address[kind], window: this.#addresses.of(networkOf(who.address)), kind, points })
      return
    }
    // All of them count, whichever is over its limit; an account's is told only then.
    const ofAccounts = this.#account[kind]
    let full: MinuteWindow<WorkKind | TimeKind> | null = null
    for (const id of who.accountIds) {
      const window = this.#accounts.of(id)
      if (window.add(kind, points) > ofAccounts.quota) full ??= window
    }
    take(reply, { of: this.#credential[kind], window: this.#credentials.of(who.credentialId), kind, points })
    if (full) take(reply, { of: ofAccounts, window: full, kind, points: 0 })
  }
}

function assertLeft<Kind extends string>(of: Policy, window: MinuteWindow<Kind>, kind: Kind): void {
  const used = window.used(kind)
  if (used >= of.quota) throw over(of, Math.round(used), window.resetS)
}

interface Taken<Kind extends string> {
  readonly of: Policy
  readonly window: MinuteWindow<Kind>
  readonly kind: Kind
  readonly points: number
}

/** Counts, and adds the window to the headers; throws if it is used up. */
function take<Kind extends WorkKind>(reply: FastifyReply, { of, window, kind, points }: Taken<Kind>): void {
  const used = window.add(kind, points)
  const { resetS } = window
  // Of a streamed response the headers are gone already.
  if (!reply.raw.headersSent) {
    addHeader(reply, 'ratelimit-policy', of.header)
    addHeader(reply, 'ratelimit', `"${of.name}";r=${Math.max(0, of.quota - used)};t=${resetS}`)
  }
  if (used > of.quota) throw over(of, used, resetS)
}

function addHeader(reply: FastifyReply, header: string, item: string): void {
  const before = reply.getHeader(header)
  reply.header(header, before === undefined ? item : `${before}, ${item}`)
}

function over({ name, quota, unit, what }: Policy, used: number, resetS: number): HubError {
  const detail = `More than ${quota} ${what} in a minute; retry in ${resetS} s.`
  const facts = { name, unit, limit: quota, used, retryAfterS: resetS }
  return new HubError('rate.limited', detail, { facts })
}
