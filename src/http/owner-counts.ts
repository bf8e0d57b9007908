/**
 * What each caller has at once, by whom it counts for: an anonymous address, or a credential and the accounts behind
 * it.
 */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../platform/network-of.ts'
import { callerOf } from './rate-limit.ts'

/** One whom it counts for, and how much that one may have. */
export interface Owner {
  /** With its kind: ids of different kinds do not meet. */
  readonly who: string
  /** In an error: `An account`. */
  readonly whose: string
  readonly bound: number
}

/** How much each kind of owner may have. */
export interface OwnerBounds {
  readonly credential: number
  /** All credentials of an account, and all that a person made. */
  readonly account: number
  readonly address: number
}

/** Whom a request counts for, by ids of different kinds. */
export function ownersOf(
  request: Pick<FastifyRequest, 'viewer' | 'ip'>,
  { credential, account, address }: OwnerBounds,
): readonly Owner[] {
  const caller = callerOf(request)
  if ('address' in caller)
    return [{ who: `address ${networkOf(caller.address)}`, whose: 'An anonymous address', bound: address }]
  const accounts = caller.accountIds.map((who) => ({ who, whose: 'An account', bound: account }))
  return [{ who: caller.credentialId, whose: 'A credential', bound: credential }, ...accounts]
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
