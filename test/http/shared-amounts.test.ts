/** What one process of a port tells the others of what it counts. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SharedAmounts } from '../../src/http/shared-amounts.ts'
import { type PeerMessage, Peers } from '../../src/platform/peers.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('tells sums of all sorts in one message, at most every 50 ms', () => {
  const [one, two] = [new Peers(), new Peers()]
  const sent: PeerMessage[] = []
  one.join({ send: (message) => void sent.push(message) })
  two.join({ send: () => undefined })
  const heard: unknown[] = []
  const amounts = ['keys', 'accounts'].map((sort) => {
    new SharedAmounts(sort, (...told) => void heard.push([sort, ...told]), two)
    return new SharedAmounts<'requests' | 'cost'>(sort, () => expect.unreachable(), one)
  })
  for (let n = 0; n < 3; n += 1)
    for (const sort of amounts) {
      sort.note('a', 'requests', 1)
      sort.note('a', 'cost', 20)
    }
  vi.advanceTimersByTime(49)
  expect(sent).toHaveLength(0)
  vi.advanceTimersByTime(1)
  amounts[0]?.note('b', 'requests', 1)
  vi.advanceTimersByTime(500)
  expect(sent).toHaveLength(2)
  for (const message of sent) two.receive(JSON.parse(JSON.stringify(message)))
  expect(heard).toEqual([
    ['keys', 'a', 'requests', 3],
    ['keys', 'a', 'cost', 60],
    ['accounts', 'a', 'requests', 3],
    ['accounts', 'a', 'cost', 60],
    ['keys', 'b', 'requests', 1],
  ])
})

it('is nothing for a hub of one process', () => {
  const amounts = new SharedAmounts('keys', () => expect.unreachable(), new Peers())
  amounts.note('a', 'requests', 1)
  expect([amounts.areShared, vi.getTimerCount()]).toEqual([false, 0])
})
