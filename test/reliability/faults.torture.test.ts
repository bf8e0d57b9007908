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
  const sql = <T>(text: string) => lab.db.query<T>({ name: '', text })
  const [cut] = await sql<{ id: string }>(`delete from run_metrics where (run_id, seq) =
    (select run_id, min(seq) from run_metrics group by 1 order by 1 limit 1) returning run_id as id`)
  const [doubled] = await sql<{ mark: string }>(`insert into runs select (jsonb_populate_record(null::runs,
    to_jsonb(r) || jsonb_build_object('id', left(id, -4) || 'zzzz'))).* from runs r where executor = 'worker' order by id desc limit 1
    returning recipe -> 'hyperparams' ->> 'mark' as mark`)
  // A linked file has the blob of another one: only a blob with other bytes is a fault.
  const [other] = await sql<{
    path: string
  }>(`update files f set blob_id = (select b.id from blobs b where b.sha256 <> was.sha256 order by b.id limit 1) from blobs was
    where was.id = f.blob_id and f.id = (select max(id) from files where to_seq is null) returning f.path`)
  const found = await result.recountAgain()
  expect(found.lost).toContainEqual(expect.stringMatching(`^metrics of ${cut?.id}: `))
  expect(found.twice).toContainEqual(expect.stringMatching(`^run ${doubled?.mark}: 2 for 1`))
  expect(found.lost).toContainEqual(expect.stringContaining(`${other?.path}: other bytes`))
})
