import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropMetrics } from '../../src/runs/drop-metrics.ts'
import { listGateResults } from '../../src/runs/list-gate-results.ts'
import { testDb } from '../support/database.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
})
afterAll(() => world?.close())

it.each([
  [null, []],
  [0, []],
  [200, [100, 200]],
])('gates of checkpoints past step %s go with the metrics of a lost attempt', async (step, left) => {
  const runId = await putRun(t.db, { ownerId: (await world.user()).id, status: 'running' })
  await world.sql(
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count)
      select $1, step, '[]', 0, 1, 0, 1 from unnest(array[100, 200, 300]) step`,
    [runId],
  )
  await t.db.withTx((tx) => dropMetrics(tx, runId, step))
  const [results] = await listGateResults({ deps: world.deps }, [runId])
  expect(results?.map((result) => result.step)).toEqual(left)
})
