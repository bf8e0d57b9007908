/**
 * How long PostgreSQL works on one statement, by the class of the work that sends it. A statement that takes longer is
 * ended by the server, and what sent it fails as 503 `unavailable`. docs/decisions/database.md, "A statement has the
 * time of its class".
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Milliseconds for each class of the statements that the pool sends. */
export interface StatementTimes {
  /** One statement of a request, outside a transaction: nearly all are reads. */
  readonly read: number
  /** Each statement of a request's transaction, which may wait for the locks of others. */
  readonly write: number
  /** Each statement of a job's step or a sweep. */
  readonly job: number
}

/** A proxy gives up after 30 s or more: a read is answered before it. */
export const statementTimes: StatementTimes = { read: 15_000, write: 30_000, job: 120_000 }
/** For those of a restore, while no one is served: an hour. */
export const RESTORE_STATEMENT_MS = 3_600_000
/** For the queue's own: the longest of them delete a day's jobs. */
export const QUEUE_STATEMENT_MS = 120_000
/** For the connection that listens: it sends small notifications and waits for no lock. */
export const EVENTS_STATEMENT_MS = 5_000
/** The server ends a statement at its time; one that continues for this much longer has lost its connection. */
export const STUCK_AFTER_MS = 5_000

/** The same time for each class. */
export const sameTimes = (ms: number): StatementTimes => ({ read: ms, write: ms, job: ms })

const jobs = new AsyncLocalStorage<true>()

/** Runs a job's step or a sweep: its statements have the time of that class, and those of what it calls. */
export const asJob = <T>(work: () => T): T => jobs.run(true, work)

/** Whether a job's step or a sweep runs here. */
export const isJobHere = (): boolean => jobs.getStore() === true
