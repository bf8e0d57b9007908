/** One answer of the database for everyone who asks within a time. */

/** A scrape has ten seconds, with Prometheus's own settings. */
const WAIT_MS = 4_000
/** An answer that is this many times too old says nothing of the present. */
const STALE_TIMES = 5

/** Reads at most once in `freshMs`, and never twice at a time. */
export class CachedReading<T> {
  readonly #freshMs: number
  readonly #read: () => Promise<T>
  readonly #failed: (error: unknown) => void
  #underWay: Promise<void> | null = null
  #last: { readonly value: T; readonly at: number } | null = null

  constructor(options: { freshMs: number; read: () => Promise<T>; failed: (error: unknown) => void }) {
    this.#freshMs = options.freshMs
    this.#read = options.read
    this.#failed = options.failed
  }

  /**
   * The last answer, read again if it is too old; null without one: the database does not answer, or takes too long.
   */
  async value(): Promise<T | null> {
    if (this.#ageMs() >= this.#freshMs) {
      this.#underWay ??= this.#refresh()
      let late: NodeJS.Timeout | undefined
      const tooLong = new Promise<void>((resolve) => {
        late = setTimeout(resolve, WAIT_MS)
      })
      await Promise.race([this.#underWay, tooLong])
      clearTimeout(late)
    }
    return this.#last && this.#ageMs() < this.#freshMs * STALE_TIMES ? this.#last.value : null
  }

  async #refresh(): Promise<void> {
    try {
      const value = await this.#read()
      this.#last = { value, at: performance.now() }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#underWay = null
    }
  }

  #ageMs(): number {
    return this.#last ? performance.now() - this.#last.at : Number.POSITIVE_INFINITY
  }
}
