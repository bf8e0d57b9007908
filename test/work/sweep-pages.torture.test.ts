/** A sweep reads what runs once, however many of it are due. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import type { Db } from '../../src/store/db.ts'
import { DUE_PAGE, eachDue } from '../../src/work/sweep.ts'
import { testDb } from '../support/database.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
})
afterAll(() => world?.close())

/** The database, with the number of statements that asked what is due. */
function counting(): { db: Db; asked: () => number } {
  let asked = 0
  const query = (statement: { name: string }, given: unknown) => {
    if (statement.name === 'run-next-due') asked += 1
    return t.db.query(statement as never, given as never)
  }
  return { db: { ...t.db, query: query as never }, asked: () => asked }
}

it('the leases of many runs that are over are found in pages, beside those that hold', async () => {
  const owner = await world.user()
  const over = DUE_PAGE + 20
  const run = { ownerId: owner.id, status: 'running' } as const
  for (let n = 0; n < 30; n += 1) await putRun(t.db, run)
  for (let n = 0; n < over; n += 1)
    await putRun(t.db, { ...run, set: { lease_expires_at: new Date(Date.now() - 60_000).toISOString() } })
  const { db, asked } = counting()
  expect(await sweepLeases({ ...world.deps, db })).toBe(over)
  expect(asked()).toBe(2)
  const [left] = await world.sql<{ running: number }>(
    `select count(*) filter (where status = 'running')::int as running from runs where owner_id = $1`,
    [owner.id],
  )
  expect(left).toEqual({ running: 30 })
})

it('one that fails is told and left, and those after it have their turn', async () => {
  const keys = Array.from({ length: DUE_PAGE + 5 }, (_, at) => String(at).padStart(4, '0'))
  const visited: string[] = []
  const failed: string[] = []
  const changes = await eachDue({
    next: async (after) => keys.filter((key) => key > after).slice(0, DUE_PAGE),
    visit: async (key) => {
      if (key === '0003') throw new Error('It is stuck.')
      visited.push(key)
      return 1
    },
    failed: (_error, key) => failed.push(key),
  })
  expect([changes, failed]).toEqual([DUE_PAGE + 4, ['0003']])
  expect(visited).toEqual(keys.filter((key) => key !== '0003'))
})
