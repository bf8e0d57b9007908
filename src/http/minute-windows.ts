/**
 * What callers have used in a minute, by key, in memory. A window begins with the first use and ends a minute later;
 * what is counted of one key shares it, so that a request finds each of its windows once. Nothing here waits or sets a
 * timer.
 */

import { SharedAmounts } from './shared-amounts.ts'

export const WINDOW_S = 60

/** One minute of one key. */
export class MinuteWindow<Kind extends string> {
  readonly #endsAtMs: number
  readonly #used: Partial<Record<Kind, number>> = {}

  readonly #share: ((kind: Kind, amount: number) => void) | null

  /** `share` learns of each amount that is counted here. */
  constructor(nowMs: number, share: ((kind: Kind, amount: number) => void) | null = null) {
    this.#endsAtMs = nowMs + WINDOW_S * 1000
    this.#share = share
  }

  /**
   * Counts an amount. Returns the sum of the window, whatever the limit: who goes on is over it for the rest of the
   * minute.
   */
  add(kind: Kind, amount: number): number {
    this.#share?.(kind, amount)
    return this.addOfOthers(kind, amount)
  }

  /** Counts what another process of the port has counted. */
  addOfOthers(kind: Kind, amount: number): number {
    const sum = this.used(kind) + amount
    this.#used[kind] = sum
    return sum
  }

  used(kind: Kind): number {
    return this.#used[kind] ?? 0
  }

  /** Whole seconds until it ends, at least one. */
  get resetS(): number {
    return Math.max(1, Math.ceil((this.#endsAtMs - performance.now()) / 1000))
  }

  isOverAt(nowMs: number): boolean {
    return nowMs >= this.#endsAtMs
  }
}

/** The windows of all keys of a sort. */
export class MinuteWindows<Kind extends string> {
  /** In the order in which they end, as all are as long. */
  readonly #byKey = new Map<string, MinuteWindow<Kind>>()
  readonly #shared: SharedAmounts<Kind> | null

  /** With a name the windows are those of all processes of the port. */
  constructor(name: string | null = null) {
    const hear = (key: string, kind: Kind, amount: number) => void this.of(key).addOfOthers(kind, amount)
    const shared = name === null ? null : new SharedAmounts<Kind>(`of a minute: ${name}`, hear)
    this.#shared = shared?.areShared ? shared : null
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#byKey.size
  }

  /** The window of a key now, a new one if it has none. */
  of(key: string): MinuteWindow<Kind> {
    const nowMs = performance.now()
    const known = this.#byKey.get(key)
    if (known && !known.isOverAt(nowMs)) return known
    this.#forgetEnded(nowMs)
    const shared = this.#shared
    const share = shared && ((kind: Kind, amount: number) => shared.note(key, kind, amount))
    const window = new MinuteWindow<Kind>(nowMs, share)
    this.#byKey.set(key, window)
    return window
  }

  #forgetEnded(nowMs: number): void {
    for (const [key, window] of this.#byKey) {
      if (!window.isOverAt(nowMs)) return
      this.#byKey.delete(key)
    }
  }
}
