/**
 * Hints that there is more to read. A hint names an id and nothing else, is sent after the commit that made it true, and may be lost: every watcher also
 * looks by itself from time to time. So it works the same across any number of hubs, and a lost hint costs a delay, never an event.
 */
import pg from 'pg'
import type { Logger } from 'pino'

export interface Events {
  /** Says, after commit, that there is more to read about `topic` (an id). Equal hints of a moment are sent once. */
  hint(topic: string): void
  /** Yields at once, then whenever `topic` may have changed: at a hint, and at the latest every 5 s. Ends with the signal. */
  watch(topic: string, signal: AbortSignal): AsyncIterable<void>
  close(): Promise<void>
}

export interface EventsOptions {
  readonly url: string
  readonly log: Logger
  /** How often watchers look by themselves. */
  readonly pollMs?: number
}

const CHANNEL = 'hub_events'
const POLL_MS = 5_000
/** Hints gathered for this long leave in one statement. */
const GATHER_MS = 20
const RECONNECT_MIN_MS = 100
const RECONNECT_MAX_MS = 10_000

/** Opens the one connection that listens and notifies; it reconnects by itself, and meanwhile watchers poll. */
export function openEvents(options: EventsOptions): Events {
  return new PostgresEvents(options)
}

class PostgresEvents implements Events {
  readonly #options: EventsOptions
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #pending = new Set<string>()
  #client: pg.Client | null = null
  #sendTimer: NodeJS.Timeout | null = null
  #reconnectTimer: NodeJS.Timeout | null = null
  #reconnectMs = RECONNECT_MIN_MS
  #closed = false

  constructor(options: EventsOptions) {
    this.#options = options
    void this.#connect()
  }

  hint(topic: string): void {
    if (this.#closed) return
    this.#pending.add(topic)
    this.#sendTimer ??= setTimeout(() => void this.#send(), GATHER_MS)
  }

  async *watch(topic: string, signal: AbortSignal): AsyncIterable<void> {
    const watcher = new Watcher(signal, this.#options.pollMs ?? POLL_MS)
    const wake = () => watcher.wake()
    const set = this.#watchers.get(topic) ?? new Set()
    this.#watchers.set(topic, set.add(wake))
    try {
      // Registered before the first look, so that nothing falls between the two.
      do yield
      while (!this.#closed && (await watcher.next()))
    } finally {
      set.delete(wake)
      if (set.size === 0 && this.#watchers.get(topic) === set) this.#watchers.delete(topic)
      watcher.end()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#sendTimer) clearTimeout(this.#sendTimer)
    if (this.#reconnectTimer) clearTimeout(this.#reconnectTimer)
    for (const set of this.#watchers.values()) for (const wake of set) wake()
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'hub-events',
      keepAlive: true,
    })
    client.on('notification', ({ payload }) => this.#wake(payload ?? ''))
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    this.#client = client
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      this.#reconnectMs = RECONNECT_MIN_MS
      // Catches up on whatever was said while the listener was away.
      for (const topic of this.#watchers.keys()) this.#wake(topic)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'listening for events failed; watchers poll until it works again')
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return
    this.#client = null
    client.end().catch(() => undefined)
    this.#reconnectTimer = setTimeout(() => void this.#connect(), this.#reconnectMs)
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, RECONNECT_MAX_MS)
  }

  #wake(topic: string): void {
    for (const wake of this.#watchers.get(topic) ?? []) wake()
  }

  async #send(): Promise<void> {
    this.#sendTimer = null
    const topics = [...this.#pending]
    this.#pending.clear()
    // Also without the database: watchers of this process should not wait for their poll.
    for (const topic of topics) this.#wake(topic)
    try {
      await this.#client?.query(`select pg_notify('${CHANNEL}', topic) from unnest($1::text[]) topic`, [topics])
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a hint was not sent')
    }
  }
}

/** Waits for a wake-up, the poll or the end of the signal, whichever is first; a wake-up without a waiter is kept. */
class Watcher {
  readonly #signal: AbortSignal
  readonly #pollMs: number
  #woken = false
  #resume: (() => void) | null = null

  constructor(signal: AbortSignal, pollMs: number) {
    this.#signal = signal
    this.#pollMs = pollMs
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = () => this.wake()

  wake(): void {
    this.#woken = true
    this.#resume?.()
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  /** False when the signal has ended. */
  async next(): Promise<boolean> {
    if (!this.#woken && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#pollMs)
        this.#resume = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#resume = null
    }
    this.#woken = false
    return !this.#signal.aborted
  }
}
