import { describe, expect, it } from 'vitest'
import { addRewards, type CurvePoint, type RewardCurve, sparklineOf } from '../../../src/runs/read/sparkline.ts'

const line = (length: number, reward: (step: number) => number): CurvePoint[] =>
  Array.from({ length }, (_, step) => [step, reward(step)])

/** As reports bring them: a few lines each, the curve stored as JSON in between. */
function reported(points: readonly CurvePoint[], atOnce: number): RewardCurve | null {
  let curve: RewardCurve | null = null
  for (let at = 0; at < points.length; at += atOnce) {
    curve = addRewards(curve, 'mean_reward', points.slice(at, at + atOnce))
    curve = JSON.parse(JSON.stringify(curve)) as RewardCurve
  }
  return curve
}

/** Of a long curve more lines at once: each report reads and writes the whole of it. */
const drawn = (points: readonly CurvePoint[], atOnce = points.length > 10_000 ? 200 : 10) =>
  sparklineOf(reported(points, atOnce))?.points ?? []

describe('the sparkline', () => {
  it('is null until a line has a reward', () => {
    expect(sparklineOf(null)).toBeNull()
    expect(addRewards(null, 'reward', [])).toBeNull()
  })

  it('names the metric that the curve started with', () => {
    const curve = addRewards(addRewards(null, 'reward', [[0, 1]]), 'mean_reward', [[1, 2]])
    expect(sparklineOf(curve)).toEqual({
      metric: 'reward',
      points: [
        [0, 1],
        [1, 2],
      ],
    })
  })

  it.each([1, 2, 3, 63, 64])('shows %i rewards unchanged', (count) => {
    const points = line(count, (step) => Math.sin(step))
    expect(drawn(points)).toEqual(points)
  })

  it.each([65, 255, 256, 257, 511, 512, 513, 1000, 5003, 40_000])('draws %i rewards as 64 points at most', (count) => {
    const points = line(count, (step) => Math.sin(step / 300))
    const curve = drawn(points)
    expect(curve.length).toBeLessThanOrEqual(64)
    expect(curve.length).toBeGreaterThanOrEqual(60)
    expect(curve.every(([step, reward]) => points[step]?.[1] === reward)).toBe(true)
    expect(curve.at(-1)).toEqual(points.at(-1))
    expect(new Set(curve.map(([step]) => step)).size).toBe(curve.length)
  })

  it('does not depend on how many lines a report brings', () => {
    const points = line(3000, (step) => Math.cos(step / 50) * step)
    expect(drawn(points, 1)).toEqual(drawn(points, 1000))
  })

  it('is as dense at its beginning as at its end', () => {
    const curve = drawn(line(20_000, (step) => Math.sin(step / 17)))
    const early = curve.filter(([step]) => step < 10_000).length
    expect(early).toBeGreaterThan(24)
    expect(early).toBeLessThan(40)
  })

  it('keeps a peak and a dip of one line', () => {
    const points = line(10_000, (step) => (step === 3333 ? 50 : step === 7777 ? -50 : step / 10_000))
    const rewards = drawn(points).map(([, reward]) => reward)
    expect(rewards).toContain(50)
    expect(rewards).toContain(-50)
  })

  it('continues where a run resumed at an earlier step', () => {
    const points = [...line(300, () => 1), ...line(300, () => 2)]
    expect(drawn(points).length).toBeLessThanOrEqual(64)
  })

  it('handles rewards and steps of any size', () => {
    const points = line(500, (step) => (step % 2 ? 1 : -1) * Number.MAX_VALUE).map(
      ([step, reward]): CurvePoint => [step * 1e305, reward],
    )
    expect(drawn(points)).toHaveLength(64)
  })

  it('handles a flat line', () => {
    expect(drawn(line(500, () => 0))).toHaveLength(64)
  })

  it('stores a few kilobytes per run, however long it trains', () => {
    const curve = reported(
      line(100_000, (step) => Math.random() + step),
      500,
    )
    expect(JSON.stringify(curve).length).toBeLessThan(16_000)
  })
})
