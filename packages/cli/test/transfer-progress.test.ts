/** Progress of a transfer, with a clock of the test. */
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { progressOn } from '../src/transfer-progress.ts'

const MB = 1_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function shown(isTTY: boolean) {
  let text = ''
  const write = (chunk: Buffer, _: string, done: () => void) => {
    text += String(chunk)
    done()
  }
  const stream = Object.assign(new Writable({ write }), { isTTY, columns: 200 })
  return { progress: progressOn(stream, { plan: false }), text: () => text }
}

it('says that it waits for the hub where nothing moves, and counts on from there', () => {
  const { progress, text } = shown(false)
  progress.begin('send', 1, 100 * MB)
  for (let second = 0; second < 5; second += 1) {
    vi.advanceTimersByTime(999)
    progress.bytes(5 * MB)
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(20_000)
  progress.bytes(MB)
  vi.advanceTimersByTime(5000)
  progress.end()
  const lines = text().trim().split('\n')
  expect(lines[0]).toMatch(/^hub: pushing 25%, 25 MB of 100 MB, 0 of 1 file, 5 MB\/s, 16 s left$/)
  // The rate falls while nothing moves, and after a quarter of a minute the rest is not guessed.
  expect(lines.map((line) => line.endsWith('waiting for the hub'))).toEqual([false, false, false, true, true, false])
  expect(lines.at(-1)).toMatch(/^hub: pushing 26%, .*, [1-9]\d* s left$|min \d+ s left$/)
})

it('says so on a terminal, too, where the bar is drawn while nothing moves; hashing waits for no hub', () => {
  const { progress, text } = shown(true)
  progress.begin('send', 1, 100 * MB)
  vi.advanceTimersByTime(3000)
  progress.bytes(MB)
  vi.advanceTimersByTime(14_000)
  expect(text()).not.toContain('waiting')
  vi.advanceTimersByTime(4000)
  expect(text()).toContain('waiting for the hub')
  progress.end()
  const before = text().length
  progress.begin('hash', 1, 100 * MB)
  vi.advanceTimersByTime(60_000)
  progress.end()
  expect(text().slice(before)).not.toContain('waiting')
})

it('tells no time in the first two seconds, and none that jumps after them', () => {
  const { progress, text } = shown(true)
  progress.begin('send', 1, 400 * MB)
  for (let tick = 0; tick < 200; tick += 1) {
    vi.advanceTimersByTime(100)
    // 10 MB a second that come in bursts, as they do.
    if (tick % 5 === 4) progress.bytes(5 * MB)
  }
  progress.end()
  const told = [...text().matchAll(/\| ([\d.]+) MB of 400 MB \|[^|]*\| (\d+) s left/g)].map(([, moved, left]) => [
    Number(moved),
    Number(left),
  ])
  expect(told.length).toBeGreaterThan(50)
  expect(Math.min(...told.map(([moved = 0]) => moved))).toBeGreaterThanOrEqual(15)
  for (const [moved = 0, left = 0] of told) expect(Math.abs(left - (400 - moved) / 10)).toBeLessThanOrEqual(12)
})

it('says at the end how fast the transfer was: without what was there, what was sent again, and other work', () => {
  const { progress } = shown(false)
  progress.begin('hash', 2, 100 * MB)
  vi.advanceTimersByTime(30_000)
  progress.bytes(100 * MB)
  progress.begin('send', 2, 100 * MB)
  progress.bytes(40 * MB, 'known')
  vi.advanceTimersByTime(5000)
  progress.bytes(30 * MB)
  progress.bytes(-10 * MB)
  progress.bytes(40 * MB)
  progress.end()
  vi.advanceTimersByTime(30_000)
  expect(progress.speedText()).toBe(' (12 MB/s)')
  expect(shown(false).progress.speedText()).toBe('')
})
