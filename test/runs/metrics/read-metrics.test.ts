import { beforeAll, expect, it } from 'vitest'
import { readMetrics } from '../../../src/runs/metrics/read-metrics.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld } from '../../support/world.ts'

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

it('ends a page of metrics after the line that brings it past 2 MiB, and at 500 lines', async () => {
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
    [500, 1004],
    [196, 1200],
  ])
  expect(seen).toEqual(Array.from({ length: 1200 }, (_, at) => at + 1).filter((seq) => seq !== 600))
})
