/** interface draft */
import type pg from 'pg'
import type { PrismaClient } from '../../prisma/generated/client/client.ts'

/** One SQL statement with a stable name, prepared once a connection. `T` is the row as `pg` returns it after the hub's type parsers. */
export interface Statement<T> {
  readonly name: string
  readonly text: string
  readonly row?: T
}

export interface Querier {
  query<T>(statement: Statement<T>, values?: readonly unknown[]): Promise<T[]>
}

/** A transaction under way (READ COMMITTED). No network call belongs inside. */
export interface Tx extends Querier {
  /** Runs once, after the commit; never after a rollback. */
  afterCommit(action: () => void): void
  /** For libraries that bring their own SQL (the queue). */
  readonly client: pg.PoolClient
}

export interface Db extends Querier {
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
  withTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}
