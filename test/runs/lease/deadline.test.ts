/** `max_hours` and the budget, kept by the hub's own clock: times are aged in the database, and nothing waits. */

import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountRef } from '../../../src/operation/context.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import type { Run } from '../../../src/runs/read/run-shape.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { testDb } from '../../support/database.ts'
import { putRun, type RunGiven } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb({ poolMax: 20 })
let world: World
let otherDb: Db
let other: World
let ada: AccountRef

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  otherDb = openDb({ url: t.url, poolMax: 20 })
  other = await makeWorld({ db: otherDb })
  ada = await world.user()
})
afterAll(async () => {
  await other?.close()
  await otherDb?.close()
  await world?.close()
})

// On a busy machine runs of the tests before reach their limits too.
beforeEach(() => world.sql(`update runs set status = 'failed', finished_at = now() where status = 'running'`))

const CREDENTIAL = 'key_runner'
const runner = () => world.as(ada, { kind: 'key', credentialId: CREDENTIAL })
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const hour = (max_hours: number | null = 1) => ({ template: 'act', dataset: [], max_hours })

/** A running run that was claimed so many seconds ago. */
const claimed = (seconds: number, { set, recipe = hour(), ...given }: Partial<RunGiven> = {}) =>
  putRun(t.db, {
    ownerId: ada.id,
    status: 'running',
    claimCredential: CREDENTIAL,
    recipe,
    set: { max_hours: recipe.max_hours ?? 4, claimed_at: ago(seconds), started_at: ago(seconds), ...set },
    ...given,
  })
const priced = { priced: true, rate_usd_per_hour: '3.6000', gpu_type: 'l4' }
const hosted = (seconds: number, set: Record<string, unknown> = {}) =>
  claimed(seconds, { executor: 'hosted', set: { ...priced, ...set } })
/** Asked to stop at its deadline, that many seconds ago. */
const asked = (seconds: number) => ({ cancel_requested_at: ago(seconds), stop_reason: 'max_hours' })

const get = async (id: string): Promise<Run> => {
  const run = await getRun(runner(), id)
  if (!run) throw new Error(`${id} is not there.`)
  return run
}
const column = async <T>(id: string, name: string) =>
  (await world.sql<Record<string, T>>(`select ${name} from runs where id = $1`, [id]))[0]?.[name]
const noticesOf = async (id: string) =>
  (await world.sql<{ text: string }>('select text from run_log_chunks where run_id = $1 order by seq', [id])).map(
    ({ text }) => text,
  )
const ledgerOf = (id: string) =>
  world.sql<{ amount_usd: string; seconds: string }>('select amount_usd, seconds from ledger where job_id = $1', [id])

