/**
 * Who can use how many connections of the pool at once. A statement may take seconds, and one operation has as many in
 * progress as it has root fields: a caller that takes them all stops the hub for everyone. So work of a caller runs
 * with the caller's share, which is asked before a connection is.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { isJobHere, STUCK_AFTER_MS, type StatementTimes } from './statement-time.ts'
import type { WriteBudget, Writes } from './write-budget.ts'

/**
 * Told once, how long a connection was held; `isRead`: for one statement that writes nothing, so that all of the time
 * is the statement's and none of it a wait for someone's lock.
 */
export type GiveBack = (heldMs: number, isRead: boolean) => void

/** One caller's, over all its operations. */
export interface ConnectionShare {
  /** Resolves when the caller may have one more connection. Rejects if it may not. */
  take(): Promise<GiveBack>
  /** The same for who needs not wait, as most do: null where only `take` can say whether and when. */
  takeNow?(): GiveBack | null
  /** What the caller may write; absent where that is not bounded. */
  readonly budget?: WriteBudget | null
}

const shares = new AsyncLocalStorage<ConnectionShare | null>()

/** Runs the work with this share: every connection that it takes counts. */
export const withShare = <T>(share: ConnectionShare, work: () => T): T => shares.run(share, work)

/**
 * Runs work whose connections count for no one: reads for several callers at once, and what is done next to a
 * connection that is held already.
 */
export const withoutShare = <T>(work: () => T): T => shares.run(null, work)

/** The budget of the caller whose work runs here; null where there is none. */
export const budgetHere = (): WriteBudget | null => shares.getStore()?.budget ?? null

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (error?: Error | boolean) => void,
) => void

/**
 * A pool that asks the share of who connects, and gives the connection the time of their statements. Queries connect
 * too, those of libraries among them.
 */
export class SharedPool extends pg.Pool {
  readonly #times: StatementTimes
  /** Set while a query asks for its connection. */
  #isRead = false

  /** Its connections are opened with the time of reads. */
  constructor(times: StatementTimes, config: pg.PoolConfig) {
    super(config)
    this.#times = times
  }

  override query(...given: never[]): never {
    const [config] = given as readonly unknown[] as readonly [{ readonly writes?: Writes }?]
    this.#isRead = config?.writes === undefined
    try {
      return super.query(...(given as [never])) as never
    } finally {
      this.#isRead = false
    }
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback) return this.#connect(callback)
    return new Promise((resolve, reject) =>
      this.#connect((error, client) => (client ? resolve(client) : reject(error))),
    )
  }

  #connect(callback: Connected): undefined {
    const share = shares.getStore()
    const isRead = this.#isRead
    const giveBack = share?.takeNow?.()
    if (!share) this.#connectTimed(callback)
    else if (giveBack) this.#lend(giveBack, isRead, callback)
    else
      share.take().then(
        (taken) => this.#lend(taken, isRead, callback),
        (error: Error) => callback(error, undefined, () => undefined),
      )
  }

  #connectTimed(callback: Connected): void {
    const { read, write, job } = this.#times
    const [ms, longestMs] = isJobHere() ? [job, job] : [read, Math.max(read, write)]
    super.connect((error, client, done) => {
      if (!client || (timeOf.get(client) ?? read) === ms) callback(error, client, done)
      else
        giveTime(client, ms, longestMs).then(
          () => callback(undefined, client, done),
          (fault: Error) => {
            done(fault)
            callback(fault, undefined, () => undefined)
          },
        )
    })
  }

  #lend(giveBack: GiveBack, isRead: boolean, callback: Connected): void {
    this.#connectTimed((error, client, done) => {
      if (!client) {
        giveBack(0, isRead)
        callback(error, client, done)
        return
      }
      giveBackOnRelease(client, giveBack, isRead)
      callback(undefined, client, client.release)
    })
  }
}

/** The time that the connection has been given; none where it is that of reads, which it was opened with. */
const timeOf = new WeakMap<pg.PoolClient, number>()

/** One more round trip, which only a connection makes that goes from requests to jobs or back. */
async function giveTime(client: pg.PoolClient & { stuckMs?: number | null }, ms: number, longestMs: number) {
  // The pool listens to idle connections only; an unhandled error event ends the process.
  const onLost = () => undefined
  client.on('error', onLost)
  try {
    await client.query(`set statement_timeout = ${ms}`)
    timeOf.set(client, ms)
    client.stuckMs = longestMs + STUCK_AFTER_MS
  } finally {
    client.off('error', onLost)
  }
}

/**
 * A function of its own, because the client keeps the closure until it is lent again: next to `callback` it would keep
 * the rows of its last query for as long, and the collector would copy them: a tenth of a large answer's time.
 */
function giveBackOnRelease(client: pg.PoolClient, giveBack: GiveBack, isRead: boolean): void {
  const sinceMs = performance.now()
  // The pool sets it at each loan.
  const { release } = client
  client.release = (fault) => {
    release(fault)
    giveBack(performance.now() - sinceMs, isRead)
  }
}
