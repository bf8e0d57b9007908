import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountRef } from '../../../src/operation/context.ts'
import { readMeasured } from '../../../src/planner/measured.ts'
import type { ReportRunInput } from '../../../src/runs/report/judge-report.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { testDb } from '../../support/database.ts'
import { putRun, type RunGiven } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
})
afterAll(() => world?.close())

/** Batch sizes keep the tests apart. */
let lastBatch = 100
const newBatch = () => {
  lastBatch += 1
  return lastBatch
}
const recipeOf = (batch_size: number) => ({ template: 'act', dataset: [], hyperparams: { batch_size } })

/** A run of the account that succeeds with this report. */
async function succeed(
  owner: AccountRef,
  batch: number,
  report: Omit<ReportRunInput, 'runId' | 'status'>,
  given: Partial<RunGiven> = {},
): Promise<void> {
  const claimCredential = 'key_runner'
  const runId = await putRun(t.db, {
    ownerId: owner.id,
    status: 'running',
    claimCredential,
    recipe: recipeOf(batch),
    ...given,
  })
  const runner = world.as(owner, { kind: 'key', credentialId: claimCredential })
  await reportRun(runner, { runId, status: 'succeeded', ...report })
}

/** A hosted run on an A100 that took `seconds`, on which the registry expects 150 samples/s. */
const hosted = (seconds: number): Partial<RunGiven> => ({
  executor: 'hosted',
  set: {
    priced: true,
    rate_usd_per_hour: '1.0000',
    gpu_type: 'a100',
    claimed_at: new Date(Date.now() - seconds * 1000).toISOString(),
  },
})

const measured = (owner: AccountRef, batchSize: number) =>
  readMeasured(t.db, owner.id, { template: 'act', batchSize, tiers: world.deps.config.tiers })

it('a worker run that succeeds adds to the means of its account, and nothing for others', async () => {
  const batch = newBatch()
  const worker = { gpuTier: 'l4' }
  await succeed(ada, batch, { ...worker, peakVramGb: 10, samplesPerS: 100 })
  await succeed(ada, batch, { ...worker, peakVramGb: 14, samplesPerS: 300 })
  const means = { tier: 'l4', batchSize: batch, peakVramGb: 12, samplesPerS: 200, nRuns: 2 }
  expect(await measured(ada, batch)).toEqual([{ by: 'account', ...means }])
  expect(await measured(await world.user(), batch)).toEqual([])
})

it('a run that fails adds nothing', async () => {
  const batch = newBatch()
  const runId = await putRun(t.db, {
    ownerId: ada.id,
    status: 'running',
    claimCredential: 'key_runner',
    recipe: recipeOf(batch),
  })
  const runner = world.as(ada, { kind: 'key', credentialId: 'key_runner' })
  await reportRun(runner, { runId, status: 'failed', peakVramGb: 10, samplesPerS: 100, gpuTier: 'l4' })
  expect(await measured(ada, batch)).toEqual([])
})

it('runs of an org count for the org, not for the member who submitted them', async () => {
  const batch = newBatch()
  const lab = await world.org([ada])
  const claimCredential = 'key_lab'
  const runId = await putRun(t.db, {
    ownerId: lab.id,
    createdBy: ada.id,
    status: 'running',
    claimCredential,
    recipe: recipeOf(batch),
  })
  const runner = world.as(lab, { kind: 'key', credentialId: claimCredential })
  await reportRun(runner, { runId, status: 'succeeded', peakVramGb: 10, samplesPerS: 100, gpuTier: 'l4' })
  expect(await measured(ada, batch)).toEqual([])
  expect(await measured(lab, batch)).toMatchObject([{ by: 'account', nRuns: 1 }])
})

it('what the hub observed of a hosted run counts for everyone, and what its function reported for its account', async () => {
  // The registry: 32 x 0.3514 + 2.75 = 14 GB and 150 samples/s. 500 steps x 32 in 100 s are 160.
  const report = { peakVramGb: 15, samplesPerS: 180, progress: { iteration: 500, start_iteration: 0 } }
  await succeed(ada, 32, report, hosted(100))
  const others = await measured(await world.user(), 32)
  expect(others).toMatchObject([{ by: 'hub', tier: 'a100', batchSize: 32, peakVramGb: 15, nRuns: 1 }])
  expect(others[0]?.samplesPerS).toBeGreaterThan(150)
  expect(others[0]?.samplesPerS).toBeLessThanOrEqual(160)
  const own = (await measured(ada, 32)).find(({ by }) => by === 'account')
  expect(own).toMatchObject({ peakVramGb: 15, samplesPerS: 180, nRuns: 1 })
})

it('iterations of a hosted run count from where it started, and may come from its metrics', async () => {
  const line = { step: 1500, loss: 0.5 }
  await succeed(
    ada,
    33,
    { peakVramGb: 15, samplesPerS: 180, metrics: [line], progress: { start_iteration: 1000 } },
    hosted(100),
  )
  const [observed] = await measured(await world.user(), 33)
  expect(Math.round(observed?.samplesPerS ?? 0)).toBeGreaterThan(155)
  expect(observed?.samplesPerS).toBeLessThanOrEqual(165)
})

it.each([
  ['absurd memory', { peakVramGb: 1e-9, samplesPerS: 180 }],
  ['an absurd throughput', { peakVramGb: 15, samplesPerS: 1e12 }],
  ['another tier than it was billed for', { peakVramGb: 15, samplesPerS: 180, gpuTier: 'h100' }],
])('a hosted run with %s counts for nobody but its account', async (_, report) => {
  const batch = newBatch()
  await succeed(ada, batch, { ...report, progress: { iteration: Math.round(16_000 / batch) } }, hosted(100))
  expect(await measured(await world.user(), batch)).toEqual([])
  expect(await measured(ada, batch)).toMatchObject([{ by: 'account', ...{ samplesPerS: report.samplesPerS } }])
})

it('runs that end at the same time are all counted', async () => {
  const batch = newBatch()
  const values = [10, 20, 30, 40, 50, 60, 70, 80]
  await Promise.all(
    values.map((value) => succeed(ada, batch, { peakVramGb: value, samplesPerS: value * 10, gpuTier: 'l4' })),
  )
  const [mean] = await measured(ada, batch)
  expect(mean?.nRuns).toBe(8)
  expect(mean?.peakVramGb).toBeCloseTo(45, 9)
  expect(mean?.samplesPerS).toBeCloseTo(450, 9)
})

it.each([
  [1e-300, 1e-320],
  [1e308, 1e308],
  [0, 5],
])('a run that reports %d GB and %d samples/s ends, and its values are not kept', async (peakVramGb, samplesPerS) => {
  const batch = newBatch()
  const values = { peakVramGb, samplesPerS, gpuTier: 'l4' }
  for (const _ of [1, 2, 3]) await succeed(ada, batch, values)
  expect(await measured(ada, batch)).toEqual([])
})
