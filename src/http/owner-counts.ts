/**
 * What each caller has at once, by whom it counts for: an anonymous address, or a credential and the accounts behind
 * it.
 */

/** One whom it counts for, and how much that one may have. */
export interface Owner {
  /** With its kind: ids of different kinds do not meet. */
  readonly who: string
  /** In an error: `An account`. */
  readonly whose: string
  readonly bound: number
}

/** Sums by owner. */
export class OwnerCounts {
  readonly #counts = new Map<string, number>()
  readonly #refusal: (owner: Owner, used: number) => Error

  /** `refusal` makes the error for an owner who would have too much. */
  constructor(refusal: (owner: Owner, used: number) => Error) {
    this.#refusal = refusal
  }

  /**
   * Counts for all owners, or throws and counts for none. The returned function takes it back; later calls of it do
   * nothing.
   */
  take(owners: readonly Owner[], amount = 1): () => void {
    for (const owner of owners) {
      const used = this.of(owner.who)
      if (used + amount > owner.bound) throw this.#refusal(owner, used)
    }
    for (const { who } of owners) this.#add(who, amount)
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      for (const { who } of owners) this.#add(who, -amount)
    }
  }

  /** What an owner has. */
  of(who: string): number {
    return this.#counts.get(who) ?? 0
  }

  #add(who: string, amount: number): void {
    const count = this.of(who) + amount
    if (count > 0) this.#counts.set(who, count)
    else this.#counts.delete(who)
  }
}
