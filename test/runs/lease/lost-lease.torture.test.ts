/** A runner that lost its lease cannot end another runner's work: two runners with one credential cannot be distinguished, so the credential waits. */

import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountRef, Credentialed, RequestContext } from '../../../src/operation/context.ts'
import { claimNextRun } from '../../../src/runs/claim/claim-next-run.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { recordGateResults } from '../../../src/runs/gates/record-gate-results.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { shownNumbers } from '../../support/shown-numbers.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb({ poolMax: 20 })
const LEASE_MS = 300_000
let world: World
/** A second hub on the same database. */
let otherDb: Db
let other: World
let owner: AccountRef
/** One credential of two runners, and another one. */
let shared: RequestContext
let apart: RequestContext
let id: string

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  otherDb = openDb({ url: t.url, poolMax: 20 })
  other = await makeWorld({ db: otherDb })
})
afterAll(async () => {
  await other?.close()
  await otherDb?.close()
  await world?.close()
})
beforeEach(async () => {
  owner = await world.user()
  ;[shared, apart] = [keyOf(owner), keyOf(owner)]
  id = await lostBy(shared)
})

const keyOf = (account: AccountRef, at: World = world) => at.as(account, { kind: 'key', credentialId: newId('key') })
const at = (hub: World, { viewer }: RequestContext) => hub.as(owner, viewer as Credentialed)
const put = () => putRun(t.db, { ownerId: owner.id })
const claim = (as: RequestContext, worker = 'b', runId = id) => claimRun(as, { runId, worker })
const barred = { type: 'conflict.lease_lost' }
const stale = { type: 'conflict.not_claimer' }

async function sweep(runId: string): Promise<void> {
  await world.sql(`update runs set lease_expires_at = now() - interval '1 ms' where id = $1`, [runId])
  await sweepLeases(world.deps)
}

/** A run that a runner of `as` claimed and was not heard of again. */
async function lostBy(as: RequestContext): Promise<string> {
  const runId = await put()
  await claim(as, 'a', runId)
  await sweep(runId)
  return runId
}

/** As if so much time had passed since the sweep. */
const later = (ms: number) =>
  world.sql(`update runs set barred_until = barred_until - make_interval(secs => $2) where id = $1`, [id, ms / 1000])

describe('the credential that lost a lease', () => {
  it('cannot claim that run, gets the time until it can, and can claim any other', async () => {
    const error = await claim(shared).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ ...barred, status: 409, message: expect.stringContaining('lost the lease') })
    const { items } = error as { items: { until: string }[] }
    const waitMs = Date.parse(items[0]?.until ?? '') - Date.now()
    expect(waitMs).toBeGreaterThan(LEASE_MS - 30_000)
    expect(waitMs).toBeLessThanOrEqual(LEASE_MS)
    expect(Number(shownNumbers(error).headers['Retry-After'])).toBeLessThanOrEqual(LEASE_MS / 1000)
    expect(await getRun(shared, id)).toMatchObject({ status: 'queued', attempt: 1 })
    expect((await claim(shared, 'b', await put())).status).toBe('running')
  })

  it('does not get that run from claim-next, but the next one in the queue', async () => {
    expect(await claimNextRun(shared, { worker: 'b' })).toBeNull()
    const younger = await put()
    expect((await claimNextRun(shared, { worker: 'b' }))?.id).toBe(younger)
    expect((await claimNextRun(apart, { worker: 'c' }))?.id).toBe(id)
  })

  it('can claim it once a stale report was rejected, however the lost runner sent it', async () => {
    await expect(reportRun(shared, { runId: id, status: 'failed' })).rejects.toMatchObject(stale)
    expect((await claim(shared)).attempt).toBe(2)
    await sweep(id)
    await expect(claim(shared)).rejects.toMatchObject(barred)
    await expect(reportRun(shared, { runId: id, attempt: 2 })).rejects.toMatchObject(stale)
    expect((await claimNextRun(shared, { worker: 'b' }))?.attempt).toBe(3)
    await sweep(id)
    const results = { runId: id, step: 1, cells: [], seedsRun: 0, seedsAlive: 0 }
    await expect(recordGateResults(shared, results)).rejects.toMatchObject(stale)
    expect((await claim(shared)).attempt).toBe(4)
  })

  it('cannot claim it after a rejected report of an older attempt or of another credential', async () => {
    await expect(reportRun(shared, { runId: id, status: 'failed' })).rejects.toMatchObject(stale)
    await claim(shared)
    await sweep(id)
    await expect(reportRun(shared, { runId: id, attempt: 1 })).rejects.toMatchObject(stale)
    await expect(reportRun(apart, { runId: id })).rejects.toMatchObject(stale)
    await expect(claim(shared)).rejects.toMatchObject(barred)
  })

  it('can claim it only after one more lease duration since the sweep', async () => {
    await later(LEASE_MS - 10_000)
    await expect(claim(shared)).rejects.toMatchObject(barred)
    expect(await claimNextRun(shared, { worker: 'b' })).toBeNull()
    await later(10_000)
    expect((await claimNextRun(shared, { worker: 'b' }))?.id).toBe(id)
  })
})

