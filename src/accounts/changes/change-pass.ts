/**
 * Tracks what one reader of changes has seen, page by page. Pure. See `change-position.ts` for the order of changes.
 */
import type { ChangePosition } from './change-position.ts'
import type { ChangedThing, ChangePage } from './read-changes.ts'

/** The progress of one reader. The caller reads each page from `next` and passes it to `take`. */
export class ChangePass {
  /** Where the next page begins; null before the first one of a reader without a position. */
  next: ChangePosition | null
  /**
   * Where another reader may continue: it misses nothing, and sees once more what transactions wrote that were still
   * running.
   */
  position: ChangePosition | null
  /** Whether more changes follow the last page. */
  hasMore = false
  /** The horizon of the first page since everything had been read; null before that page. */
  #horizon: number | null = null
  /**
   * Things that later pages contain again, with the transaction in which this reader saw them: they changed while
   * earlier transactions were still running.
   */
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
