/**
 * Who may use how many connections of the pool at once. A statement may take seconds, and one operation has as many under way as it has root fields: whoever
 * takes them all stops the hub for everybody. So work of a caller runs with the caller's share, which is asked before a connection is.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/** One caller's, over all its operations. */
export interface ConnectionShare {
  /** Resolves when the caller may have one more connection, to what is told once how long it was held, in ms. Rejects if it may not. */
  take(): Promise<(heldMs: number) => void>
}

const shares = new AsyncLocalStorage<ConnectionShare | null>()

/** Runs the work with this share: every connection that it takes counts. */
export const withShare = <T>(share: ConnectionShare, work: () => T): T => shares.run(share, work)

/** Runs work whose connections count for nobody: reads for several callers at once, and what is done beside a connection that is held already. */
export const withoutShare = <T>(work: () => T): T => shares.run(null, work)

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (error?: Error | boolean) => void,
) => void

/** A pool that asks the share of who connects. Queries connect too. */
export class SharedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const share = shares.getStore()
    if (!callback) return share ? this.#connect(share) : super.connect()
    if (!share) super.connect(callback)
    else
      this.#connect(share).then(
        (client) => callback(undefined, client, client.release),
        (error: Error) => callback(error, undefined, () => undefined),
      )
    return undefined
  }

  async #connect(share: ConnectionShare): Promise<pg.PoolClient> {
    const giveBack = await share.take()
    let client: pg.PoolClient
    try {
      client = await super.connect()
    } catch (error) {
      giveBack(0)
      throw error
    }
    const sinceMs = performance.now()
    // The pool sets it anew whenever it lends the client.
    const release = client.release
    client.release = (error) => {
      release(error)
      giveBack(performance.now() - sinceMs)
    }
    return client
  }
}
