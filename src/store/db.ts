/** The database: one `pg` pool with explicit limits that exact statements and Prisma share, and short transactions. */
import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../../prisma/generated/client/client.ts'
import { enterOwnSlice } from '../platform/processor-time.ts'
import { sqlStatement } from '../platform/signals.ts'
import { budgetHere, SharedPool, withoutShare } from './connection-share.ts'
import { asUnavailable, isDiskFull, isRetryable } from './db-errors.ts'
import { oneStatement } from './one-statement.ts'
import { keptOffRestores } from './restore-mark.ts'
import { RowQuery, rowsOf } from './row-query.ts'
import { type NamedStatement, orderedValues, type Statement } from './statement.ts'
import { typeParsers } from './type-parsers.ts'
import { SILENT_MS, watchedClients } from './watched-clients.ts'
import { countWrite, ROW_BYTES, storedBytes, type WriteBudget, type WritingStatement } from './write-budget.ts'

export { uniqueViolation } from './db-errors.ts'
export type { Statement } from './statement.ts'

export interface Querier {
  query<T>(statement: Statement<T>, values?: readonly unknown[]): Promise<T[]>
  query<T, P>(statement: NamedStatement<T, P>, values: NoInfer<P>): Promise<T[]>
}

/** An open transaction (READ COMMITTED). Make no network calls inside. Statements that overlap are an error. */
export interface Tx extends Querier {
  /** Runs once, after the commit; never after a rollback. */
  afterCommit(action: () => void): void
  /** Counts rows that a statement made of other rows, without values that say how many. */
  madeRows(count: number): void
  /** For libraries with their own SQL (the queue). */
  execute(text: string, values?: unknown[]): Promise<pg.QueryResult>
}

export interface Db extends Querier {
  readonly pool: pg.Pool
  /** Made when it is first asked for: it takes 9 MB and 12 ms of processor, and many who open a database never ask. */
  readonly prisma: PrismaClient
  /** Rejects if the database does not respond; false if its disk was full at the last write and still is. */
  hasRoom(): Promise<boolean>
  /** Commits when `work` resolves. Retries `work` on a deadlock or serialization failure, at most three times. */
  withTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DbOptions {
  readonly url: string
  readonly poolMax: number
  /** Timeout for a free or new connection. */
  readonly acquireTimeoutMs?: number
  /** Statement timeout. */
  readonly statementTimeoutMs?: number
  /** Whether it is the restore's own; any other is refused while one is in progress. */
  readonly isOfRestore?: boolean
  /** Called with each statement before it is sent; for tests. */
  readonly onStatement?: (text: string) => void
}

/** A longer wait for a connection means overload: 503 is better than an unbounded queue. */
const ACQUIRE_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000
/** The server ends a statement at its timeout; one that continues for this much longer has lost its connection. */
const STUCK_AFTER_MS = 5_000
const TX_ATTEMPTS = 3
/** Delay before the first retry, with jitter up to twice this; doubles for the second. */
const RETRY_WAIT_MS = 25

/** Opens the pool; connects at the first statement. */
export function openDb(options: DbOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const limits = { silentMs: SILENT_MS, stuckMs: statementTimeoutMs + STUCK_AFTER_MS }
  const pool = new SharedPool({
    Client: watchedClients(options.url, limits),
    connectionString: options.url,
    max: options.poolMax,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    application_name: 'hub',
    options: `-c TimeZone=UTC -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=60000`,
    types: typeParsers,
    ...(options.isOfRestore ? {} : keptOffRestores),
  })
  // An idle connection closed by the server reports here; the pool has already dropped it.
  pool.on('error', () => {})
  let prisma: PrismaClient | undefined
  let wasFull = false
  const run: Run = (target, statement, values) =>
    followed(statement, () => runStatement(target, statement, values, options.onStatement)).catch((error): never => {
      if (isDiskFull(error)) wasFull = true
      throw error
    })
  const work: Db['withTx'] = (inside) => withTx(pool, run, inside)
  return {
    pool,
    get prisma() {
      prisma ??= new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })
      return prisma
    },
    query: querying(pool, run, budgetHere),
    hasRoom: async () => {
      await run(pool, ping, [])
      if (wasFull) wasFull = !(await writesTemporary(work))
      return !wasFull
    },
    withTx: work,
    close: async () => {
      await prisma?.$disconnect()
      await pool.end()
    },
  }
}

const ping: Statement<never> = { name: 'ping', exact: 'server', text: 'select 1' }
const little: Statement<never> = { name: '', exact: 'server', text: `set local work_mem = '64kB'` }
/** Half a megabyte, more than its work_mem: it spills to a temporary file and leaves nothing behind. */
const spill: Statement<never> = {
  name: '',
  exact: 'server',
  text: 'select count(*) from (select n from generate_series(1, 20000) n order by md5(n::text)) sorted',
}