describe('max_hours', () => {
  it('asks the run to stop once it is used up, with a notice, and not before', async () => {
    const early = await claimed(3400)
    const late = await claimed(3601)
    expect(await sweepLeases(world.deps)).toBe(1)
    expect(await get(early)).toMatchObject({ status: 'running', cancelRequestedAt: null })
    expect(await get(late)).toMatchObject({ status: 'running', cancelRequestedAt: expect.any(String) })
    expect(await column(late, 'stop_reason')).toBe('max_hours')
    expect(await noticesOf(late)).toEqual([
      'The run has used up its max_hours of 1. It is asked to stop, and ended in 60 s if it does not.\n',
    ])
    expect(await sweepLeases(world.deps)).toBe(0)
    expect(await noticesOf(late)).toHaveLength(1)
  })

  it('is shown as the time at which it is used up, while the run is in progress', async () => {
    const id = await claimed(600)
    const run = await get(id)
    expect(Date.parse(run.deadlineAt ?? '') - Date.parse(run.claimedAt ?? '')).toBe(3_600_000)
    await reportRun(runner(), { runId: id, status: 'succeeded' })
    expect((await get(id)).deadlineAt).toBeNull()
    expect((await get(await putRun(t.db, { ownerId: ada.id, recipe: hour() }))).deadlineAt).toBeNull()
  })

  it('omitted by a worker run means none; for a hosted run it means the default', async () => {
    const worker = await claimed(500_000, { recipe: hour(null) })
    const onHub = await claimed(14_401, { recipe: hour(null), executor: 'hosted' })
    expect((await get(worker)).deadlineAt).toBeNull()
    await sweepLeases(world.deps)
    expect((await get(worker)).cancelRequestedAt).toBeNull()
    expect((await get(onHub)).cancelRequestedAt).not.toBeNull()
  })

  it.each(['succeeded', 'failed', 'canceled'] as const)(
    'lets a runner end within a minute as it reports: %s',
    async (status) => {
      const id = await claimed(3605, { set: asked(5) })
      expect(await sweepLeases(world.deps)).toBe(0)
      expect((await reportRun(runner(), { runId: id, status })).status).toBe(status)
    },
  )

  it('ends a run that does not stop: failed, with the reason, its attempt and its bill closed', async () => {
    const id = await hosted(3700, asked(70))
    await world.sql(
      `insert into run_attempts (run_id, attempt, credential, claimed_by) values ($1, 1, $2, 'function')`,
      [id, CREDENTIAL],
    )
    expect(await sweepLeases(world.deps)).toBe(1)
    expect(await get(id)).toMatchObject({
      status: 'failed',
      error: 'The run used up its max_hours of 1, and the hub ended it.',
      costUsd: 3.6,
      leaseExpiresAt: null,
      finishedAt: expect.any(String),
    })
    expect(await ledgerOf(id)).toEqual([{ amount_usd: '3.6000', seconds: '3600.000' }])
    expect(await world.sql('select "end" from run_attempts where run_id = $1', [id])).toEqual([{ end: 'stopped' }])
    expect((await noticesOf(id)).join('')).toContain('did not stop in time. The run used up its max_hours')
    expect(await column(id, 'lost_leases')).toBe(0)
    expect(world.sent).toContainEqual({ job: 'run-metrics-file', input: { runId: id } })
    await expect(reportRun(runner(), { runId: id, status: 'succeeded' })).rejects.toMatchObject({
      type: 'conflict.terminal',
    })
  })

  it('gives the runner a minute from the request, however late the hub made it', async () => {
    const id = await claimed(90_000)
    await sweepLeases(world.deps)
    await sweepLeases(world.deps)
    expect((await get(id)).status).toBe('running')
    await world.sql(`update runs set cancel_requested_at = now() - interval '61 s' where id = $1`, [id])
    await sweepLeases(world.deps)
    expect((await get(id)).status).toBe('failed')
  })

  it('is checked by a report too, with or without a sweep', async () => {
    const late = await claimed(3601)
    const run = await reportRun(runner(), { runId: late, logChunk: 'on it goes\n' })
    expect(run.cancelRequestedAt).not.toBeNull()
    expect((await noticesOf(late)).at(-1)).toContain('max_hours of 1')
    const overdue = await claimed(3700, { set: asked(61) })
    await expect(reportRun(runner(), { runId: overdue, status: 'succeeded' })).rejects.toMatchObject({
      type: 'conflict.terminal',
      message: expect.stringContaining('failed'),
    })
    expect(await get(overdue)).toMatchObject({ status: 'failed', error: expect.stringContaining('max_hours') })
  })

  it('counts all attempts together, including lost ones', async () => {
    const id = await claimed(3000, { set: { lease_expires_at: ago(1) } })
    await sweepLeases(world.deps)
    expect(await get(id)).toMatchObject({ status: 'queued', deadlineAt: null })
    const other = world.as(ada, { kind: 'key', credentialId: newId('key') })
    const again = await claimRun(other, { runId: id, worker: 'second' })
    const leftMs = Date.parse(again.deadlineAt ?? '') - Date.parse(again.claimedAt ?? '')
    expect(leftMs).toBeGreaterThan(590_000)
    expect(leftMs).toBeLessThanOrEqual(600_000)
    await world.sql(`update runs set claimed_at = now() - interval '601 s' where id = $1`, [id])
    await sweepLeases(world.deps)
    expect((await get(id)).cancelRequestedAt).not.toBeNull()
  })

  it('that is used up when the lease is lost ends the run instead of requeueing it', async () => {
    const unasked = await claimed(3601, { set: { lease_expires_at: ago(1) } })
    const told = await claimed(3610, { set: { lease_expires_at: ago(1), ...asked(5) } })
    const canceled = await claimed(3601, {
      set: { lease_expires_at: ago(1), cancel_requested_at: ago(300), stop_reason: 'cancel' },
    })
    await sweepLeases(world.deps)
    for (const id of [unasked, told])
      expect(await get(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('max_hours') })
    expect(await get(canceled)).toMatchObject({ status: 'canceled', error: null })
  })

  it('stays the stop reason if a user cancels after the hub requested the stop', async () => {
    const id = await claimed(3670, { set: asked(5) })
    expect((await cancelRun(runner(), { runId: id })).status).toBe('running')
    expect([await column(id, 'stop_reason'), await noticesOf(id)]).toEqual(['max_hours', []])
    await world.sql(`update runs set cancel_requested_at = now() - interval '61 seconds' where id = $1`, [id])
    await sweepLeases(world.deps)
    expect(await get(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('max_hours') })
  })

  it('ends a run that was canceled before and did not stop as canceled', async () => {
    const id = await claimed(3661, { set: { cancel_requested_at: ago(600), stop_reason: 'cancel' } })
    await sweepLeases(world.deps)
    expect((await get(id)).status).toBe('canceled')
  })
})

