import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef } from '../../../src/operation/context.ts'
import { type Pace, paceAfter, rateOf } from '../../../src/runs/read/pace.ts'
import { progressOf } from '../../../src/runs/read/progress.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const START_MS = Date.UTC(2026, 0, 1)
/** Reports as `[arrives at, iterations of its lines]`, in seconds from the claim. */
function paceOf(...reports: readonly (readonly [atS: number, iterations: readonly (number | null)[]])[]): Pace {
  let [pace, sinceMs]: [Pace, number] = [[], START_MS]
  for (const [atS, iterations] of reports) {
    const atMs = START_MS + atS * 1000
    pace = paceAfter(pace, iterations.length, (place) => iterations[place] ?? null, { sinceMs, atMs }) ?? pace
    sinceMs = atMs
  }
  return pace
}

describe('the pace', () => {
  it('is null until there are two lines, of one report or of two', () => {
    expect(rateOf(paceOf())).toBeNull()
    expect(rateOf(paceOf([10, [5]]))).toBeNull()
    expect(rateOf(paceOf([10, [null, 5, null]]))).toBeNull()
    // Two lines in ten seconds, one iteration apart.
    expect(rateOf(paceOf([10, [4, 5]]))).toBeCloseTo(0.2)
    expect(rateOf(paceOf([10, [4]], [15, [5]]))).toBeCloseTo(0.2)
  })

  it('is that of the trainer however its lines are grouped into reports', () => {
    const lines = Array.from({ length: 50 }, (_, place) => (place + 1) * 10)
    const oneEach = lines.map((iteration, place) => [place + 1, [iteration]] as const)
    const byFive = Array.from({ length: 10 }, (_, at) => [5 * (at + 1), lines.slice(5 * at, 5 * at + 5)] as const)
    expect(rateOf(paceOf(...oneEach))).toBeCloseTo(10)
    expect(rateOf(paceOf(...byFive))).toBeCloseTo(10)
    expect(rateOf(paceOf([50, lines]))).toBeCloseTo(10)
  })

  it('does not count the time between two immediate reports', () => {
    expect(rateOf(paceOf([20, [0]], [20.004, [10]]))).toBeLessThanOrEqual(10)
    expect(rateOf(paceOf([20, [10, 20]], [20.004, [30, 40]]))).toBeLessThan(4)
    expect(rateOf(paceOf([0.001, [1, 2]]))).toBe(1)
  })

  it('covers the last minute, or the last two lines if they are older', () => {
    const slowThenFast = paceOf([600, [1]], [1200, [2]], [1230, [32]], [1260, [62]])
    expect(rateOf(slowThenFast)).toBeCloseTo(1)
    expect(rateOf(paceOf([600, [1]], [1200, [601]]))).toBeCloseTo(1)
    // Half an hour of lines at once: the first that count are a minute old.
    const halfHour = Array.from({ length: 1800 }, (_, place) => (place < 1700 ? place : 1700 + (place - 1700) * 5))
    expect(rateOf(paceOf([1800, halfHour]))).toBeCloseTo(5, 1)
  })

  it('keeps few points, including the oldest of the minute', () => {
    const reports = Array.from({ length: 2000 }, (_, place) => [place / 40, [2 * place, 2 * place + 1]] as const)
    const pace = paceOf(...reports)
    expect(pace.length).toBeLessThanOrEqual(600)
    expect(rateOf(pace)).toBeCloseTo(80, 0)
  })

  it('is null if a trainer starts over', () => {
    expect(rateOf(paceOf([10, [100]], [20, [5]]))).toBeNull()
  })
})

describe('progress', () => {
  const at = (seconds: number) => new Date(START_MS + seconds * 1000).toISOString()
  const facts = { reported: null, reportedAt: null, pace: null, startStep: null, running: true }

  it("starts at the parent's checkpoint, unless the trainer reports its own start", () => {
    const reported = { iteration: 150, total_iterations: 100 }
    const resumed = { ...facts, startStep: 100, reported, reportedAt: at(60) }
    expect(progressOf(resumed, at(60))).toMatchObject({ startIteration: 100, fraction: 0.5 })
    const own = { ...resumed, reported: { ...reported, start_iteration: 0 } }
    expect(progressOf(own, at(60))).toMatchObject({ startIteration: 0, fraction: 1 })
    expect(progressOf({ ...facts, reported, reportedAt: at(60) }, at(60))?.startIteration).toBe(0)
  })

  it('uses the newer of the metrics lines and the reported progress', () => {
    const pace = paceOf([30, [100]], [60, [200]])
    const said = (seconds: number) => ({ ...facts, pace, reported: { iteration: 150 }, reportedAt: at(seconds) })
    expect(progressOf(said(45), at(70))).toMatchObject({ iteration: 200, asOf: at(60) })
    expect(progressOf(said(60), at(70))).toMatchObject({ iteration: 150, asOf: at(60) })
    expect(progressOf(said(65), at(70))).toMatchObject({ iteration: 150, asOf: at(65) })
  })
})

describe('a reported run', () => {
  const t = testDb()
  let world: World
  let ada: AccountRef
  beforeAll(async () => {
    world = await makeWorld({ db: t.db })
    ada = await world.user()
  })
  afterAll(() => world?.close())
  const running = (recipe: Record<string, unknown> = {}) =>
    putRun(t.db, {
      ownerId: ada.id,
      status: 'running',
      claimCredential: 'key_runner',
      recipe: { template: 'act', dataset: [], ...recipe },
    })
  const runner = () => world.as(ada, { kind: 'key', credentialId: 'key_runner' })
  const heardOf = (runId: string, secondsAgo: number) =>
    world.sql('update runs set heartbeat_at = now() - make_interval(secs => $2) where id = $1', [runId, secondsAgo])

  it('has the rate of its lines, even if both are in one report', async () => {
    const runId = await running({ parent_checkpoint_step: 40 })
    await heardOf(runId, 20)
    const first = await reportRun(runner(), { runId, metrics: [{ iteration: 50 }, { iteration: 60 }] })
    expect(first.progress).toMatchObject({ iteration: 60, startIteration: 40 })
    expect(first.progress?.iterationsPerS).toBeCloseTo(1, 1)
    const atOnce = await reportRun(runner(), { runId, metrics: [{ iteration: 70 }] })
    expect(atOnce.progress?.iterationsPerS).toBeLessThan(2.5)
  })

  it('has the iteration of the newest line even if an older report had one, by the step key of the trainer', async () => {
    const runId = await running()
    const progress = { iteration: 7, step_key: 'epoch' }
    const said = await reportRun(runner(), { runId, progress, metrics: [{ step: 7000, epoch: 7 }] })
    expect(said.progress?.iteration).toBe(7)
    await world.sql(
      `update runs set progress_at = progress_at - interval '1 s', heartbeat_at = heartbeat_at - interval '10 s' where id = $1`,
      [runId],
    )
    const later = await reportRun(runner(), {
      runId,
      metrics: [
        { step: 8000, epoch: 8 },
        { step: 9000, epoch: 9 },
      ],
    })
    expect(later.progress).toMatchObject({ iteration: 9, stepKey: 'epoch' })
    expect(later.progress?.iterationsPerS).toBeLessThanOrEqual(2)
  })
})
