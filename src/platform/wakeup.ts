/**
 * The hub's way to wait for an event. A waiter owns its wake-up; each event source (a notification, a timer, an abort
 * signal, a socket that has drained) calls `wake`, and the waiter then checks the current state itself.
 */

/** An auto-reset event for one waiter. Wake-ups without a waiter are remembered as one. */
export class Wakeup {
  #isWoken = false
  #resume: (() => void) | null = null

  wake(): void {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Resolves at the next wake-up, or at once if one is remembered. */
  async next(): Promise<void> {
    if (!this.#isWoken) await new Promise<void>((resolve) => (this.#resume = resolve))
    this.#resume = null
    this.#isWoken = false
  }
}