describe('a bill', () => {
  it('never exceeds the estimate, however long the run continues', async () => {
    const id = await hosted(50_000)
    expect((await get(id)).spend).toMatchObject({ accruedUsd: 3.6 })
    const run = await reportRun(runner(), { runId: id, status: 'succeeded' })
    expect(run).toMatchObject({ costUsd: 3.6, spend: { accruedUsd: 3.6, final: true } })
    const budgeted = await hosted(3000, { budget_usd: '1.0000' })
    expect((await get(budgeted)).spend).toMatchObject({ accruedUsd: 1, remainingUsd: 0 })
    expect((await reportRun(runner(), { runId: budgeted, status: 'succeeded' })).costUsd).toBe(1)
    expect(await ledgerOf(budgeted)).toMatchObject([{ amount_usd: '1.0000' }])
  })
})

describe('a budget', () => {
  it('that is spent asks the run to stop even without reports', async () => {
    const spent = await hosted(1001, { budget_usd: '1.0000' })
    const left = await hosted(800, { budget_usd: '1.0000' })
    const unpriced = await claimed(3000, { set: { budget_usd: '0.0001' } })
    expect(await sweepLeases(world.deps)).toBe(1)
    expect(await get(spent)).toMatchObject({ status: 'running', cancelRequestedAt: expect.any(String) })
    expect(await column(spent, 'stop_reason')).toBe('budget')
    expect(await noticesOf(spent)).toEqual(['The budget of 1.0000 USD is spent. The run is asked to stop.\n'])
    for (const id of [left, unpriced]) expect((await get(id)).cancelRequestedAt).toBeNull()
  })
})

describe('at the same moment', () => {
  it('a report and a sweep that both end the run leave one end and one bill', async () => {
    const seen = { succeeded: 0, failed: 0 }
    for (let round = 0; round < 30; round += 1) {
      // On the edge of its minute: which of the two is first decides.
      const id = await hosted(3700, asked(59.99))
      const [report] = await Promise.allSettled([
        reportRun(runner(), { runId: id, status: 'succeeded', logChunk: 'done\n' }),
        sweepLeases(world.deps),
        sweepLeases(other.deps),
      ])
      await sweepLeases(world.deps)
      const run = await get(id)
      expect(run.status).toBe(report.status === 'fulfilled' ? 'succeeded' : 'failed')
      if (report.status === 'rejected') expect(report.reason).toMatchObject({ status: 409 })
      seen[run.status as 'succeeded' | 'failed'] += 1
      expect(run.error === null).toBe(run.status === 'succeeded')
      expect(await ledgerOf(id)).toEqual([{ amount_usd: '3.6000', seconds: '3600.000' }])
    }
    expect(seen.succeeded + seen.failed).toBe(30)
  })

  it('many hubs sweep each run once: one notice, one end', async () => {
    const late = await Promise.all(Array.from({ length: 20 }, () => claimed(3601)))
    const overdue = await Promise.all(Array.from({ length: 20 }, () => claimed(3700, { set: asked(61) })))
    const swept = await Promise.all([world, other, world, other].map((hub) => sweepLeases(hub.deps)))
    expect(swept.reduce((sum, some) => sum + some, 0)).toBe(40)
    for (const id of late) expect(await noticesOf(id)).toHaveLength(1)
    for (const id of overdue) {
      expect(await noticesOf(id)).toHaveLength(1)
      expect(await ledgerOf(id)).toHaveLength(1)
      expect(await world.sql('select 1 from audit_log where target_id = $1', [id])).toHaveLength(1)
    }
  })

  it('a claim of a run that was requeued near its limit gets only the remaining time', async () => {
    const id = await claimed(3599, { set: { lease_expires_at: ago(1) } })
    await sweepLeases(world.deps)
    const credentials = [newId('key'), newId('key')]
    const claims = await Promise.allSettled(
      credentials.map((credentialId) =>
        claimRun(world.as(ada, { kind: 'key', credentialId }), { runId: id, worker: credentialId }),
      ),
    )
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const run = await get(id)
    expect(Date.parse(run.deadlineAt ?? '') - Date.parse(run.claimedAt ?? '')).toBeLessThanOrEqual(1000)
  })
})
