import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSweepTimer } from '../../../src/jobs/sweeps.ts'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { testDb } from '../../support/database.ts'
import { putRun, type RunGiven } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let otherDb: Db
let other: World
let owner: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  otherDb = openDb({ url: t.url, poolMax: 10 })
  other = await makeWorld({ db: otherDb })
  owner = await world.user()
  ctx = world.as(owner)
})
afterAll(async () => {
  await other?.close()
  await otherDb?.close()
  await world?.close()
})

/** A running run whose lease ran out a moment ago. */
const lost = ({ set, ...given }: Partial<RunGiven> = {}) =>
  putRun(t.db, {
    ownerId: owner.id,
    status: 'running',
    set: { lease_expires_at: new Date(Date.now() - 1000).toISOString(), ...set },
    ...given,
  })
const row = async (id: string) => {
  const [found] = await world.sql<Record<string, unknown>>('select * from runs where id = $1', [id])
  return found
}

describe('the lease sweep', () => {
  it('returns a run to the queue: the claim is cleared, its metrics are hidden and the log has the reason', async () => {
    const id = await lost({
      set: {
        latest_metrics: '{"reward":1}',
        progress: '{"iteration":1}',
        progress_at: new Date().toISOString(),
        reward_curve: '{"metric":"reward","points":[[1,1]]}',
        metrics_seq: 1,
        client_metrics_seq: 5,
        peak_vram_gb: 3,
      },
    })
    await world.sql(`insert into run_metrics (run_id, seq, attempt, line) values ($1, 1, 1, '{}')`, [id])
    await world.sql(
      `insert into run_attempts (run_id, attempt, credential, claimed_by) values ($1, 1, 'key_unknown', 'runner')`,
      [id],
    )
    expect(await sweepLeases(world.deps)).toBe(1)
    expect(await getRun(ctx, id)).toMatchObject({
      status: 'queued',
      claimedBy: null,
      claimedAt: null,
      startedAt: null,
      heartbeatAt: null,
      leaseExpiresAt: null,
      attempt: 1,
      latestMetrics: null,
      progress: null,
      sparkline: null,
      peakVramGb: null,
    })
    expect(await row(id)).toMatchObject({
      claim_credential: null,
      lost_leases: 1,
      client_metrics_seq: null,
      metrics_seq: 1,
    })
    expect(await world.sql('select hidden from run_metrics where run_id = $1', [id])).toEqual([{ hidden: true }])
    const [attempt] = await world.sql<{ end: string; ended_at: string }>(
      'select "end", ended_at from run_attempts where run_id = $1',
      [id],
    )
    expect(attempt).toMatchObject({ end: 'swept', ended_at: expect.any(String) })
    const [notice] = await world.sql<{ stream: string; text: string }>(
      'select stream, text from run_log_chunks where run_id = $1',
      [id],
    )
    expect(notice).toEqual({
      stream: 'stderr',
      text: expect.stringMatching(/^runner did not report .*waits for another runner.*\n$/),
    })
    expect(await world.sql('select action, actor_id from audit_log where target_id = $1', [id])).toEqual([
      { action: 'run.sweep', actor_id: null },
    ])
    expect((await claimRun(ctx, { runId: id, worker: 'next' })).attempt).toBe(2)
  })

  it('ignores runs with a valid lease, queued runs and ended runs', async () => {
    const running = await putRun(t.db, { ownerId: owner.id, status: 'running' })
    const queued = await putRun(t.db, { ownerId: owner.id })
    const ended = await putRun(t.db, {
      ownerId: owner.id,
      status: 'failed',
      set: { lease_expires_at: '2020-01-01T00:00:00Z' },
    })
    expect(await sweepLeases(world.deps)).toBe(0)
    for (const [id, status] of [
      [running, 'running'],
      [queued, 'queued'],
      [ended, 'failed'],
    ] as const)
      expect((await getRun(ctx, id))?.status).toBe(status)
  })

  it('fails a run at its limit of lost leases, and cancels one that had been asked to stop', async () => {
    const spent = await lost({ set: { lost_leases: 4, attempt: 5 } })
    const once = await lost({ set: { lost_leases: 3, attempt: 4 } })
    const asked = await lost({ set: { cancel_requested_at: new Date().toISOString(), stop_reason: 'cancel' } })
    await sweepLeases(world.deps)
    expect(await getRun(ctx, spent)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('lost its lease 5 times'),
      costUsd: 0,
    })
    expect((await getRun(ctx, once))?.status).toBe('queued')
    expect(await getRun(ctx, asked)).toMatchObject({ status: 'canceled', error: null, leaseExpiresAt: null })
    const ledger = (id: string) =>
      world.sql('select attempt, kind, amount_usd, tier from ledger where job_id = $1', [id])
    expect(await ledger(spent)).toEqual([{ attempt: 5, kind: 'gpu', amount_usd: '0.0000', tier: null }])
    expect(await ledger(once)).toEqual([])
    expect(await ledger(asked)).toHaveLength(1)
  })

  it('bills a priced run that it ends for its last attempt, up to a minute after a cancel', async () => {
    const hour = new Date(Date.now() - 3_600_000).toISOString()
    const priced = {
      priced: true,
      rate_usd_per_hour: '3.6',
      gpu_type: 'l4',
      claimed_at: hour,
      lost_leases: 4,
      attempt: 5,
    }
    const failed = await lost({ executor: 'hosted', set: priced })
    const asked = await lost({
      executor: 'hosted',
      set: { ...priced, cancel_requested_at: new Date(Date.parse(hour) + 940_000).toISOString() },
    })
    await sweepLeases(world.deps)
    expect((await getRun(ctx, asked))?.costUsd).toBe(1)
    const run = await getRun(ctx, failed)
    expect(run?.costUsd).toBeCloseTo(3.6, 1)
    expect(run?.spend).toMatchObject({ final: true, accruedUsd: run?.costUsd })
    expect(await world.sql('select tier, seconds, amount_usd from ledger where job_id = $1', [asked])).toEqual([
      { tier: 'l4', seconds: '1000.000', amount_usd: '1.0000' },
    ])
  })

  it('sweeps each run once, however many hubs sweep at the same moment', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => lost()))
    const swept = await Promise.all([world, other, world, other].map((hub) => sweepLeases(hub.deps)))
    expect(swept.reduce((sum, some) => sum + some, 0)).toBe(60)
    for (const id of ids) {
      expect(await row(id)).toMatchObject({ status: 'queued', lost_leases: 1, log_seq: 1 })
      expect(await world.sql('select 1 from audit_log where target_id = $1', [id])).toHaveLength(1)
    }
  })

  it('skips a run whose row is locked by a report, which then renews the lease', async () => {
    const id = await lost()
    const client = await t.db.pool.connect()
    try {
      await client.query('begin')
      await client.query(`update runs set lease_expires_at = now() + interval '5 minutes' where id = $1`, [id])
      expect(await sweepLeases(other.deps)).toBe(0)
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await sweepLeases(other.deps)).toBe(0)
    expect((await getRun(ctx, id))?.status).toBe('running')
  })

  it('continues if one run cannot be swept, and retries that one', async () => {
    const [first = '', second = '', third = ''] = (await Promise.all([lost(), lost(), lost()])).sort()
    // A ledger row of this attempt already exists: the database rejects a second one.
    await world.sql('update runs set lost_leases = 4, attempt = 5 where id = $1', [first])
    await world.sql(
      `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd) values ($1, $2, 'run', $3, 5, 'gpu', 0, 0)`,
      [newId('led'), owner.id, first],
    )
    expect(await sweepLeases(world.deps)).toBe(2)
    for (const [id, status] of [
      [first, 'running'],
      [second, 'queued'],
      [third, 'queued'],
    ] as const)
      expect((await getRun(ctx, id))?.status).toBe(status)
    await world.sql('update runs set attempt = 6 where id = $1', [first])
    expect(await sweepLeases(world.deps)).toBe(1)
    expect((await getRun(ctx, first))?.status).toBe('failed')
  })

  it('runs periodically, as often as the shortest lease requires', async () => {
    const { runs } = world.deps.config
    const { deps } = world.with({ config: { runs: { ...runs, leaseSeconds: 1 } } })
    const id = await lost()
    const timer = startSweepTimer(deps)
    await expect.poll(async () => (await getRun(ctx, id))?.status).toBe('queued')
    await timer.close()
    const later = await lost()
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect((await getRun(ctx, later))?.status).toBe('running')
  })
})
