/**
 * What callers may have written to the database: at once, and over a day. Requests of small rows count in no quota of
 * storage, and rows of the audit log are for ever, so what bounds their growth is how fast they come. An amount drains
 * evenly over the day, so a caller over it waits for seconds, and nothing is kept of callers who wrote nothing lately.
 * Contract, "Limits of connections and responses".
 */
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'
import { type Peers, peers } from '../platform/peers.ts'
import type { WriteBudget } from '../store/write-budget.ts'
import type { Caller } from './rate-limit.ts'
import { SharedAmounts } from './shared-amounts.ts'

const DAY_MS = 86_400_000
/**
 * Of a day's bytes: as many as three hours bring back. A sweep of 10,000 runs has 24 MB, a push of a million files 1.4
 * GB.
 */
const AT_ONCE_PART = 8
/** An anonymous address writes sign-ins alone. */
const ADDRESS_PART = 32
/** What is left to the sessions of people once keys have used the rest: who stops a key needs a few rows for it. */
const RESERVE_PART = 8
/** Amounts that are looked through at a time. */
const FORGET_EVERY = 1024

interface Amount {
  bytes: number
  atMs: number
}

type DrainKind = 'account' | 'address'

interface Drain {
  readonly kind: DrainKind
  readonly name: string
  readonly whose: string
  /** Bytes at once. */
  readonly most: number
  readonly perMs: number
}

/** One per server; the amounts are those of all processes of its port. */
export class WrittenBytes {
  readonly #account: Drain
  readonly #address: Drain
  readonly #amounts = new Map<string, Amount>()
  readonly #shared: SharedAmounts<DrainKind>

  /** `perDay`: bytes of an account. */
  constructor(perDay: number, through: Peers = peers) {
    this.#account = drainOf('account', 'An account', perDay)
    this.#address = drainOf('address', 'An anonymous address', perDay / ADDRESS_PART)
    const drains = { account: this.#account, address: this.#address }
    const hear = (key: string, kind: DrainKind, bytes: number) => this.#add(drains[kind], key, bytes, performance.now())
    this.#shared = new SharedAmounts('written', hear, through)
  }

  /** How many are remembered. */
  get size(): number {
    return this.#amounts.size
  }

  /** The budget of a caller. 429 `rate.limited` where it is used up. */
  of(who: Caller): WriteBudget {
    const [drain, keys] = 'address' in who ? [this.#address, [networkOf(who.address)]] : [this.#account, who.accountIds]
    const isPersons = 'credentialId' in who && who.credentialId.startsWith('sess_')
    const most = drain.most * (isPersons ? 1 + 1 / RESERVE_PART : 1)
    return {
      assertRoom: () => {
        const nowMs = performance.now()
        for (const key of keys) {
          const used = this.#used(drain, key, nowMs)
          if (used >= most) throw usedUp(drain, used, used - most)
        }
      },
      take: (bytes) => {
        const nowMs = performance.now()
        for (const key of keys) {
          this.#add(drain, key, bytes, nowMs)
          this.#shared.note(key, drain.kind, bytes)
        }
      },
    }
  }

  #used({ perMs }: Drain, key: string, nowMs: number): number {
    const amount = this.#amounts.get(key)
    return amount ? Math.max(0, amount.bytes - (nowMs - amount.atMs) * perMs) : 0
  }

  #add(drain: Drain, key: string, bytes: number, nowMs: number): void {
    const amount = this.#amounts.get(key)
    if (amount) {
      amount.bytes = this.#used(drain, key, nowMs) + bytes
      amount.atMs = nowMs
      return
    }
    if (this.#amounts.size % FORGET_EVERY === FORGET_EVERY - 1) this.#forgetDrained(nowMs)
    this.#amounts.set(key, { bytes, atMs: nowMs })
  }

  /** With the slower of both: what it says to be drained is. */
  #forgetDrained(nowMs: number): void {
    for (const key of this.#amounts.keys()) if (this.#used(this.#address, key, nowMs) === 0) this.#amounts.delete(key)
  }
}

const drainOf = (kind: DrainKind, whose: string, perDay: number): Drain => ({
  kind,
  name: `${kind}-written`,
  whose,
  most: Math.ceil(perDay / AT_ONCE_PART),
  perMs: perDay / DAY_MS,
})

function usedUp({ name, whose, most, perMs }: Drain, used: number, over: number): HubError {
  const retryAfterS = Math.max(1, Math.ceil(over / perMs / 1000))
  const detail =
    `${whose} may write ${most} bytes of rows to the database at once, and ${Math.round(perMs * DAY_MS)} ` +
    `over a day; retry in ${retryAfterS} s.`
  return new HubError('rate.limited', detail, {
    facts: { name, unit: 'bytes', limit: most, used: Math.ceil(used), retryAfterS },
  })
}
