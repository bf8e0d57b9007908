/**
 * The share of the database's connections that each caller has: a slow statement, or many at once, are not everyone's.
 */
import { HubError } from '../platform/errors.ts'
import { KeyedSlots, type SlotBounds } from '../platform/keyed-slots.ts'
import { networkOf } from '../platform/network-of.ts'
import type { ConnectionShare, GiveBack } from '../store/connection-share.ts'
import type { WriteBudget } from '../store/write-budget.ts'
import type { Caller, RateLimit } from './rate-limit.ts'
import type { WrittenBytes } from './written-bytes.ts'

/** Parts of the pool: what the hub does for callers that it knows comes first, and no account has more than half. */
const ADDRESS_PART = 5
const ACCOUNT_PART = 2

/**
 * An anonymous address has eight operations, of some statements each. An account may have a thousand streams that one
 * change wakes.
 */
const addressWaits = { waiting: 500, waitMs: 10_000 }
const accountWaits = { waiting: Number.POSITIVE_INFINITY, waitMs: 30_000 }

/** A read that takes longer counts as the account's time: the database works for it as this process would. */
const SLOW_READ_MS = 100

/** One per server. */
export class CallerConnections {
  readonly #rate: RateLimit
  readonly #addresses: KeyedSlots
  readonly #accounts: KeyedSlots
  readonly #written: WrittenBytes | null

  /** `poolMax`: connections of the pool. `written` is null where what callers write is not bounded. */
  constructor(rate: RateLimit, poolMax: number, written: WrittenBytes | null = null) {
    this.#written = written
    const bounds = (part: number, waits: Omit<SlotBounds, 'running'>) => ({
      running: Math.max(1, Math.floor(poolMax / part)),
      ...waits,
    })
    const [address, account] = [bounds(ADDRESS_PART, addressWaits), bounds(ACCOUNT_PART, accountWaits)]
    this.#rate = rate
    this.#addresses = new KeyedSlots(address, () => busy('An anonymous address', 'address', address.running))
    this.#accounts = new KeyedSlots(account, () => busy('An account', 'account', account.running))
  }

  /** 429 for an anonymous address that has used its database time, and for who would wait too long. */
  of(who: Caller): ConnectionShare {
    const parts = { rate: this.#rate, who, written: this.#written }
    if ('address' in who) return new CallerShare(parts, this.#addresses, networkOf(who.address))
    // Who makes an org for each key is still one person, who is last.
    return new CallerShare(parts, this.#accounts, who.accountIds.at(-1) ?? who.credentialId)
  }
}

interface ShareParts {
  readonly rate: RateLimit
  readonly who: Caller
  readonly written: WrittenBytes | null
}

/** Of one operation. */
class CallerShare implements ConnectionShare {
  readonly #rate: RateLimit
  readonly #who: Caller
  readonly #written: WrittenBytes | null
  readonly #slots: KeyedSlots
  readonly #key: string
  #budget: WriteBudget | null = null

  constructor({ rate, who, written }: ShareParts, slots: KeyedSlots, key: string) {
    this.#rate = rate
    this.#who = who
    this.#written = written
    this.#slots = slots
    this.#key = key
  }

  /** Made where something is written, which most operations do not. */
  get budget(): WriteBudget | null {
    this.#budget ??= this.#written?.of(this.#who) ?? null
    return this.#budget
  }

  takeNow(): GiveBack | null {
    // The time of an address may be used up, which `take` says.
    if ('address' in this.#who) return null
    const leave = this.#slots.enterNow(this.#key)
    return leave && this.#lent(leave)
  }

  async take(): Promise<GiveBack> {
    const leave = await this.#slots.enter(this.#key)
    try {
      this.#rate.assertTime(this.#who, 'address' in this.#who ? 'database' : 'processor')
    } catch (error) {
      leave()
      throw error
    }
    return this.#lent(leave)
  }

  #lent(leave: () => void): GiveBack {
    return (heldMs, isRead) => {
      leave()
      if ('address' in this.#who) this.#rate.addTime(this.#who, 'database', heldMs)
      else if (isRead && heldMs > SLOW_READ_MS) this.#rate.addTime(this.#who, 'processor', heldMs)
    }
  }
}

function busy(whose: string, name: string, running: number): HubError {
  const detail = `${whose} has at most ${running} statements in the database at once; send fewer operations at a time.`
  const facts = { name: `${name}-statements`, unit: 'statements', limit: running, used: null, retryAfterS: 1 }
  return new HubError('rate.limited', detail, { facts })
}
