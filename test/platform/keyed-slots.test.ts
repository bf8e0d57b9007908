import { afterEach, expect, it, vi } from 'vitest'
import { KeyedSlots } from '../../src/platform/keyed-slots.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('slots set one timer for all who wait, and refuse each at its own time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
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
  expect(vi.getTimerCount()).toBe(1)
  leave()
  await vi.advanceTimersByTimeAsync(599)
  expect(ended).toEqual(['a1 has it'])
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toEqual(['a1 has it', 'a2 refused'])
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(ended.slice(2).sort()).toEqual(['a3 refused', 'b1 refused'])
  expect(vi.getTimerCount()).toBe(0)
  leaveOther()
  expect(slots.enterNow('b')).toBeTypeOf('function')
  expect(slots.enterNow('b')).toBeNull()
})
