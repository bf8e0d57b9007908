/** Transactions: their beginning, their retries, and what is sent together with something else. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { budgetHere, withoutShare } from './connection-share.ts'
import { asUnavailable, isRetryable } from './db-errors.ts'
import { oneStatement } from './one-statement.ts'
import type { Later, Tx } from './querier.ts'
import { type AnyStatement, type Part, querying, type Runs } from './querying.ts'
import type { RowQuery } from './row-query.ts'
import { type NamedStatement, orderedValues } from './statement.ts'
import { countWrite, ROW_BYTES, storedBytes, type WriteBudget } from './write-budget.ts'

const TX_ATTEMPTS = 3
/** Delay before the first retry, with jitter up to twice this; doubles for the second. */
const RETRY_WAIT_MS = 25

/** Commits when `work` resolves. Retries it on a deadlock or serialization failure. */
export async function withTx<T>(pool: pg.Pool, runs: Runs, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTx(pool, runs, work)
    } catch (error) {
      if (attempt === TX_ATTEMPTS || !isRetryable(error)) throw error
      // After a deadlock, the victim must not relock its first row before the other transaction has taken it.
      await sleep(RETRY_WAIT_MS * attempt * (1 + Math.random()))
    }
  }
}

async function attemptTx<T>(pool: pg.Pool, runs: Runs, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asUnavailable(error)
  })
  // The pool listens to idle connections only; an unhandled error event ends the process. The active statement rejects
  // on its own.
  const onLost = () => {}
  client.on('error', onLost)
  const open = new OpenTx(client, runs, budgetHere())
  // A connection that cannot roll back is in an unknown state and must not be reused.
  let broken = true
  try {
    // It has its connection: were it to wait for another one next to it, transactions could wait for each other.
    const result = await withoutShare(async () => {
      const made = await work(open.tx())
      await open.commit()
      return made
    })
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
    runHooks(open.hooks)
  }
}

const control = (text: string): Part => ({ statement: { text, name: '' }, values: [] })
const commit = control('commit')

/** A queued statement, and the receiver of its rows. */
interface Queued {
  readonly part: Part
  readonly take: (rows: readonly unknown[]) => void
}

class OpenTx {
  /** Run after the commit; none before it. */
  hooks: (() => void)[] = []
  readonly #client: pg.PoolClient
  readonly #runs: Runs
  readonly #budget: WriteBudget | null
  readonly #one = oneStatement()
  readonly #waiting: (() => void)[] = []
  #queue: Queued[] = []
  /** `begin` goes with the first statement. */
  #isBegun = false
  #isCommitted = false
  /** Nothing more is sent after statements that were sent together and failed: some of them were not executed. */
  #hasFailed = false

  constructor(client: pg.PoolClient, runs: Runs, budget: WriteBudget | null) {
    this.#client = client
    this.#runs = runs
    this.#budget = budget
  }

  tx(): Tx {
    const budgetOf = () => this.#budget
    return {
      execute: (text, values) => {
        this.#budget?.take(storedBytes(values) + ROW_BYTES)
        return this.#one.run('of a library', async () => {
          await this.#flush([])
          return this.#client.query(text, values)
        })
      },
      query: querying(this.#client, (_, statement, values) => this.#query({ statement, values }), budgetOf),
      later: (statement, values) => this.#later(statement, values),
      last: {
        query: querying(this.#client, (_, statement, values) => this.#commitWith({ statement, values }), budgetOf),
      },
      madeRows: (count) => this.#budget?.take(count * ROW_BYTES),
      afterCommit: (action) => this.#waiting.push(action),
    }
  }

  /** Sends the commit, unless it was sent, or nothing was. */
  async commit(): Promise<void> {
    this.#one.assertIdle()
    if (this.#isCommitted) return
    if (!this.#isBegun && this.#queue.length === 0) this.#committed()
    else if (this.#isAlone()) await this.#commitAlone()
    else await this.#one.run('the commit', async () => this.#assertCommitted(await this.#flush([commit])))
  }

  async #commitAlone(): Promise<void> {
    const { command } = await this.#client.query('commit').catch((error: unknown) => {
      throw asUnavailable(error)
    })
    this.#assertCommitted([{ command }])
  }

  #query<T>(part: Part): Promise<T[]> {
    const name = part.statement.name || 'without a name'
    return this.#one.run(name, async () => {
      // One without a name may be several, which can only be sent alone.
      if (part.statement.name === '') await this.#flush([])
      if (this.#isAlone()) return this.#runs.run(this.#client, part.statement as AnyStatement<T>, part.values)
      const [answered] = await this.#flush([part])
      return (answered?.rows ?? []) as T[]
    })
  }

  #commitWith<T>(part: Part): Promise<T[]> {
    return this.#one.run(part.statement.name || 'without a name', async () => {
      const answered = await this.#flush([part, commit])
      this.#assertCommitted(answered)
      return (answered[0]?.rows ?? []) as T[]
    })
  }

  #later<T, P>(statement: NamedStatement<T, P>, given: P): Later<T> {
    this.#one.assertIdle()
    this.#assertOpen()
    const values = orderedValues(statement, given)
    if (statement.writes && this.#budget) countWrite(this.#budget, statement, values)
    let rows: readonly T[] | null = null
    const take = (made: readonly unknown[]) => {
      rows = made as readonly T[]
    }
    this.#queue.push({ part: { statement, values }, take })
    return {
      get rows() {
        if (rows === null) throw new Error(`The statement ${statement.name} was not sent yet: await one after it.`)
        return rows
      },
    }
  }

  /** Whether the next statement is sent by itself. */
  #isAlone(): boolean {
    this.#assertOpen()
    return this.#isBegun && this.#queue.length === 0
  }

  #assertOpen(): void {
    if (this.#isCommitted) throw new Error('The transaction is committed: it takes no more statements.')
    if (this.#hasFailed) throw new Error('A statement of the transaction failed: it takes no more.')
  }

  /** Sends what waits and then these, in one round trip; returns these. */
  async #flush(parts: readonly Part[]): Promise<readonly RowQuery<unknown>[]> {
    this.#assertOpen()
    const queue = this.#queue
    const before = this.#isBegun ? [] : this.#runs.begin()
    const all = [...before, ...queue.map(({ part }) => part), ...parts]
    if (all.length === 0) return []
    this.#queue = []
    this.#isBegun = true
    const answered = await this.#runs.runTogether(this.#client, all).catch((error: unknown): never => {
      this.#hasFailed = true
      throw error
    })
    for (const [place, { take }] of queue.entries()) take(answered[before.length + place]?.rows ?? [])
    return answered.slice(all.length - parts.length)
  }

  /** After a failed statement PostgreSQL executes COMMIT as ROLLBACK, without an error: `work` may have swallowed it. */
  #assertCommitted(answered: readonly Pick<RowQuery<unknown>, 'command'>[]): void {
    const command = answered.at(-1)?.command
    if (command !== 'COMMIT') throw new Error(`The transaction was not committed: the server answered ${command}.`)
    this.#committed()
  }

  #committed(): void {
    this.#isCommitted = true
    this.hooks = this.#waiting
  }
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
