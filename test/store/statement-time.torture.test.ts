/** Each class of work has its own time for a statement, told by the database itself. */
import { expect, test } from 'vitest'
import { HubError } from '../../src/platform/errors.ts'
import { type Db, openDb, type Statement } from '../../src/store/db.ts'
import { asJob, type StatementTimes } from '../../src/store/statement-time.ts'
import { startSweeping } from '../../src/work/sweep-timer.ts'
import { testDb } from '../support/database.ts'
import { makeWorld } from '../support/world.ts'

const t = testDb()
const LONG = 240_000
const SHORT = 300
const current: Statement<{ ms: number }> = {
  name: 'test-time',
  text: `select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int as ms`,
}
const sleep = (seconds: number): Statement<unknown> => ({ name: '', text: `select pg_sleep(${seconds})` })

/** One connection, so that each use follows another one of it. */
async function withTimes(times: StatementTimes, work: (db: Db) => Promise<void>): Promise<void> {
  const db = openDb({ url: t.url, poolMax: 1, statementTimeoutMs: times })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

const timeOf = async (query: Db['query']) => (await query(current))[0]?.ms
const inTx = (db: Db) => db.withTx((tx) => timeOf(tx.query))

async function refusal(work: Promise<unknown>): Promise<HubError> {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof HubError)) throw new Error('It was not refused.', { cause: error })
  return error
}

const sends: Readonly<Record<keyof StatementTimes, (db: Db, statement: Statement<unknown>) => Promise<unknown>>> = {
  read: (db, statement) => db.query(statement),
  write: (db, statement) => db.withTx((tx) => tx.query(statement)),
  job: (db, statement) => asJob(() => db.query(statement)),
}

test.each(['read', 'write', 'job'] as const)('a statement that takes too long is ended: %s', async (kind) => {
  await withTimes({ read: LONG, write: LONG + 1, job: LONG, [kind]: SHORT }, async (db) => {
    const refused = await refusal(sends[kind](db, sleep(200)))
    expect([refused.type, refused.facts.retryAfterS]).toEqual(['unavailable', 10])
    expect(refused.message).toContain('took too long')
    for (const other of ['read', 'write', 'job'] as const)
      if (other !== kind) await sends[other](db, sleep((2 * SHORT) / 1000))
  })
})

test('one connection has the time of what it is lent for, and a transaction of a job that of the job', async () => {
  await withTimes({ read: LONG, write: LONG + 1000, job: LONG + 2000 }, async (db) => {
    expect(await timeOf(db.query)).toBe(LONG)
    expect(await inTx(db)).toBe(LONG + 1000)
    expect(await timeOf(db.query)).toBe(LONG)
    expect(await asJob(() => timeOf(db.query))).toBe(LONG + 2000)
    expect(await asJob(() => inTx(db))).toBe(LONG + 2000)
    expect(await timeOf(db.query)).toBe(LONG)
    await refusal(db.withTx((tx) => tx.query({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' })))
    expect(await timeOf(db.query)).toBe(LONG)
  })
})

test("a library's read, which has its connection from the pool, has the time of its class too", async () => {
  await withTimes({ read: LONG, write: LONG, job: LONG + 2000 }, async (db) => {
    const read = () => db.prisma.$queryRaw<{ ms: string }[]>`select current_setting('statement_timeout') as ms`
    expect(await read()).toEqual([{ ms: '4min' }])
    expect(await asJob(async () => read())).toEqual([{ ms: '242s' }])
  })
})

test('a connection that is lost while it is given its time is not lent, and the next one is', async () => {
  await withTimes({ read: LONG, write: LONG, job: LONG + 2000 }, async (db) => {
    const client = await db.pool.connect()
    const [{ pid }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }]
    client.release()
    const killed = t.db.query({ name: '', text: `select pg_terminate_backend(${pid})` })
    await Promise.allSettled([asJob(() => timeOf(db.query)), killed])
    // Until the pool has heard of it, it lends what is dead.
    const later = () => asJob(() => timeOf(db.query)).catch(() => null)
    await expect.poll(later).toBe(LONG + 2000)
  })
})

test('a sweep is a job', async () => {
  const world = await makeWorld({ db: t.db })
  const seen = Promise.withResolvers<number | undefined>()
  await withTimes({ read: LONG, write: LONG + 1000, job: LONG + 2000 }, async (db) => {
    const sweeps = startSweeping(world.deps.log, 0.001, {
      one: async () => {
        seen.resolve(await timeOf(db.query))
        return 0
      },
    })
    expect(await seen.promise).toBe(LONG + 2000)
    await sweeps.close()
  })
  await world.close()
})
