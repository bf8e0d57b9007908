/**
 * Hints that there is more to read. A hint names an id and nothing else, is sent after the commit that made it true, and may be lost: every watcher also
 * looks by itself from time to time. So it works the same across any number of hubs, and a lost hint costs a delay, never an event.
 */
import pg from 'pg'
import type { Logger } from 'pino'
import { Wakeup } from '../platform/wakeup.ts'

export interface Events {
  /** Says, after commit, that there is more to read about `topic` (an id). Equal hints of a moment are sent once. */
  hint(topic: string): void
  /** Yields at once, then whenever one of the topics may have changed: at a hint, and at the latest every 5 s. Ends with the signal. */
  watch(topics: string | readonly string[], signal: AbortSignal): AsyncIterable<void>
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
  readonly #topics = new Map<string, Topic>()
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

  async *watch(topics: string | readonly string[], signal: AbortSignal): AsyncIterable<void> {
    const watched = typeof topics === 'string' ? [topics] : topics
    const wakeup = new Wakeup()
    const onAbort = () => wakeup.wake()
    signal.addEventListener('abort', onAbort)
    // Joined before the first look, so that nothing falls between the two.
    for (const topic of watched) this.#join(topic, wakeup)
    try {
      do {
        yield
        if (!this.#closed && !signal.aborted) await wakeup.next()
      } while (!this.#closed && !signal.aborted)
    } finally {
      signal.removeEventListener('abort', onAbort)
      for (const topic of watched) this.#leave(topic, wakeup)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#sendTimer) clearTimeout(this.#sendTimer)
    if (this.#reconnectTimer) clearTimeout(this.#reconnectTimer)
    for (const topic of this.#topics.values()) topic.wake()
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }

  #join(name: string, wakeup: Wakeup): void {
    const topic = this.#topics.get(name) ?? new Topic(this.#options.pollMs ?? POLL_MS)
    this.#topics.set(name, topic)
    topic.join(wakeup)
  }

  #leave(name: string, wakeup: Wakeup): void {
    const topic = this.#topics.get(name)
    topic?.leave(wakeup)
    if (!topic?.isWatched) this.#topics.delete(name)
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
      for (const topic of this.#topics.values()) topic.wake()
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
    this.#topics.get(topic)?.wake()
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

/** What the watchers of one topic share: they poll at one moment, so that what they then ask for can be asked once. */
class Topic {
  readonly #wakeups = new Set<Wakeup>()
  readonly #pollMs: number
  #poll: NodeJS.Timeout | null = null

  constructor(pollMs: number) {
    this.#pollMs = pollMs
  }

  get isWatched(): boolean {
    return this.#wakeups.size > 0
  }

  join(wakeup: Wakeup): void {
    this.#wakeups.add(wakeup)
    this.#poll ??= setInterval(() => this.wake(), this.#pollMs)
  }

  leave(wakeup: Wakeup): void {
    this.#wakeups.delete(wakeup)
    if (this.isWatched || !this.#poll) return
    clearInterval(this.#poll)
    this.#poll = null
  }

  /** The next poll is a whole interval away from here: a topic with many hints is never polled. */
  wake(): void {
    this.#poll?.refresh()
    for (const wakeup of this.#wakeups) wakeup.wake()
  }
}
