import { describe, expect, it } from 'vitest'
import { displayNameOf } from '../../../src/runs/read/display-name.ts'
import { type ProgressFacts, progressOf } from '../../../src/runs/read/progress.ts'
import { type SpendFacts, spendOf } from '../../../src/runs/read/spend.ts'
import { accruedUsd, billedSeconds } from '../../../src/work/meter.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
const ms = (seconds: number) => Date.parse(at(seconds))

describe('progress', () => {
  const facts = (change: Partial<ProgressFacts> = {}): ProgressFacts => ({
    reported: { iteration: 300, final_iteration: 500, start_iteration: 100 },
    reportedAt: at(60),
    pace: [
      [ms(0), 180],
      [ms(60), 300],
    ],
    startStep: null,
    running: true,
    ...change,
  })

  it('is null until something was reported', () => {
    expect(progressOf(facts({ reported: null, reportedAt: null, pace: null }), at(0))).toBeNull()
  })

  it('computes the fraction from the start of the run, and the arrival from the last report', () => {
    expect(progressOf(facts(), at(70))).toMatchObject({
      iteration: 300,
      startIteration: 100,
      fraction: 0.5,
      iterationsPerS: 2,
      // 200 iterations at 2 a second after the report at 60, seen at 70.
      etaAt: at(160),
      etaS: 90,
      asOf: at(60),
    })
  })

  it('computes the end from start and total without a final iteration', () => {
    const reported = { iteration: 150, total_iterations: 100, start_iteration: 100 }
    expect(progressOf(facts({ reported }), at(60))).toMatchObject({
      fraction: 0.5,
      totalIterations: 100,
      finalIteration: null,
    })
  })

  it('has a whole iteration where the trainer counts in fractions, and none beyond the safe integers', () => {
    const iterationAt = (step: number) => progressOf(facts({ pace: [[ms(61), step]] }), at(70))?.iteration
    expect([7.75, -0.5, 2 ** 53, 1e300].map(iterationAt)).toEqual([7, -1, null, null])
  })

  it('has no rate before two reports, and uses the rate that the trainer reports', () => {
    const pace = [[ms(0), 1]] as const
    expect(progressOf(facts({ pace }), at(60))).toMatchObject({ iterationsPerS: null, etaS: null, etaAt: null })
    const reported = { iteration: 1, final_iteration: 11, iterations_per_s: 1 }
    expect(progressOf(facts({ pace, reported }), at(60))).toMatchObject({ iterationsPerS: 1, etaAt: at(70) })
  })

  it('estimates the end as now when it is late, and not at all when it has ended or makes no progress', () => {
    expect(progressOf(facts(), at(1000))).toMatchObject({ etaS: 0, etaAt: at(1000) })
    expect(progressOf(facts({ running: false }), at(70))).toMatchObject({ etaS: null, etaAt: null, fraction: 0.5 })
    const pace = [
      [ms(0), 300],
      [ms(60), 300],
    ] as const
    expect(progressOf(facts({ pace }), at(70))).toMatchObject({ iterationsPerS: null, etaS: null })
  })

  it('has no time past the maximum date', () => {
    const reported = { iteration: 0, final_iteration: 1e300, iterations_per_s: 1e-300 }
    expect(progressOf(facts({ reported, pace: null }), at(70))).toMatchObject({ etaS: null, etaAt: null })
  })
})

describe('spend', () => {
  const priced: SpendFacts = {
    priced: true,
    rateUsdPerHour: '1.9512',
    budgetUsd: '2.0000',
    claimedAt: at(0),
    cancelRequestedAt: null,
    deadlineAt: null,
    finishedAt: null,
    costUsd: null,
  }

  it('accrues from the claim, exactly', () => {
    expect(accruedUsd(priced, at(3600))).toBe('1.9512')
    expect(accruedUsd(priced, at(1))).toBe('0.0005')
    expect(accruedUsd({ ...priced, claimedAt: null }, at(3600))).toBe('0.0000')
    expect(spendOf(priced, at(3600))).toEqual({
      priced: true,
      accruedUsd: 1.9512,
      rateUsdPerHour: 1.9512,
      budgetUsd: 2,
      remainingUsd: 0.0488,
      final: false,
      asOf: at(3600),
    })
  })

  it('stops a minute after a cancel, however long the runner takes', () => {
    expect(billedSeconds({ ...priced, cancelRequestedAt: at(100) }, at(120))).toBe(120)
    expect(billedSeconds({ ...priced, cancelRequestedAt: at(100) }, at(4000))).toBe(160)
    expect(billedSeconds({ ...priced, cancelRequestedAt: at(100), finishedAt: at(130) }, at(4000))).toBe(130)
  })

  it('is the billed amount once the run has ended, and the rest is never negative', () => {
    expect(spendOf({ ...priced, finishedAt: at(3600), costUsd: '2.5000' }, at(9999))).toMatchObject({
      accruedUsd: 2.5,
      remainingUsd: 0,
      final: true,
      asOf: at(3600),
    })
  })

  it('has no numbers on an unpriced run', () => {
    const unpriced = spendOf({ ...priced, priced: false }, at(3600))
    expect(unpriced).toMatchObject({
      priced: false,
      accruedUsd: null,
      rateUsdPerHour: null,
      budgetUsd: null,
      remainingUsd: null,
    })
    expect(accruedUsd({ ...priced, priced: false }, at(3600))).toBe('0.0000')
  })
})

describe('display name', () => {
  const run = {
    id: 'run_01jd00000000000000000abcde',
    givenName: null,
    template: 'act',
    robot: null,
    outputRepoName: null,
    runName: undefined,
  }
  it.each([
    [{ givenName: 'night run', outputRepoName: 'ada/out', runName: 'mine' }, 'night run', 'name'],
    [{ outputRepoName: 'ada/out', runName: 'mine' }, 'ada/out', 'output_repo'],
    [{ runName: 'mine' }, 'mine', 'run_name'],
    [{ runName: ' ' }, 'act 0abcde', 'recipe'],
    [{ runName: 7, robot: 'ada/arm' }, 'act ada/arm 0abcde', 'recipe'],
  ])('of %j is %s', (change, name, source) => {
    expect(displayNameOf({ ...run, ...change })).toEqual({ name, source })
  })
})
