/** Clients of PostgreSQL whose statements end, with their connections, when the server says nothing any more. */
import type { Socket } from 'node:net'
import pg from 'pg'
import { ServerWatch, type SilenceLimits, silentServer, type WatchedConnection } from './server-watch.ts'

/** A request is not kept waiting for longer by a database that does not answer. */
export const SILENT_MS = 5_000
/** A backup, a restore or a migration has work to lose. */
export const longWork: SilenceLimits = { silentMs: 60_000, stuckMs: null }

/** A server that has gone without a word ends no connection: the goodbye is not waited for longer. */
const GOODBYE_MS = 2_000

/** The system asks a peer that has been quiet for this long, and closes the connection of one that is gone. */
const KEEP_ALIVE_AFTER_MS = 10_000

/** A class of clients, for pools too. */
export type WatchedClients = new (config?: pg.ClientConfig) => pg.Client

/**
 * The class of clients for one server, also for pools (`Client`). They share a watch: a server that is silent for
 * `silentMs` fails what waits for it, whatever sent the statement, as a lost connection, and the connection is not used
 * again.
 */
export function watchedClients(url: string, limits: SilenceLimits): WatchedClients {
  const watch = new ServerWatch(url, limits)
  return class extends pg.Client implements WatchedConnection {
    constructor(config?: pg.ClientConfig) {
      super({ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS, ...config })
    }

    readonly seen = { received: 0, sent: 0, at: 0 }
    /** Of a pool's, as long as the statements may take that it is lent for. */
    stuckMs = limits.stuckMs

    moved() {
      const { bytesRead, bytesWritten } = this.connection.stream as Socket
      return { received: bytesRead, sent: bytesWritten }
    }

    drop(error: Error): void {
      this.connection.stream.destroy(error)
    }

    override connect(...given: never[]): never {
      if (watch.isSilent) return refused(...given) as never
      watch.begin(this)
      // Before the client's own listener, which may send the first statement.
      this.connection.once('readyForQuery', () => watch.answered(this))
      this.on('drain', () => watch.answered(this))
      this.once('end', () => watch.leave(this))
      return connected(
        () => this.connection.stream.destroy(),
        (...args) => super.connect(...(args as [never])),
        given,
      ) as never
    }

    override query(...given: never[]): never {
      if (watch.isSilent) this.drop(silentServer())
      else if (this.connection.stream.writable) watch.begin(this)
      return super.query(...(given as [never])) as never
    }

    override end(...given: never[]): never {
      const late = setTimeout(() => this.connection.stream.destroy(), watch.isSilent ? 0 : GOODBYE_MS)
      this.connection.once('end', () => clearTimeout(late))
      return super.end(...(given as [never])) as never
    }
  }
}

type Callback = (error: Error | null, ...more: unknown[]) => void

/**
 * The driver leaves the connection of a client that has no password open: the server waits for it for a minute, and
 * DROP DATABASE waits for the server.
 */
function connected(drop: () => void, connect: (...given: unknown[]) => unknown, [callback]: readonly unknown[]) {
  if (typeof callback === 'function')
    return connect((error: Error | null, ...more: unknown[]) => {
      if (error) drop()
      ;(callback as Callback)(error, ...more)
    })
  return (connect() as Promise<void>).catch((error: unknown) => {
    drop()
    throw error
  })
}

/** No connection is opened that would wait with all others for the server to wake up. */
function refused(callback?: (error: Error) => void): Promise<never> | undefined {
  const error = silentServer()
  if (!callback) return Promise.reject(error)
  process.nextTick(callback, error)
  return undefined
}
