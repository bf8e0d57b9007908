import { once } from 'node:events'
import { createServer } from 'node:net'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HubError } from '../../src/platform/errors.ts'
import { type Db, openDb, type Statement, type Tx } from '../../src/store/db.ts'
import { parseTimestamp } from '../../src/store/type-parsers.ts'
import { testDb } from '../support/database.ts'
import { shownNumbers } from '../support/shown-numbers.ts'

const t = testDb()

const unnamed = <T>(text: string): Statement<T> => ({ name: '', text })
const sql = <T>(text: string, values: unknown[] = []) => t.db.query<T>(unnamed<T>(text), values)
const backendOf = async (tx: Tx) => {
  const [row] = await tx.query(unnamed<{ pid: number }>('select pg_backend_pid() as pid'))
  return row?.pid ?? 0
}
const values = async () => (await sql<{ v: number }>('select v from test_notes order by v')).map(({ v }) => v)

/** The error that `work` rejects with. */
async function refusalOf(work: Promise<unknown>): Promise<HubError> {
  const error = await work.then(
    () => new Error('It was not refused.'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HubError)) throw error
  return error
}

/** A database of its own settings that is closed when `work` is done. */
async function withDb<T>(options: Partial<Parameters<typeof openDb>[0]>, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url: t.url, poolMax: 1, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

beforeAll(async () => {
  await sql('create table test_notes (v int primary key)')
  await sql('create table test_flags (id int primary key, up bool not null)')
})
afterAll(() => sql('drop table test_notes, test_flags'))

test('a transaction commits when its work resolves and rolls back when it rejects', async () => {
  await t.db.withTx((tx) => tx.query(unnamed('insert into test_notes values (1)')))
  const failed = t.db.withTx(async (tx) => {
    await tx.query(unnamed('insert into test_notes values (2)'))
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  expect(await values()).toEqual([1])
})

test('statements that overlap in a transaction are refused, by name, and nothing is committed', async () => {
  const overlapping = t.db.withTx(async (tx) => {
    await Promise.all([
      tx.query({ name: 'first-note', text: 'insert into test_notes values (30)' }),
      tx.query({ name: 'second-note', text: 'insert into test_notes values (31)' }),
    ])
  })
  await expect(overlapping).rejects.toThrow('second-note came before the statement first-note had ended')
  const library = t.db.withTx((tx) => Promise.all([tx.execute('select 1'), tx.query(unnamed('select 2'))]))
  await expect(library).rejects.toThrow('of a library')
  expect(await values()).toEqual([1])
})

test('a transaction whose work did not wait for its last statement is not committed', async () => {
  const forgotten = t.db.withTx(async (tx) => {
    await tx.query(unnamed('insert into test_notes values (32)'))
    void tx.query({ name: 'forgotten-note', text: 'insert into test_notes values (33)' })
  })
  await expect(forgotten).rejects.toThrow('the statement forgotten-note had ended')
  expect(await values()).toEqual([1])
})

test('after a statement that failed, the transaction takes another', async () => {
  const failed = t.db.withTx(async (tx) => {
    await tx.query(unnamed('insert into test_notes values (1)')).catch(() => undefined)
    await tx.query(unnamed('select 1'))
  })
  await expect(failed).rejects.toThrow('current transaction is aborted')
})

test('hooks for the commit run after it, in order, and never after a rollback', async () => {
  const ran: string[] = []
  await t.db.withTx(async (tx) => {
    tx.afterCommit(() => ran.push('first'))
    tx.afterCommit(() => ran.push('second'))
    await tx.query(unnamed('select 1'))
    expect(ran).toEqual([])
  })
  expect(ran).toEqual(['first', 'second'])
  await t.db
    .withTx(async (tx) => {
      tx.afterCommit(() => ran.push('never'))
      throw new Error('no')
    })
    .catch(() => undefined)
  expect(ran).toEqual(['first', 'second'])
})

test('a hook that throws neither fails the committed transaction nor keeps the other hooks from running', async () => {
  const warned = once(process, 'warning')
  const ran: string[] = []
  const result = await t.db.withTx(async (tx) => {
    tx.afterCommit(() => {
      throw new Error('a hook failed')
    })
    tx.afterCommit(() => ran.push('the other'))
    return 'committed'
  })
  expect(result).toBe('committed')
  expect(ran).toEqual(['the other'])
  expect(String(await warned)).toContain('a hook failed')
})

test('a transaction whose work swallows a failed statement is not reported as committed', async () => {
  const ran: string[] = []
  const swallowed = t.db.withTx(async (tx) => {
    tx.afterCommit(() => ran.push('never'))
    await tx.query(unnamed('insert into test_notes values (3)'))
    await tx.query(unnamed('select 1/0')).catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('ROLLBACK')
  expect(ran).toEqual([])
  expect(await values()).toEqual([1])
})

test('after a deadlock one of the two transactions is retried, and both commit once', async () => {
  await sql('insert into test_flags values (1, false), (2, false)')
  let attempts = 0
  const hooks: number[] = []
  const bothHold = Promise.withResolvers<void>()
  let holding = 0
  const cross = (first: number, second: number) =>
    t.db.withTx(async (tx) => {
      attempts += 1
      tx.afterCommit(() => hooks.push(first))
      await tx.query(unnamed('update test_flags set up = true where id = $1'), [first])
      holding += 1
      if (holding === 2) bothHold.resolve()
      await bothHold.promise
      await tx.query(unnamed('update test_flags set up = true where id = $1'), [second])
    })
  await Promise.all([cross(1, 2), cross(2, 1)])
  expect(attempts).toBe(3)
  expect(hooks.sort()).toEqual([1, 2])
})

test('a serialization failure is tried three times in total, then thrown', async () => {
  let attempts = 0
  const failing = t.db.withTx(async (tx) => {
    attempts += 1
    await tx.query(unnamed(`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`))
  })
  await expect(failing).rejects.toThrow('conflict')
  expect(attempts).toBe(3)
})

test('a connection that is not available in time is 503 with Retry-After, and the pool keeps working', async () => {
  await withDb({ acquireTimeoutMs: 500 }, async (db) => {
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // A busy machine may take longer than that to open the connection.
    await expect.poll(() => db.query(unnamed('select 1 as one')).catch(() => null)).toEqual([{ one: 1 }])
    const holder = db.withTx(() => {
      held.resolve()
      return release.promise
    })
    await held.promise
    const refusal = await refusalOf(db.query(unnamed('select 1')))
    expect([refusal.type, shownNumbers(refusal)]).toEqual([
      'unavailable',
      { headers: { 'Retry-After': '2' }, members: { retry_after_s: 2 } },
    ])
    expect((await refusalOf(db.withTx(async () => 1))).type).toBe('unavailable')
    release.resolve()
    await holder
    expect(await db.query(unnamed('select 1 as one'))).toEqual([{ one: 1 }])
  })
})

test('a connection lost inside a transaction is 503, affects nothing else, and is not used again', async () => {
  await withDb({}, async (db) => {
    let lost = 0
    const refusal = await refusalOf(
      db.withTx(async (tx) => {
        lost = await backendOf(tx)
        await sql('select pg_terminate_backend($1)', [lost])
        await tx.query(unnamed('insert into test_notes values (4)'))
      }),
    )
    expect(refusal.type).toBe('unavailable')
    expect(await db.withTx(backendOf)).not.toBe(lost)
  })
  expect(await values()).toEqual([1])
})

test('a connection lost between two statements of a transaction does not end the process', async () => {
  await withDb({}, async (db) => {
    let client: PoolClient | undefined
    db.pool.once('acquire', (acquired) => {
      client = acquired
    })
    const refusal = await refusalOf(
      db.withTx(async (tx) => {
        const closed = new Promise<void>((resolve) => client?.once('end', resolve))
        await sql('select pg_terminate_backend($1)', [await backendOf(tx)])
        await closed
        await tx.query(unnamed('select 1'))
      }),
    )
    expect(refusal.type).toBe('unavailable')
  })
})

test('a lost idle connection affects no request', async () => {
  await withDb({}, async (db) => {
    const lost = await db.withTx(backendOf)
    await sql('select pg_terminate_backend($1)', [lost])
    await expect.poll(() => db.pool.totalCount).toBe(0)
    expect(await db.query(unnamed('select 1 as one'))).toEqual([{ one: 1 }])
  })
})

test('a missing server is 503, for statements and for Prisma', async () => {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await new Promise((resolve) => listener.close(resolve))
  await withDb({ url: `postgresql://hub@127.0.0.1:${port}/hub` }, async (db) => {
    expect((await refusalOf(db.query(unnamed('select 1')))).type).toBe('unavailable')
    expect((await refusalOf(db.withTx(async () => 1))).type).toBe('unavailable')
  })
})

test('a statement that exceeds its timeout is 503', async () => {
  await withDb({ statementTimeoutMs: 50 }, async (db) => {
    const refusal = await refusalOf(db.query(unnamed('select pg_sleep(5)')))
    expect(refusal.type).toBe('unavailable')
    expect(refusal.message).not.toContain('pg_sleep')
  })
})

test('a statement after the close is 503: the hub is stopping', async () => {
  const db = openDb({ url: t.url, poolMax: 1 })
  await db.close()
  expect((await refusalOf(db.query(unnamed('select 1')))).type).toBe('unavailable')
})

test('a named statement is prepared once per connection, an unnamed one never', async () => {
  await withDb({}, async (db) => {
    const named: Statement<{ n: number }> = { name: 'double', text: 'select $1::int * 2 as n' }
    expect(await db.query(named, [1])).toEqual([{ n: 2 }])
    expect(await db.query(named, [2])).toEqual([{ n: 4 }])
    await db.query(unnamed('select $1::int'), [1])
    const prepared = await db.query(
      unnamed<{ name: string; runs: number }>(
        `select name, generic_plans + custom_plans as runs from pg_prepared_statements where name <> ''`,
      ),
    )
    expect(prepared).toEqual([{ name: 'double', runs: 2 }])
  })
})

test('every statement is observed before it is sent', async () => {
  const seen: string[] = []
  await withDb({ onStatement: (text) => seen.push(text) }, async (db) => {
    await db.withTx((tx) => tx.query(unnamed('select 1')))
  })
  expect(seen).toEqual(['begin', 'select 1'])
})

test('int8 is a number, timestamptz RFC 3339 with milliseconds, numeric its text, json parsed', async () => {
  const [row] = await sql(`select 9007199254740991::int8 as count, timestamptz '2026-01-31 10:30:00.12+01' as at,
    timestamptz '2026-01-31 09:30:00.123456Z' as fine, timestamptz '2026-01-31 09:30:00Z' as whole,
    1.50::numeric(12, 4) as quota, '{"a": [1]}'::jsonb as doc, null::int8 as absent, '{a,b}'::text[] as tags`)
  expect(row).toEqual({
    count: 9_007_199_254_740_991,
    at: '2026-01-31T09:30:00.120Z',
    fine: '2026-01-31T09:30:00.123Z',
    whole: '2026-01-31T09:30:00.000Z',
    quota: '1.5000',
    doc: { a: [1] },
    absent: null,
    tags: ['a', 'b'],
  })
})

test('an int8 that a number cannot hold is an error, never rounded', async () => {
  await expect(sql('select 9007199254740993::int8 as count')).rejects.toThrow('9007199254740993')
})

test('a time is read the same whatever the zone it was written in', () => {
  expect(parseTimestamp('2026-01-31 12:30:00.5+03')).toBe('2026-01-31T09:30:00.500Z')
  expect(parseTimestamp('2026-01-31 09:30:00+00')).toBe('2026-01-31T09:30:00.000Z')
})
