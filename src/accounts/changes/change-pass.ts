/** What a reader of changes has seen, page by page. Pure: see `change-position.ts` for the order of changes. */
import type { ChangePosition } from './change-position.ts'
import type { ChangedThing, ChangePage } from './read-changes.ts'

/** One for each reader. Pages are read from `next` and handed to `take`. */
export class ChangePass {
  /** Where the next page begins; null before the first one of a reader without a position. */
  next: ChangePosition | null
  /** Where another reader may go on: it sees nothing less, and what running transactions wrote once more. */
  position: ChangePosition | null
  /** Whether the last page left something. */
  hasMore = false
  /** Of the first page since everything was read. */
  #horizon: number | null = null
  /** Things that are read again, with the transaction in which they were seen: those changed while the transactions before were running. */
  readonly #seen = new Map<string, number>()

  constructor(start: ChangePosition | null) {
    this.next = start
    this.position = start
  }

  /** The things of the page that this reader has not seen. */
  take(page: ChangePage): ChangedThing[] {
    this.#horizon ??= page.horizon
    const horizon = this.#horizon
    const fresh = page.things.filter(({ thingId, xid }) => this.#seen.get(thingId) !== xid)
    for (const { thingId, xid } of page.things) if (xid >= horizon) this.#seen.set(thingId, xid)
    const last = page.things.at(-1)
    this.hasMore = page.hasMore && last !== undefined
    const all: ChangePosition = { xid: horizon, thingId: '' }
    if (page.hasMore && last) {
      this.next = { xid: last.xid, thingId: last.thingId }
      this.position = last.xid < horizon ? this.next : all
      return fresh
    }
    this.next = all
    this.position = all
    this.#horizon = null
    for (const [thingId, xid] of this.#seen) if (xid < horizon) this.#seen.delete(thingId)
    return fresh
  }
}
