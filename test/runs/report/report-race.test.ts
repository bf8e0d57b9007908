import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef } from '../../../src/operation/context.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb({ poolMax: 20 })
let world: World
/** Of a second hub on the same database. */
let otherDb: Db
let other: World
let owner: AccountRef

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  otherDb = openDb({ url: t.url, poolMax: 20 })
  other = await makeWorld({ db: otherDb })
  owner = await world.user()
})
afterAll(async () => {
  await other?.close()
  await otherDb?.close()
  await world?.close()
})

const keyOf = (hub: World, credentialId = newId('key')) => hub.as(owner, { kind: 'key', credentialId })
/** Claimed, and its lease ran out a moment ago. */
async function lateRun(credentialId: string): Promise<string> {
  const runId = await putRun(t.db, { ownerId: owner.id })
  await claimRun(keyOf(world, credentialId), { runId, worker: 'slow' })
  await world.sql(`update runs set lease_expires_at = now() - interval '1 ms' where id = $1`, [runId])
  return runId
}
const shown = async (runId: string) =>
  (
    await world.sql<{ line: unknown }>('select line from run_metrics where run_id = $1 and not hidden order by seq', [
      runId,
    ])
  ).map(({ line }) => line)

describe('a late report', () => {
  it('either keeps the run or is rejected, never a mix of both, whoever is faster', async () => {
    const seen = { kept: 0, refused: 0 }
    for (let round = 0; round < 40; round += 1) {
      const credential = newId('key')
      const runId = await lateRun(credential)
      const ending = round % 4 === 3
      const report = { runId, metrics: [{ step: 1, reward: round }], ...(ending && { status: 'succeeded' as const }) }
      const [reported, swept] = await Promise.allSettled([
        reportRun(keyOf(world, credential), report),
        sweepLeases(other.deps),
      ])
      expect(swept.status).toBe('fulfilled')
      // The sweep skipped a row that the report had locked: now the report's lease counts.
      await sweepLeases(other.deps)
      const run = await getRun(keyOf(world), runId)
      if (reported.status === 'fulfilled') {
        seen.kept += 1
        expect(run).toMatchObject({ status: ending ? 'succeeded' : 'running', claimedBy: 'slow', attempt: 1 })
        expect(await shown(runId)).toEqual([{ step: 1, reward: round }])
      } else {
        seen.refused += 1
        expect(reported.reason).toMatchObject({ type: 'conflict.not_claimer', status: 409 })
        expect(run).toMatchObject({ status: 'queued', claimedBy: null, latestMetrics: null })
        expect(await shown(runId)).toEqual([])
      }
    }
    expect(seen.kept + seen.refused).toBe(40)
  })

  it('is always rejected once the run was swept, even if the same credential claimed it again', async () => {
    const credential = newId('key')
    const runId = await lateRun(credential)
    const key = keyOf(world, credential)
    expect(await sweepLeases(world.deps)).toBe(1)
    const late = (attempt?: number) =>
      reportRun(key, { runId, ...(attempt && { attempt }), metrics: [{ step: 9 }], status: 'failed' })
    await expect(late()).rejects.toMatchObject({ type: 'conflict.not_claimer' })
    await claimRun(key, { runId, worker: 'fresh' })
    await expect(late(1)).rejects.toMatchObject({ type: 'conflict.not_claimer' })
    expect(await shown(runId)).toEqual([])
    expect(await reportRun(key, { runId, attempt: 2, metrics: [{ step: 1 }] })).toMatchObject({
      status: 'running',
      attempt: 2,
    })
  })

  it('of one claimer is never stored in the attempt of the next, claimed during the report', async () => {
    for (let round = 0; round < 20; round += 1) {
      const credential = newId('key')
      const runId = await lateRun(credential)
      const next = keyOf(other)
      const [reported] = await Promise.allSettled([
        reportRun(keyOf(world, credential), { runId, logChunk: 'late\n', metrics: [{ step: 1 }] }),
        sweepLeases(other.deps).then(() => claimRun(next, { runId, worker: 'next' })),
      ])
      const rows = await world.sql<{ attempt: number }>(
        'select attempt from run_metrics where run_id = $1 and not hidden',
        [runId],
      )
      const run = await getRun(next, runId)
      expect(rows).toEqual(reported.status === 'fulfilled' && run?.attempt === 1 ? [{ attempt: 1 }] : [])
      if (run?.attempt === 2) expect(reported.status).toBe('rejected')
    }
  })
})
