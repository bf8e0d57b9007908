import { afterEach, expect, it, vi } from 'vitest'
import { KeyedSlots } from '../../src/platform/keyed-slots.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Counts the timers of slots that have not gone off: hubs of other files in this process set some of their own. */
function countTimers(): () => number {
  let count = 0
  const set = globalThis.setTimeout
  const counting = (work: () => void, ms?: number) => {
    if (!new Error().stack?.includes('src/platform/keyed-slots.ts')) return set(work, ms)
    count += 1
    return set(() => {
      count -= 1
      work()
    }, ms)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(counting as typeof setTimeout)
  return () => count
}

it('slots set one timer for all who wait, and refuse each at its own time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const timers = countTimers()
  const slots = new KeyedSlots({ running: 1, waiting: 10, waitMs: 1000 }, () => new Error('too long'))
  const leave = await slots.enter('a')
  const leaveOther = await slots.enter('b')
  const ended: string[] = []
  const wait = (key: string, name: string) =>
    void slots.enter(key).then(
      () => ended.push(`${name} has it`),
      () => ended.push(`${name} refused`),
    )
  for (const name of ['a1', 'a2']) wait('a', name)
  await vi.advanceTimersByTimeAsync(400)
  wait('b', 'b1')
  wait('a', 'a3')
  expect(timers()).toBe(1)
  leave()
  await vi.advanceTimersByTimeAsync(599)
  expect(ended).toEqual(['a1 has it'])
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toEqual(['a1 has it', 'a2 refused'])
  expect(timers()).toBe(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(ended.slice(2).sort()).toEqual(['a3 refused', 'b1 refused'])
  expect(timers()).toBe(0)
  leaveOther()
  expect(slots.enterNow('b')).toBeTypeOf('function')
  expect(slots.enterNow('b')).toBeNull()
})
