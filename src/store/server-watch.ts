/**
 * Notices a server that says nothing any more: its processes are stopped, or the network loses all packets. Its
 * connections stay open then, and a statement would wait for its answer forever.
 * docs/decisions/database.md, "A silent database is told from a busy one".
 */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface SilenceLimits {
  /**
   * After so long without a byte from the server, and without an answer to a new connection, everything that waits for
   * it fails.
   */
  readonly silentMs: number
  /** That of each connection, until it is given another. */
  readonly stuckMs: WatchedConnection['stuckMs']
}

/** A connection of this process to the server. */
export interface WatchedConnection {
  /** Bytes that have come, and that have gone. */
  moved(): { readonly received: number; readonly sent: number }
  /** The watch's own. */
  readonly seen: Seen
  /**
   * After so long without a byte on it a statement fails, though the server answers others. Null: never; keep-alive
   * finds a dead peer.
   */
  readonly stuckMs: number | null
  /** Ends the connection: what waits on it fails with the error. */
  drop(error: Error): void
}

const TICK_MS = 250
/** The server is asked after this part of the time in which it must have answered. */
const ASK_SHARE = 0.3

/** Recognised as a lost connection by this module's users and by Prisma's adapter. */
export function silentServer(): Error {
  const error = new Error('The database server says nothing.')
  return Object.assign(error, { code: 'ETIMEDOUT', syscall: 'read', errno: -110 })
}

/** What was seen of a connection at the last look. */
interface Seen {
  received: number
  sent: number
  /** When it last moved, or when its statement began. */
  at: number
}

/**
 * Watches the connections of one process to one server while statements are in progress on them. Costs nothing while
 * there are none.
 */
export class ServerWatch {
  readonly #url: string
  readonly #limits: SilenceLimits
  readonly #askAfterMs: number
  readonly #answerMs: number
  readonly #busy = new Set<WatchedConnection>()
  #timer: NodeJS.Timeout | null = null
  #tickedAt = 0
  /**
   * Time in which this process could hear something: while it was busy itself, or stopped, an answer was not read
   * either.
   */
  #clock = 0
  #heardAt = 0
  /** When the server was asked; null while it is not being asked. */
  #askedAt: number | null = null
  #isSilent = false

  constructor(url: string, limits: SilenceLimits) {
    this.#url = url
    this.#limits = limits
    this.#askAfterMs = limits.silentMs * ASK_SHARE
    this.#answerMs = limits.silentMs - this.#askAfterMs - 2 * TICK_MS
  }

  /** The server does not answer: a new connection or statement would only wait. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** A statement begins. */
  begin(connection: WatchedConnection): void {
    if (this.#busy.has(connection)) return
    this.#start()
    this.#busy.add(connection)
    connection.seen.at = this.#clock
  }

  /** Its statements have been answered. */
  answered(connection: WatchedConnection): void {
    this.#busy.delete(connection)
    this.#hear()
  }

  /** The connection has ended. */
  leave(connection: WatchedConnection): void {
    this.#busy.delete(connection)
  }

  #start(): void {
    if (this.#timer) return
    this.#tickedAt = performance.now()
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
    this.#timer.unref()
  }

  #tick(): void {
    const now = performance.now()
    this.#clock += Math.min(now - this.#tickedAt, 2 * TICK_MS)
    this.#tickedAt = now
    const longestMs = this.#look()
    const quietMs = this.#clock - this.#heardAt
    if (this.#askedAt === null && Math.min(longestMs, quietMs) >= this.#askAfterMs) void this.#ask()
    if (this.#askedAt !== null && Math.min(quietMs, this.#clock - this.#askedAt) >= this.#answerMs)
      this.#isSilent = true
    if (this.#isSilent) for (const connection of [...this.#busy]) this.#drop(connection)
    if (this.#busy.size > 0 || this.#askedAt !== null || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** Notes what has moved since the last time, and drops what is stuck. Returns how long the longest wait is. */
  #look(): number {
    let longestMs = 0
    for (const connection of [...this.#busy]) {
      const { seen, stuckMs } = connection
      const { received, sent } = connection.moved()
      if (received > seen.received) this.#hear()
      if (received !== seen.received || sent !== seen.sent) Object.assign(seen, { received, sent, at: this.#clock })
      const waitedMs = this.#clock - seen.at
      longestMs = Math.max(longestMs, waitedMs)
      if (stuckMs !== null && waitedMs >= stuckMs) this.#drop(connection)
    }
    return longestMs
  }

  #hear(): void {
    this.#heardAt = this.#clock
    this.#isSilent = false
  }

  #drop(connection: WatchedConnection): void {
    this.#busy.delete(connection)
    connection.drop(silentServer())
  }

  /**
   * Asks with new connections until one is answered, so that the first request after a silence is served; or until
   * others are.
   */
  async #ask(): Promise<void> {
    this.#askedAt = this.#clock
    const isQuiet = () => this.#isSilent || this.#clock - this.#heardAt >= this.#askAfterMs
    let hasAnswered = await answers(this.#url, this.#limits.silentMs)
    while (!hasAnswered && isQuiet()) {
      await delay(TICK_MS, undefined, { ref: false })
      hasAnswered = await answers(this.#url, this.#limits.silentMs)
    }
    if (hasAnswered) this.#hear()
    this.#askedAt = null
  }
}

/** Whether the server answers a new connection within the time; a refusal is an answer. */
async function answers(url: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'hub ping' })
  client.on('error', () => undefined)
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), withinMs).unref()
  const connected = client.connect().then(
    () => true,
    () => true,
  )
  const socket = client.connection.stream as Socket
  socket.unref()
  const hasAnswered = await Promise.race([connected, late.promise])
  clearTimeout(timer)
  socket.destroy()
  return hasAnswered
}
