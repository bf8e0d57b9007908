/**
 * Waiting for something to happen: the hub's one way. A waiter owns its wake-up; whatever it waits for (a hint, its timer, the end of a signal, a socket
 * that has taken its bytes) calls `wake`, and the waiter looks for itself at what is true now.
 */

/** An auto-reset event for one waiter. A wake-up that comes while nobody waits is kept; several are one. */
export class Wakeup {
  #isWoken = false
  #resume: (() => void) | null = null

  wake(): void {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Resolves at the next wake-up, or at once after one that was not waited for. */
  async next(): Promise<void> {
    if (!this.#isWoken) await new Promise<void>((resolve) => (this.#resume = resolve))
    this.#resume = null
    this.#isWoken = false
  }
}