describe('another credential', () => {
  it('can claim the run at once, and the lost runner can neither end nor renew it', async () => {
    expect((await claim(apart)).attempt).toBe(2)
    for (const attempt of [null, 1])
      await expect(reportRun(shared, { runId: id, status: 'failed', attempt })).rejects.toMatchObject(stale)
    expect((await reportRun(apart, { runId: id })).status).toBe('running')
  })
})

describe('the current holder', () => {
  it('is never rejected for a missing attempt; a lost runner with its credential is rejected by the attempt', async () => {
    await later(LEASE_MS)
    await claim(shared)
    await expect(reportRun(shared, { runId: id, attempt: 1, status: 'failed' })).rejects.toMatchObject(stale)
    expect((await reportRun(shared, { runId: id })).status).toBe('running')
    expect((await reportRun(shared, { runId: id, attempt: 2 })).status).toBe('running')
  })
})

describe('of many callers who claim a lost run over two hubs', () => {
  it('one of the others gets it, and the credential that lost it never', async () => {
    for (let round = 0; round < 10; round += 1) {
      const runId = await lostBy(shared)
      const others = Array.from({ length: 8 }, () => keyOf(owner))
      const asked = [...others, ...Array.from({ length: 8 }, () => shared)]
      const ends = await Promise.allSettled(
        asked.map((as, place) => claim(at(place % 2 ? world : other, as), `w${place}`, runId)),
      )
      const won = ends.flatMap((end, place) => (end.status === 'fulfilled' ? [place] : []))
      expect(won).toHaveLength(1)
      expect(won[0]).toBeLessThan(others.length)
    }
  })

  it('the credential that lost it gets it once, when its stale report is rejected among the claims', async () => {
    for (let round = 0; round < 10; round += 1) {
      const runId = await lostBy(shared)
      const claims = Array.from({ length: 12 }, (_, place) =>
        claimNextOf(at(place % 2 ? world : other, shared), runId, `w${place}`),
      )
      const refused = reportRun(at(other, shared), { runId, status: 'failed' })
      const [report, ...ends] = await Promise.allSettled([refused, ...claims])
      const first = ends.filter((end) => end.status === 'fulfilled').length
      expect(first).toBeLessThanOrEqual(1)
      // A claim before the rejected report still had to wait: now one of them need not.
      if (report?.status === 'rejected' && first === 0) await claim(shared, 'b', runId)
      expect(await getRun(shared, runId)).toMatchObject({ status: 'running', attempt: 2 })
    }
  })
})

const claimNextOf = (as: RequestContext, runId: string, worker: string) => claimRun(as, { runId, worker })
