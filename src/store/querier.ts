/** What sends statements: the pool, or one of its transactions. */
import type pg from 'pg'
import type { NamedStatement, Statement } from './statement.ts'

export interface Querier {
  query<T>(statement: Statement<T>, values?: readonly unknown[]): Promise<T[]>
  query<T, P>(statement: NamedStatement<T, P>, values: NoInfer<P>): Promise<T[]>
}

/** The rows of a statement that was sent with a later one. */
export interface Later<T> {
  /** Throws until a statement after it was awaited. */
  readonly rows: readonly T[]
}

/** An open transaction (READ COMMITTED). Make no network calls inside. Statements that overlap are an error. */
export interface Tx extends Querier {
  /**
   * A statement that is sent with the next one, or with the commit, in one round trip: it is executed in its place, and
   * if it fails, nothing after it is, and what is awaited next rejects.
   */
  later<T, P>(statement: NamedStatement<T, P>, values: NoInfer<P>): Later<T>
  /** Sends its one statement with the commit, as the last of the transaction: its rows are those that are committed. */
  readonly last: Querier
  /** Runs once, after the commit; never after a rollback. */
  afterCommit(action: () => void): void
  /** Counts rows that a statement made of other rows, without values that say how many. */
  madeRows(count: number): void
  /** For libraries with their own SQL (the queue). */
  execute(text: string, values?: unknown[]): Promise<pg.QueryResult>
}
