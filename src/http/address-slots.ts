/** Operations of anonymous addresses: few run at once, and a few more wait. */
import { HubError } from '../platform/errors.ts'
import { KeyedSlots, type SlotBounds } from '../platform/keyed-slots.ts'
import { networkOf } from '../platform/network-of.ts'
import type { Caller } from './rate-limit.ts'

/** A browser opens six connections to a hub; some more people may share its address. */
const defaultBounds: SlotBounds = { running: 8, waiting: 100, waitMs: 10_000 }

/** One per server. */
export class AddressSlots {
  readonly #slots: KeyedSlots

  constructor(bounds: SlotBounds = defaultBounds) {
    this.#slots = new KeyedSlots(bounds, () => busy(bounds.running))
  }

  /**
   * Runs the work once the caller has a slot; at once unless it is an anonymous address. 429 if too many wait before
   * it.
   */
  async run<T>(who: Caller, work: () => Promise<T>): Promise<T> {
    if (!('address' in who)) return work()
    const leave = await this.#slots.enter(networkOf(who.address))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

function busy(running: number): HubError {
  const detail = `An anonymous address runs at most ${running} operations at once; send fewer at a time, or a credential.`
  const facts = { name: 'address-operations', unit: 'operations', limit: running, used: null, retryAfterS: 1 }
  return new HubError('rate.limited', detail, { facts })
}
