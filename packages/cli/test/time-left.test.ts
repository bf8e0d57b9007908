/** Estimates of how long a transfer takes, of transfers whose true duration is known. */
import { describe, expect, it } from 'vitest'
import { timeLeft } from '../src/time-left.ts'

const MB = 1_000_000
interface Cost {
  readonly perFileS: number
  readonly perByteS: number
}

/** Moves files one after the other, and at each whole second says what it estimates and how long it really takes. */
function transfer(sizes: readonly number[], { perFileS, perByteS }: Cost) {
  const estimate = timeLeft(0)
  const costOf = (size: number) => perFileS + size * perByteS
  const wholeS = sizes.reduce((sum, size) => sum + costOf(size), 0)
  const left = { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  const told: { atS: number; estimateS: number | null; trueS: number }[] = []
  let atS = 0
  const pass = (seconds: number) => {
    const until = atS + seconds
    for (let next = Math.floor(atS) + 1; next <= until; next += 1)
      told.push({ atS: next, estimateS: estimate.seconds(next * 1000, left), trueS: wholeS - next })
    atS = until
  }
  for (const size of sizes) {
    pass(perFileS)
    for (let sent = 0; sent < size; sent += MB) {
      const bytes = Math.min(MB, size - sent)
      pass(bytes * perByteS)
      estimate.moved(atS * 1000, { files: 0, bytes })
      left.bytes -= bytes
    }
    estimate.moved(atS * 1000, { files: 1, bytes: 0 })
    left.files -= 1
  }
  return told
}

const slow = { perFileS: 0.05, perByteS: 1 / (10 * MB) }
const shown = (told: ReturnType<typeof transfer>) => told.filter(({ estimateS }) => estimateS !== null)
/** The largest factor between an estimate and the truth, while ten seconds or more are left. */
const worst = (told: ReturnType<typeof transfer>) =>
  Math.max(
    ...shown(told)
      .filter(({ trueS }) => trueS >= 10)
      .map(({ estimateS, trueS }) => Math.max((estimateS ?? 0) / trueS, trueS / (estimateS ?? 1))),
  )

describe('the time that is left', () => {
  it('of files of one size is right after two seconds, and to the end', () => {
    const told = transfer(Array(2000).fill(5000), slow)
    expect(worst(told)).toBeLessThan(1.1)
    expect(shown(told)[0]?.atS).toBeLessThanOrEqual(4)
  })

  it('of many small files before a large one is not their speed for all bytes', () => {
    const told = transfer([...Array(600).fill(4000), 1000 * MB], slow)
    // By bytes alone the first seconds say: 1 GB at 80 kB/s, more than three hours.
    expect(Math.max(...shown(told).map(({ estimateS }) => estimateS ?? 0))).toBeLessThan(200)
    expect(worst(told)).toBeLessThan(1.5)
    expect(shown(told).length).toBeGreaterThan(60)
  })

  it('of a large file before many small ones is not its speed for all bytes', () => {
    const told = transfer([300 * MB, ...Array(4000).fill(100)], slow)
    expect(shown(told).filter(({ atS }) => atS < 30)).toEqual([])
    expect(worst(told)).toBeLessThan(1.5)
  })

  it('of files that grow is never far off', () => {
    const told = transfer(
      Array.from({ length: 400 }, (_, index) => 1000 * 1.025 ** index),
      slow,
    )
    expect(worst(told)).toBeLessThan(1.5)
    expect(shown(told).length).toBeGreaterThan(70)
  })

  it('of one large file is its bytes at its speed', () => {
    const told = transfer([2000 * MB], { perFileS: 0, perByteS: 1 / (10 * MB) })
    expect(worst(told)).toBeLessThan(1.05)
    expect(shown(told).length).toBeGreaterThan(190)
  })

  it('of empty files is that of files', () => {
    expect(worst(transfer(Array(1000).fill(0), slow))).toBeLessThan(1.1)
  })

  it('is unknown while nothing has moved, and after nothing moved for a quarter of a minute', () => {
    const estimate = timeLeft(0)
    const left = { files: 1, bytes: 50 * MB }
    expect(estimate.seconds(60_000, left)).toBe(null)
    estimate.moved(61_000, { files: 0, bytes: MB })
    expect(estimate.seconds(62_000, left)).toBeGreaterThan(1000)
    expect(estimate.seconds(80_000, left)).toBe(null)
  })

  it('counts what is sent again, and follows a network that becomes slower', () => {
    const estimate = timeLeft(0)
    const left = { files: 1, bytes: 100 * MB }
    for (let s = 1; s <= 60; s += 1) estimate.moved(s * 1000, { files: 0, bytes: 10 * MB })
    expect(estimate.seconds(60_000, left)).toBeCloseTo(10, 0)
    estimate.moved(61_000, { files: 0, bytes: -8 * MB })
    for (let s = 62; s <= 160; s += 1) estimate.moved(s * 1000, { files: 0, bytes: MB })
    expect(estimate.seconds(160_000, left)).toBeGreaterThan(70)
    expect(estimate.rate(160_000)).toBeLessThan(1.5 * MB)
  })
})
