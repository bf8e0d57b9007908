/** How named statements with rows are sent. */
import type pg from 'pg'
import { expect, it, vi } from 'vitest'
import { column, columns } from '../../src/store/columns.ts'
import { param, statement } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'

const t = testDb({ poolMax: 1 })

const found = columns({
  count: column.int8('given.n'),
  at: column.timestamptz(`timestamptz '2026-01-31 09:30:00+00'`),
  nothing: column.text.orNull('null::text'),
})
const counted = statement({
  name: 'row-query-test',
  columns: found,
  params: { numbers: param.int8s() },
  text: `select ${found.sql} from unnest(:numbers::int8[]) given(n)`,
})
const rowOf = (count: number) => ({ count, at: '2026-01-31T09:30:00.000Z', nothing: null })

it('asks for the columns of a statement once on a connection', async () => {
  const client = await t.db.pool.connect()
  const describe = vi.spyOn((client as pg.Client).connection, 'describe')
  client.release()
  for (const numbers of [[], [1, 2], [3]])
    expect(await t.db.query(counted, { numbers })).toEqual(numbers.map((count) => rowOf(count)))
  expect(describe).toHaveBeenCalledTimes(1)
  await t.db.withTx(async (tx) => expect(await tx.query(counted, { numbers: [4] })).toEqual([rowOf(4)]))
  expect(describe).toHaveBeenCalledTimes(1)
})

it('fails for a value that has no form in SQL or in the hub, and the connection is used again', async () => {
  const circular: unknown[] = []
  circular.push({ circular })
  await expect(t.db.query(counted, { numbers: circular as number[] })).rejects.toThrow(/circular/)
  await expect(t.db.query(counted, { numbers: [2 ** 60] })).rejects.toThrow(/not a safe integer/)
  await expect(t.db.query(counted, { numbers: ['x'] as never })).rejects.toThrow(/invalid input syntax/)
  expect(await t.db.query(counted, { numbers: [5] })).toEqual([rowOf(5)])
  expect(t.db.pool.totalCount).toBe(1)
})

it('refuses a name that another statement has', async () => {
  await t.db.query(counted, { numbers: [] })
  const other = statement({
    ...{ name: 'row-query-test', columns: found, params: {} },
    text: `select ${found.sql} from (select 1::int8 as n) given`,
  })
  await expect(t.db.query(other, {})).rejects.toThrow(/must be unique/)
  expect(await t.db.query(counted, { numbers: [6] })).toEqual([rowOf(6)])
})

it('sends a statement as one piece, and a long one without a copy', async () => {
  const client = await t.db.pool.connect()
  const { stream } = (client as pg.Client).connection
  client.release()
  const written = vi.spyOn(stream, 'write')
  const pieces = async (work: () => Promise<unknown>) => {
    written.mockClear()
    await work()
    return written.mock.calls.length
  }
  expect(await pieces(() => t.db.query(counted, { numbers: [1] }))).toBe(1)
  const longest = Array.from({ length: 5000 }, (_, at) => at)
  // Bind, execute, sync.
  expect(await pieces(() => t.db.query(counted, { numbers: longest }))).toBe(3)
  written.mockRestore()
})

it('fails where a message cannot be made, and is prepared when it is sent again', async () => {
  const fresh = statement({
    name: 'row-query-fresh',
    columns: found,
    params: { numbers: param.int8s() },
    text: counted.text.replace('$1', ':numbers'),
  })
  const client = await t.db.pool.connect()
  const bind = vi.spyOn((client as pg.Client).connection, 'bind').mockImplementationOnce(() => {
    throw new RangeError('too long')
  })
  client.release()
  await expect(t.db.query(fresh, { numbers: [7] })).rejects.toThrow('too long')
  bind.mockRestore()
  expect(await t.db.query(fresh, { numbers: [7] })).toEqual([rowOf(7)])
})
