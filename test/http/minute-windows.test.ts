/** Windows of a minute, which the limits of callers are counted in. */
import { afterEach, expect, it, vi } from 'vitest'
import { MinuteWindows } from '../../src/http/minute-windows.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A clock that is told the time. */
function clock() {
  const now = vi.spyOn(performance, 'now')
  return (ms: number) => void now.mockReturnValue(ms)
}

it('counts what a key uses until a minute after its first use, and begins again then', () => {
  const at = clock()
  at(1000)
  const windows = new MinuteWindows<'requests' | 'cost'>()
  expect(windows.of('a').add('requests', 1)).toBe(1)
  expect(windows.of('a').add('cost', 40)).toBe(40)
  at(60_999)
  expect(windows.of('a').add('requests', 2)).toBe(3)
  expect([windows.of('a').used('cost'), windows.of('a').resetS]).toEqual([40, 1])
  expect(windows.of('b').used('requests')).toBe(0)
  at(61_000)
  expect([windows.of('a').used('requests'), windows.of('a').used('cost'), windows.of('a').resetS]).toEqual([0, 0, 60])
})

it('forgets the keys whose minute has ended, and none whose has not', () => {
  const at = clock()
  at(0)
  const windows = new MinuteWindows<'requests'>()
  for (let key = 0; key < 1000; key += 1) windows.of(`old ${key}`)
  at(30_000)
  windows.of('young').add('requests', 5)
  expect(windows.size).toBe(1001)
  at(60_000)
  windows.of('new')
  expect(windows.size).toBe(2)
  expect(windows.of('young').used('requests')).toBe(5)
})
