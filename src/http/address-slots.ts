/** Operations of anonymous addresses: few run at once, and a few more wait. */
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'
import type { Caller } from './rate-limit.ts'

export interface SlotBounds {
  readonly running: number
  readonly waiting: number
  readonly waitMs: number
}

/** A browser opens six connections to a hub; some more people may share its address. */
const defaultBounds: SlotBounds = { running: 8, waiting: 100, waitMs: 10_000 }

interface Slots {
  running: number
  readonly waiting: Set<() => void>
}

/** One per server. */
export class AddressSlots {
  readonly #bounds: SlotBounds
  readonly #byNetwork = new Map<string, Slots>()

  constructor(bounds: SlotBounds = defaultBounds) {
    this.#bounds = bounds
  }

  /** Runs the work once the caller has a slot; at once unless it is an anonymous address. 429 if too many wait before it. */
  async run<T>(who: Caller, work: () => Promise<T>): Promise<T> {
    if (!('address' in who)) return work()
    const leave = await this.#enter(networkOf(who.address))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  async #enter(network: string): Promise<() => void> {
    const slots = this.#byNetwork.get(network) ?? { running: 0, waiting: new Set() }
    this.#byNetwork.set(network, slots)
    if (slots.running < this.#bounds.running) slots.running += 1
    else await this.#wait(slots)
    return () => {
      // The next one takes the slot over.
      const [next] = slots.waiting
      if (next) {
        slots.waiting.delete(next)
        next()
        return
      }
      slots.running -= 1
      if (slots.running === 0) this.#byNetwork.delete(network)
    }
  }

  async #wait({ waiting }: Slots): Promise<void> {
    if (waiting.size >= this.#bounds.waiting) throw this.#busy()
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(go)
        reject(this.#busy())
      }, this.#bounds.waitMs)
      const go = () => {
        clearTimeout(late)
        resolve()
      }
      waiting.add(go)
    })
  }

  #busy(): HubError {
    const { running } = this.#bounds
    const detail = `An anonymous address runs at most ${running} operations at once; send fewer at a time, or a credential.`
    const facts = { name: 'address-operations', unit: 'operations', limit: running, used: null, retryAfterS: 1 }
    return new HubError('rate.limited', detail, { facts })
  }
}
