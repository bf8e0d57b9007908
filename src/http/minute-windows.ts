/**
 * What callers have used in a minute, by key, in memory. A window begins with the first use and ends a minute later;
 * what is counted of one key shares it, so that a request finds each of its windows once. Nothing here waits or sets a
 * timer.
 */

import { peers } from '../platform/peers.ts'

export const WINDOW_S = 60

/** How long what one process counts stays unknown to the others of its port. */
const SHARE_MS = 50

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
  readonly #topic: string | null
  /** What was counted here and is not told yet: key, kind and sum. */
  #untold = new Map<string, [key: string, kind: Kind, amount: number]>()

  /**
   * With a name the windows are those of all processes of the port: each tells the others what it counts, at most every
   * 50 ms, so that no request waits for another process.
   */
  constructor(name: string | null = null) {
    this.#topic = name === null || !peers.areThere ? null : `windows ${name}`
    if (this.#topic !== null) peers.whenTold(this.#topic, (told) => this.#hear(told as [string, Kind, number][]))
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
    const share = this.#topic === null ? null : (kind: Kind, amount: number) => this.#note(key, kind, amount)
    const window = new MinuteWindow<Kind>(nowMs, share)
    this.#byKey.set(key, window)
    return window
  }

  #note(key: string, kind: Kind, amount: number): void {
    if (this.#untold.size === 0) setTimeout(() => this.#tell(), SHARE_MS).unref()
    const name = `${kind} ${key}`
    const noted = this.#untold.get(name)
    if (noted) noted[2] += amount
    else this.#untold.set(name, [key, kind, amount])
  }

  #tell(): void {
    const untold = [...this.#untold.values()]
    this.#untold = new Map()
    if (this.#topic !== null) peers.tell(this.#topic, untold)
  }

  #hear(told: readonly [key: string, kind: Kind, amount: number][]): void {
    for (const [key, kind, amount] of told) this.of(key).addOfOthers(kind, amount)
  }

  #forgetEnded(nowMs: number): void {
    for (const [key, window] of this.#byKey) {
      if (!window.isOverAt(nowMs)) return
      this.#byKey.delete(key)
    }
  }
}
