/**
 * Change notifications. A notification contains only an id, is sent after the commit, and may be lost: every watcher
 * also polls. This works across any number of hubs, and a lost notification costs a delay, never an event.
 */
import type pg from 'pg'
import type { Logger } from 'pino'
import { Wakeup } from '../platform/wakeup.ts'
import { announce } from './presence.ts'
import { refuseDuringRestore } from './restore-mark.ts'
import { EVENTS_STATEMENT_MS, STUCK_AFTER_MS } from './statement-time.ts'
import { SILENT_MS, type WatchedClients, watchedClients } from './watched-clients.ts'

export interface Events {
  /** Notifies, after commit, of a change to `topic` (an id). Duplicates within a short interval are merged. */
  hint(topic: string): void
  /**
   * Yields at once, then whenever one of the topics may have changed: on a notification, and at least every 5 s. Ends
   * with the signal. The topic `run_*` is woken by each id with the prefix `run`. What it yields is a moment of
   * `performance.now()`: what was read since then has everything that the watcher was woken for.
   */
  watch(topics: string | readonly string[], signal: AbortSignal): AsyncIterable<number>
  /**
   * The number under which the database knows that this hub is there (`presence.ts`); null while the connection is not
   * open.
   */
  readonly instance: number | null
  close(): Promise<void>
}

export interface EventsOptions {
  readonly url: string
  readonly log: Logger
  /** Poll interval of watchers. */
  readonly pollMs?: number
}

const CHANNEL = 'hub_events'
const notify = `select pg_notify('${CHANNEL}', topic) from unnest($1::text[]) topic`
const POLL_MS = 5_000
/** Notifications collected for this long are sent in one statement. */
const GATHER_MS = 20
const RECONNECT_MIN_MS = 100
const RECONNECT_MAX_MS = 10_000

/**
 * Opens the connection for LISTEN and NOTIFY, which also says that this hub is there; it reconnects automatically, and
 * watchers poll meanwhile.
 */
export function openEvents(options: EventsOptions): Events {
  return new PostgresEvents(options)
}

class PostgresEvents implements Events {
  readonly #options: EventsOptions
  readonly #Client: WatchedClients
  readonly #topics = new Map<string, Topic>()
  readonly #pending = new Set<string>()
  readonly #outgoing = new Set<string>()
  #client: pg.Client | null = null
  /** The client, once it listens. */
  #listening: pg.Client | null = null
  #instance: number | null = null
  #isSending = false
  #sendTimer: NodeJS.Timeout | null = null
  #reconnectTimer: NodeJS.Timeout | null = null
  #reconnectMs = RECONNECT_MIN_MS
  #closed = false

  constructor(options: EventsOptions) {
    this.#options = options
    this.#Client = watchedClients(options.url, {
      silentMs: SILENT_MS,
      stuckMs: EVENTS_STATEMENT_MS + STUCK_AFTER_MS,
    })
    void this.#connect()
  }

  get instance(): number | null {
    return this.#instance
  }

  hint(topic: string): void {
    if (this.#closed) return
    this.#pending.add(topic)
    this.#sendTimer ??= setTimeout(() => this.#gathered(), GATHER_MS)
  }

  async *watch(topics: string | readonly string[], signal: AbortSignal): AsyncIterable<number> {
    const watched = typeof topics === 'string' ? [topics] : topics
    let wokenAt = performance.now()
    const wakeup = new Wakeup()
    const onAbort = () => wakeup.wake()
    signal.addEventListener('abort', onAbort)
    // Registered before the first read, so that no change is missed in between.
    for (const topic of watched) this.#join(topic, wakeup)
    try {
      do {
        yield wokenAt
        if (!this.#closed && !signal.aborted) await wakeup.next()
        for (const topic of watched) wokenAt = Math.max(wokenAt, this.#topics.get(topic)?.wokenAt ?? 0)
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
    this.#listening = null
    this.#instance = null
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
    const client = new this.#Client({
      connectionString: this.#options.url,
      application_name: 'hub-events',
      statement_timeout: EVENTS_STATEMENT_MS,
    })
    client.on('notification', ({ payload, processId }) => {
      // What this hub sent has woken its own watchers before.
      if (processId !== backendOf(client)) this.#wake(payload ?? '')
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    this.#client = client
    try {
      await client.connect()
      await refuseDuringRestore(client)
      const instance = await announce(client)
      await client.query(`listen ${CHANNEL}`)
      if (this.#client !== client) return
      this.#instance = instance
      this.#reconnectMs = RECONNECT_MIN_MS
      this.#listening = client
      void this.#send()
      // Catches up on notifications missed while disconnected.
      for (const topic of this.#topics.values()) topic.wake()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'event listener failed; watchers poll until it reconnects')
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return
    this.#client = null
    this.#listening = null
    this.#instance = null
    this.#outgoing.clear()
    client.end().catch(() => undefined)
    this.#reconnectTimer = setTimeout(() => void this.#connect(), this.#reconnectMs)
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, RECONNECT_MAX_MS)
  }

  #wake(topic: string): void {
    this.#topics.get(topic)?.wake()
    this.#topics.get(everyLike(topic))?.wake()
  }

  #gathered(): void {
    this.#sendTimer = null
    const topics = [...this.#pending]
    this.#pending.clear()
    // Local watchers are woken directly, without the database.
    for (const topic of topics) this.#wake(topic)
    // Without a connection, watchers on other hubs poll.
    if (this.#client) for (const topic of topics) this.#outgoing.add(topic)
    void this.#send()
  }

  /**
   * One statement at a time, the first after LISTEN: the driver's own queue is deprecated. What is gathered meanwhile
   * goes into the next one.
   */
  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#listening && this.#outgoing.size > 0) {
      const topics = [...this.#outgoing]
      this.#outgoing.clear()
      try {
        await this.#listening.query(notify, [topics])
      } catch (error) {
        this.#options.log.debug({ err: error }, 'a hint was not sent')
      }
    }
    this.#isSending = false
  }
}

/** The server process of a connection, which the driver's types leave out. */
const backendOf = (client: pg.Client) => (client as pg.Client & { readonly processID: number | null }).processID

const everyLike = (id: string) => `${id.slice(0, id.lastIndexOf('_') + 1)}*`

/** State shared by the watchers of one topic: they poll at the same time, so that their reads can be batched. */
class Topic {
  readonly #wakeups = new Set<Wakeup>()
  readonly #pollMs: number
  #poll: NodeJS.Timeout | null = null
  #wokenAt = 0

  constructor(pollMs: number) {
    this.#pollMs = pollMs
  }

  get isWatched(): boolean {
    return this.#wakeups.size > 0
  }

  /** The last time. */
  get wokenAt(): number {
    return this.#wokenAt
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

  /** Restarts the poll interval: a topic with many notifications is never polled. */
  wake(): void {
    this.#wokenAt = performance.now()
    this.#poll?.refresh()
    for (const wakeup of this.#wakeups) wakeup.wake()
  }
}
