/** What a transaction sends together, and what is left of it if something of that fails. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Statement } from '../../src/store/db.ts'
import { param, statement } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { queriesSentBy } from '../support/sent-queries.ts'

const t = testDb({ poolMax: 1 })
const unnamed = <T>(text: string): Statement<T> => ({ name: '', text })
const add = statement({
  name: 'test-add',
  params: { v: param.int4() },
  text: 'insert into test_kept values (:v)',
})
const divide = statement({
  name: 'test-divide',
  params: { v: param.int4() },
  text: 'update test_kept set v = v / :v',
})
const all: Statement<{ v: number }> = { name: 'test-all', text: 'select v from test_kept order by v' }
const stored = async () => (await t.db.query(all)).map(({ v }) => v)

beforeAll(() => t.db.query(unnamed('create table test_kept (v int primary key)')))
beforeEach(() => t.db.query(unnamed('truncate test_kept')))
afterAll(() => t.db.query(unnamed('drop table test_kept')))

/** How often something was sent and waited for. */
const roundTrips = async (work: () => Promise<unknown>) => (await queriesSentBy(work)).length

test('the begin goes with the first statement, later ones with the next, the last with the commit', async () => {
  let rows: unknown
  const trips = await roundTrips(async () => {
    rows = await t.db.withTx(async (tx) => {
      await tx.query(add, { v: 1 })
      tx.later(add, { v: 2 })
      const three = tx.later(add, { v: 3 })
      expect(() => three.rows).toThrow('test-add was not sent yet')
      expect(await tx.query(all)).toEqual([{ v: 1 }, { v: 2 }, { v: 3 }])
      expect(three.rows).toEqual([])
      tx.later(add, { v: 4 })
      return tx.last.query(all)
    })
  })
  expect(rows).toEqual([{ v: 1 }, { v: 2 }, { v: 3 }, { v: 4 }])
  expect(trips).toBe(3)
  expect(await stored()).toEqual([1, 2, 3, 4])
})

test('later statements without another one go with the commit', async () => {
  const hooks: string[] = []
  const trips = await roundTrips(() =>
    t.db.withTx(async (tx) => {
      tx.afterCommit(() => hooks.push('committed'))
      tx.later(add, { v: 1 })
      tx.later(add, { v: 2 })
    }),
  )
  expect([trips, hooks, await stored()]).toEqual([1, ['committed'], [1, 2]])
})

test.each(['last', 'later'] as const)('a failure before the commit commits nothing: %s', async (how) => {
  const hooks: string[] = []
  const failing = t.db.withTx(async (tx) => {
    tx.afterCommit(() => hooks.push('never'))
    tx.later(add, { v: 1 })
    tx.later(divide, { v: 0 })
    tx.later(add, { v: 2 })
    if (how === 'last') await tx.last.query(all)
  })
  await expect(failing).rejects.toMatchObject({ code: '22012', statementName: 'test-divide' })
  expect([hooks, await stored()]).toEqual([[], []])
  // What was prepared before the failure, what failed and what was never prepared are known to the connection.
  await t.db.withTx(async (tx) => {
    for (const v of [1, 2]) tx.later(add, { v })
    tx.later(divide, { v: 1 })
    await tx.query(all)
  })
  expect(await stored()).toEqual([1, 2])
})

test('a transaction whose work swallows the failure of what was sent together is not committed', async () => {
  const swallowed = t.db.withTx(async (tx) => {
    tx.later(add, { v: 1 })
    tx.later(divide, { v: 0 })
    await tx.query(all).catch(() => undefined)
    await expect(tx.query(all)).rejects.toThrow('it takes no more')
  })
  await expect(swallowed).rejects.toThrow('it takes no more')
  expect(await stored()).toEqual([])
})

test('a value that the driver cannot send commits nothing either', async () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  const swallowed = t.db.withTx(async (tx) => {
    tx.later(add, { v: 1 })
    await tx.query({ name: 'test-odd', text: 'select $1::text' }, [circular]).catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('it takes no more')
  expect(await stored()).toEqual([])
})

test('after the commit nothing more is sent, and an error of the work undoes nothing', async () => {
  const hooks: string[] = []
  const late = t.db.withTx(async (tx) => {
    tx.afterCommit(() => hooks.push('committed'))
    tx.later(add, { v: 1 })
    await tx.last.query(all)
    await tx.query(add, { v: 2 })
  })
  await expect(late).rejects.toThrow('The transaction is committed')
  expect([hooks, await stored()]).toEqual([['committed'], [1]])
})
