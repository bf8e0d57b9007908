/** A sample of `npm run reliability`: the three faults of PostgreSQL under a small load, and what the recount says of things that are gone or there twice. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseFaults } from './faults/database.ts'
import { type FaultResult, runFaults } from './faults/run-fault.ts'
import { type Lab, openLab } from './lab/lab.ts'
import type { LoadSize } from './load/load.ts'

const small: LoadSize = { librarians: 2, runners: 2, readers: 2, paceMs: 100, reports: 8, largeBytes: 256 * 1024 }

let lab: Lab
let result: FaultResult
beforeAll(async () => {
  lab = await openLab({ withProxy: true })
  result = await runFaults(lab, databaseFaults, small, { aroundMs: 1_500, faultMs: 1_200 })
})
afterAll(() => lab?.close())

it('loses nothing that was acknowledged and has nothing twice after PostgreSQL was stopped, paused and cut', () => {
  const { during, after, findings, isSettled } = result
  expect({ lost: findings.lost, twice: findings.twice, isSettled }).toEqual({ lost: [], twice: [], isSettled: true })
  expect([...during.unexpected, ...after.unexpected]).toEqual([])
  expect(during.refused.get('503 unavailable')).toBeGreaterThan(0)
  for (const kind of ['files', 'lines of logs', 'lines of metrics', 'lines that followers saw', 'checks'])
    expect([kind, findings.counted.get(kind)]).toEqual([kind, expect.toSatisfy((count: number) => count > 0)])
})

it('finds what is gone, what is there twice and what has other bytes', async () => {
  const sql = (text: string) => lab.db.query({ name: '', text })
  await sql(
    `delete from run_log_chunks where (run_id, seq) in (select run_id, max(seq) - 1 from run_log_chunks group by 1 limit 1)`,
  )
  await sql(`update files f set blob_id = o.blob_id from files o where f.to_seq is null and o.to_seq is null and f.repo_id = o.repo_id
    and f.id = (select max(id) from files where to_seq is null) and o.id = (select min(id) from files where to_seq is null)`)
  const { lost, twice } = await result.recountAgain()
  expect([...lost, ...twice]).not.toEqual([])
  console.log(lost, twice)
})
