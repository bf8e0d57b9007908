import { beforeAll, expect, it, vi } from 'vitest'
import { readMetrics } from '../../../src/runs/metrics/read-metrics.ts'
import { type NamedStatement, orderedValues } from '../../../src/store/statement.ts'
import { testDb } from '../../support/database.ts'
import { blocksOf, plansOf } from '../../support/plans.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld } from '../../support/world.ts'

type Given = Readonly<Record<string, unknown>>

const t = testDb()
let run: string
beforeAll(async () => {
  const world = await makeWorld({ db: t.db })
  run = await putRun(t.db, { ownerId: (await world.user()).id, status: 'running' })
  await world.sql(
    `insert into run_metrics (run_id, seq, attempt, line, hidden)
     select $1, n, 1, json_build_object('n', n, 'text', repeat('x', case when n < 6 then 1000000 else 1 end)), n = 600 from generate_series(1, 1200) n`,
    [run],
  )
  await world.close()
})

it('ends a page of metrics after the line that brings it past 2 MiB, and at 500 numbers', async () => {
  const pages: (readonly [lines: number, reaches: number])[] = []
  const seen: number[] = []
  for (let after = 0; after < 1200; ) {
    const { rows, reaches } = await readMetrics(t.db, run, after, 1200)
    pages.push([rows.length, reaches])
    seen.push(...rows.map(({ seq }) => seq))
    after = reaches
  }
  expect(pages).toEqual([
    [3, 3],
    [500, 503],
    [499, 1003],
    [197, 1200],
  ])
  expect(seen).toEqual(Array.from({ length: 1200 }, (_, at) => at + 1).filter((seq) => seq !== 600))
})

it('passes over the lines of a lost attempt, and reaches the end if no others follow', async () => {
  await t.db.query({
    name: '',
    text: `update run_metrics set hidden = true where run_id = '${run}' and seq > 3 and seq <= 1100`,
  })
  const { rows, reaches } = await readMetrics(t.db, run, 3, 1200)
  expect([rows[0]?.seq, rows.length, reaches]).toEqual([1101, 100, 1200])
  expect(await readMetrics(t.db, run, 3, 1100)).toEqual({ rows: [], reaches: 1100 })
})

it('reads no more than its page while the server has not counted the table yet', async () => {
  await t.db.query({
    name: '',
    text: `insert into run_metrics (run_id, seq, attempt, line) select 'run_long', n, 1, '{"a":1}' from generate_series(1, 20000) n`,
  })
  const asked = vi.spyOn(t.db, 'query')
  await readMetrics(t.db, 'run_long', 5_000, 20_000)
  const [[statement, given]] = asked.mock.calls as unknown as [[NamedStatement<unknown, Given>, Given]]
  asked.mockRestore()
  for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, given)))
    expect(blocksOf(plan)).toBeLessThan(40)
})