async function writesTemporary(withTx: Db['withTx']): Promise<boolean> {
  try {
    await withTx(async (tx) => {
      await tx.query(little)
      await tx.query(spill)
    })
    return true
  } catch (error) {
    if (isDiskFull(error)) return false
    throw error
  }
}

type Run = <T>(target: pg.Pool | pg.PoolClient, statement: AnyStatement<T>, values: readonly unknown[]) => Promise<T[]>
type AnyStatement<T> = Pick<Statement<T>, 'name' | 'text' | 'toRow' | 'writes'>

function querying(target: pg.Pool | pg.PoolClient, run: Run, budgetOf: () => WriteBudget | null): Querier['query'] {
  return <T, P>(statement: Statement<T> | NamedStatement<T, P>, values: readonly unknown[] | P = []) => {
    const given = statement.names ? orderedValues(statement, values as P) : (values as readonly unknown[])
    if (!statement.writes) return run(target, statement, given)
    return counted(budgetOf(), statement, given) ?? run(target, statement, given)
  }
}

/** Counts a statement that writes. A rejection if its sender may not add rows now. */
function counted(
  budget: WriteBudget | null,
  statement: WritingStatement,
  values: readonly unknown[],
): Promise<never> | null {
  try {
    if (budget) countWrite(budget, statement, values)
    return null
  } catch (error) {
    return Promise.reject(error)
  }
}

const followed = <T>({ name }: AnyStatement<T>, send: () => Promise<T[]>): Promise<T[]> =>
  sqlStatement.isWatched ? sqlStatement.follow({ name }, send) : send()

async function runStatement<T>(
  target: pg.Pool | pg.PoolClient,
  { name, text, toRow, writes }: AnyStatement<T>,
  values: readonly unknown[],
  onStatement?: (text: string) => void,
): Promise<T[]> {
  onStatement?.(text)
  const config = { ...(name === '' ? {} : { name }), text, values: values as unknown[], writes }
  try {
    if (!toRow) {
      const plain = await target.query(config)
      enterOwnSlice()
      return plain.rows as T[]
    }
    if (name !== '') {
      const rows = await rowsOf(target, new RowQuery({ name, text, writes, toRow }, values, typeParsers))
      enterOwnSlice()
      return rows
    }
    const { rows } = await target.query<unknown[]>({ ...config, rowMode: 'array' })
    enterOwnSlice()
    return rows.map((cells) => toRow(cells))
  } catch (error) {
    throw asUnavailable(error)
  }
}

async function withTx<T>(pool: pg.Pool, run: Run, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTx(pool, run, work)
    } catch (error) {
      if (attempt === TX_ATTEMPTS || !isRetryable(error)) throw error
      // After a deadlock, the victim must not relock its first row before the other transaction has taken it.
      await sleep(RETRY_WAIT_MS * attempt * (1 + Math.random()))
    }
  }
}

const control = (text: string): Statement<never> => ({ name: '', exact: 'server', text })

async function attemptTx<T>(pool: pg.Pool, run: Run, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asUnavailable(error)
  })
  // The pool listens to idle connections only; an unhandled error event ends the process. The active statement rejects
  // on its own.
  const onLost = () => {}
  client.on('error', onLost)
  const hooks: (() => void)[] = []
  // A connection that cannot roll back is in an unknown state and must not be reused.
  let broken = true
  try {
    const budget = budgetHere()
    // It has its connection: were it to wait for another one next to it, transactions could wait for each other.
    const result = await withoutShare(() => runTx(client, run, { hooks, budget }, work))
    broken = false
    return result
  } catch (error) {
    broken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.off('error', onLost)
    client.release(broken)
    if (!broken) runHooks(hooks)
  }
}

interface Sender {
  /** Run after the commit. */
  readonly hooks: (() => void)[]
  readonly budget: WriteBudget | null
}

async function runTx<T>(
  client: pg.PoolClient,
  run: Run,
  { hooks, budget }: Sender,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const waiting: (() => void)[] = []
  const one = oneStatement()
  await run(client, control('begin'), [])
  const result = await work({
    execute: (text, values) => {
      budget?.take(storedBytes(values) + ROW_BYTES)
      return one.run('of a library', () => client.query(text, values))
    },
    query: querying(
      client,
      (target, statement, values) => one.run(statement.name || 'without a name', () => run(target, statement, values)),
      () => budget,
    ),
    madeRows: (count) => budget?.take(count * ROW_BYTES),
    afterCommit: (action) => waiting.push(action),
  })
  one.assertIdle()
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw asUnavailable(error)
  })
  // After a failed statement PostgreSQL executes COMMIT as ROLLBACK, without an error; this happens if `work` swallowed
  // the failure.
  if (command !== 'COMMIT') throw new Error(`The transaction was not committed: the server answered ${command}.`)
  hooks.push(...waiting)
  return result
}

/** The transaction is committed: a failing hook must affect neither it nor the other hooks. */
function runHooks(hooks: readonly (() => void)[]): void {
  for (const hook of hooks) {
    try {
      hook()
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }
}
