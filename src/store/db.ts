/** The database: one `pg` pool with explicit limits that exact statements and Prisma share, and short transactions. */
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../../prisma/generated/client/client.ts'
import { enterOwnSlice } from '../platform/processor-time.ts'
import { sqlStatement } from '../platform/signals.ts'
import { budgetHere, SharedPool } from './connection-share.ts'
import { asUnavailable, isDiskFull } from './db-errors.ts'
import type { Querier, Tx } from './querier.ts'
import { type AnyStatement, type Part, querying, type Run, type RunTogether } from './querying.ts'
import { keptOffRestores } from './restore-mark.ts'
import { RowQuery, rowsOf, sendBatch } from './row-query.ts'
import type { Statement } from './statement.ts'
import { isJobHere, STUCK_AFTER_MS, type StatementTimes, sameTimes, statementTimes } from './statement-time.ts'
import { withTx } from './transaction.ts'
import { typeParsers } from './type-parsers.ts'
import { SILENT_MS, watchedClients } from './watched-clients.ts'

export { uniqueViolation } from './db-errors.ts'
export type { Later, Querier, Tx } from './querier.ts'
export type { Statement } from './statement.ts'

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
  /** How long a statement may take: of each class, or of all. */
  readonly statementTimeoutMs?: number | StatementTimes
  /** Whether it is the restore's own; any other is refused while one is in progress. */
  readonly isOfRestore?: boolean
  /** Called with each statement before it is sent, but for the commit and the time of a transaction; for tests. */
  readonly onStatement?: (text: string) => void
}

/** A longer wait for a connection means overload: 503 is better than an unbounded queue. */
const ACQUIRE_TIMEOUT_MS = 5_000

const SET_TIME = 'set local statement_timeout = '

/** Opens the pool; connects at the first statement. */
export function openDb(options: DbOptions): Db {
  const { statementTimeoutMs: given = statementTimes } = options
  const times = typeof given === 'number' ? sameTimes(given) : given
  const limits = { silentMs: SILENT_MS, stuckMs: Math.max(times.read, times.write) + STUCK_AFTER_MS }
  const pool = new SharedPool(times, {
    Client: watchedClients(options.url, limits),
    connectionString: options.url,
    max: options.poolMax,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    application_name: 'hub',
    options: `-c TimeZone=UTC -c statement_timeout=${times.read} -c idle_in_transaction_session_timeout=60000`,
    types: typeParsers,
    ...(options.isOfRestore ? {} : keptOffRestores),
  })
  // An idle connection closed by the server reports here; the pool has already dropped it.
  pool.on('error', () => {})
  let prisma: PrismaClient | undefined
  let wasFull = false
  const noteFull = (error: unknown): never => {
    if (isDiskFull(error)) wasFull = true
    throw error
  }
  const run: Run = (target, statement, values) =>
    followed(statement, () => runStatement(target, statement, values, options.onStatement)).catch(noteFull)
  const runTogether: RunTogether = (client, parts) =>
    followed(
      {
        name: shown(parts)
          .map(({ name, text }) => name || text)
          .join(' + '),
      },
      () => runBatch(client, parts, options.onStatement),
    ).catch(noteFull)
  const begin = beginnings(times)
  const work: Db['withTx'] = (inside) => withTx(pool, { run, runTogether, begin }, inside)
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

/** What begins a transaction: with the time of its statements, where the connection has another one. */
function beginnings(times: StatementTimes): () => readonly Part[] {
  const plain = [control('begin')]
  if (times.write === times.read) return () => plain
  const timed = [...plain, control(`${SET_TIME}${times.write}`)]
  return () => (isJobHere() ? plain : timed)
}

const control = (text: string): Part => ({ statement: { text, name: '' }, values: [] })

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

async function runBatch(
  client: pg.PoolClient,
  parts: readonly Part[],
  onStatement?: (text: string) => void,
): Promise<readonly RowQuery<unknown>[]> {
  for (const { text } of shown(parts)) if (text !== 'commit') onStatement?.(text)
  const queries = parts.map(({ statement, values }) => new RowQuery(statement, values, typeParsers))
  try {
    await sendBatch(client, queries)
    enterOwnSlice()
    return queries
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Without what every transaction of a request has. */
const shown = (parts: readonly Part[]) =>
  parts.map(({ statement }) => statement).filter(({ text }) => !text.startsWith(SET_TIME))

const followed = <Result>({ name }: { readonly name: string }, send: () => Promise<Result>): Promise<Result> =>
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
