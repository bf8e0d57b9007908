import { access } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { HubError } from '../../src/platform/errors.ts'
import { openDb, uniqueViolation } from '../../src/store/db.ts'
import { asUnavailable, isRetryable } from '../../src/store/db-errors.ts'
import { testDb } from '../support/database.ts'

const t = testDb()

const thrownBy = async (work: PromiseLike<unknown>) => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}
const failure = (text: string) => thrownBy(t.db.query({ name: '', text }))

beforeAll(async () => {
  await t.db.query({ name: '', text: `insert into accounts (id, kind, handle) values ('user_1', 'user', 'ada')` })
})

test('a unique violation names its constraint, also when it is wrapped', async () => {
  const error = await failure(`insert into accounts (id, kind, handle) values ('user_2', 'org', 'ada')`)
  expect(uniqueViolation(error)).toBe('accounts_handle_key')
  expect(uniqueViolation(new Error('outer', { cause: error }))).toBe('accounts_handle_key')
  expect(asUnavailable(error)).toBe(error)
})

test('another kind of error is not a unique violation', async () => {
  const orphan = await failure(
    `insert into repos (id, owner_id, slug, kind) values ('repo_1', 'user_none', 'x', 'robot')`,
  )
  expect(uniqueViolation(orphan)).toBeNull()
  expect(asUnavailable(orphan)).toBe(orphan)
})

test('only a deadlock and a serialization failure may be retried', async () => {
  const withCode = (code: string) => failure(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`)
  expect(isRetryable(await withCode('40001'))).toBe(true)
  expect(isRetryable(await withCode('40P01'))).toBe(true)
  expect(isRetryable(await withCode('23505'))).toBe(false)
})

test.each(['57014', '57P01', '57P03', '53100', '53300', '08006', '25P03'])('SQLSTATE %s is 503', async (code) => {
  const error = await failure(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`)
  expect(error).toBeInstanceOf(HubError)
  expect(error).toMatchObject({ type: 'unavailable', status: 503 })
})

test('an error of the statement itself is passed on unchanged', async () => {
  const error = await failure('select nothing from nowhere')
  expect(error).not.toBeInstanceOf(HubError)
  expect(asUnavailable(error)).toBe(error)
})

test('a missing file is not reported as a missing database', async () => {
  const error = await thrownBy(access('/nowhere/at/all'))
  expect(asUnavailable(error)).toBe(error)
})

test('a missing socket file is reported as a missing database', async () => {
  const db = openDb({ url: 'postgresql://hub@localhost/hub?host=/nowhere', poolMax: 1 })
  expect(await thrownBy(db.query({ name: '', text: 'select 1' }))).toMatchObject({ type: 'unavailable' })
  await db.close()
})

test("Prisma's error without a database, or without a free connection, becomes 503", async () => {
  const away = openDb({ url: 'postgresql://hub@127.0.0.1:1/hub', poolMax: 1 })
  expect(asUnavailable(await thrownBy(away.prisma.account.count()))).toMatchObject({ type: 'unavailable' })
  await away.close()
  const busy = openDb({ url: t.url, poolMax: 1, acquireTimeoutMs: 500 })
  // A busy machine may take longer than that to open the connection.
  await expect.poll(() => busy.query({ name: '', text: 'select 1 as one' }).catch(() => null)).toEqual([{ one: 1 }])
  const held = await busy.pool.connect()
  expect(asUnavailable(await thrownBy(busy.prisma.account.count()))).toMatchObject({ type: 'unavailable' })
  held.release()
  await busy.close()
})

test('a Prisma read that times out or loses its connection becomes 503', async () => {
  const db = openDb({ url: t.url, poolMax: 1, statementTimeoutMs: 50 })
  expect(asUnavailable(await thrownBy(db.prisma.$queryRaw`select pg_sleep(5)::text`))).toMatchObject({
    type: 'unavailable',
  })
  expect(
    asUnavailable(await thrownBy(db.prisma.$queryRaw`select pg_terminate_backend(pg_backend_pid())`)),
  ).toMatchObject({ type: 'unavailable' })
  await db.close()
})

test('a unique violation through Prisma does not become 503', async () => {
  const error = await thrownBy(t.db.prisma.account.create({ data: { id: 'user_3', kind: 'user', handle: 'ada' } }))
  expect(uniqueViolation(error)).not.toBeNull()
  expect(asUnavailable(error)).toBe(error)
})
