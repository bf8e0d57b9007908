import { describe, expect, it } from 'vitest'
import { seriesBuilder } from '../../../src/runs/metrics/metric-series.ts'

function drawn(values: readonly number[], maxPoints: number) {
  const builder = seriesBuilder('loss', maxPoints)
  for (const [at, value] of values.entries()) builder.add(at, value)
  return builder.series()
}

const noise = (length: number) => Array.from({ length }, (_, at) => Math.sin(at * at))

describe('a series', () => {
  it('is empty without lines', () => {
    expect(seriesBuilder('loss', 500).series()).toEqual({ key: 'loss', count: 0, points: [], elapsedS: [] })
  })

  it.each([1, 2, 3, 99, 100])('shows %i lines unchanged if 100 points are allowed', (length) => {
    const values = noise(length)
    expect(drawn(values, 100).points).toEqual(values.map((value, at) => [at, value]))
  })

  it('shows equal values unchanged too', () => {
    expect(drawn([1, 1, 1, 1], 4).points).toHaveLength(4)
  })

  it.each([
    [101, 100],
    [1000, 100],
    [12_345, 100],
    [12_345, 99],
    [1000, 2],
    [1000, 3],
    [1001, 7],
    [50_000, 5000],
  ])('of %i lines has at most %i points, at least a quarter of them, all true and in order', (length, maxPoints) => {
    const values = noise(length)
    const { count, points } = drawn(values, maxPoints)
    expect(count).toBe(length)
    expect(points.length).toBeLessThanOrEqual(maxPoints)
    expect(points.length).toBeGreaterThanOrEqual(Math.floor(maxPoints / 4))
    expect(points.every(([step, value]) => values[step] === value)).toBe(true)
    expect(points.map(([step]) => step)).toEqual(points.map(([step]) => step).toSorted((a, b) => a - b))
  })

  it('keeps a peak and a dip wherever they are', () => {
    for (let at = 0; at < 3000; at += 37) {
      const values = noise(3000)
        .with(at, 9)
        .with((at + 1234) % 3000, -9)
      const kept = drawn(values, 20).points.map(([, value]) => value)
      expect([Math.max(...kept), Math.min(...kept)]).toEqual([9, -9])
    }
  })

  it('is as dense at its beginning as at its end', () => {
    const steps = drawn(noise(10_000), 100).points.map(([step]) => step)
    const early = steps.filter((step) => step < 5000).length
    expect(early).toBeGreaterThan(steps.length * 0.4)
    expect(early).toBeLessThan(steps.length * 0.6)
  })
})
