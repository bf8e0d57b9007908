/** How much callers may write, by the clock. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Caller } from '../../src/http/rate-limit.ts'
import { WrittenBytes } from '../../src/http/written-bytes.ts'
import { Peers } from '../../src/platform/peers.ts'
import { countWrite } from '../../src/store/write-budget.ts'

const PER_DAY = 86_400_000
/** An eighth of it. */
const MOST = 10_800_000
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const key: Caller = { credentialId: 'key_1', accountIds: ['org_1', 'user_1'] }
const other: Caller = { credentialId: 'key_2', accountIds: ['org_2', 'user_1'] }
const session: Caller = { credentialId: 'sess_1', accountIds: ['user_1'] }
const refused = (name: string, retryAfterS: number) =>
  expect.objectContaining({
    type: 'rate.limited',
    facts: expect.objectContaining({ name, retryAfterS, unit: 'bytes' }),
  })

it('an account writes so much at once, and as much as drains after that; its persons have some more', () => {
  const written = new WrittenBytes(PER_DAY)
  written.of(key).take(MOST - 1)
  expect(() => written.of(key).assertRoom()).not.toThrow()
  written.of(key).take(5001)
  expect(() => written.of(key).assertRoom()).toThrow(refused('account-written', 5))
  // The person behind it is the same.
  expect(() => written.of(other).assertRoom()).toThrow(refused('account-written', 5))
  expect(() => written.of(session).assertRoom()).not.toThrow()
  expect(() => written.of({ credentialId: 'key_3', accountIds: ['user_3'] }).assertRoom()).not.toThrow()
  written.of(session).take(MOST / 8)
  expect(() => written.of(session).assertRoom()).toThrow(refused('account-written', 5))
  vi.advanceTimersByTime(5001 + MOST / 8)
  expect(() => written.of(key).assertRoom()).not.toThrow()
})

it('counts what the other processes of the port let through', () => {
  const [one, two] = [new Peers(), new Peers()]
  const { promise, resolve } = Promise.withResolvers<void>()
  one.join({
    send(message) {
      two.receive(message)
      resolve()
    },
  })
  two.join({ send: (message) => one.receive(message) })
  const [first, second] = [new WrittenBytes(PER_DAY, one), new WrittenBytes(PER_DAY, two)]
  const address: Caller = { address: '192.0.2.1' }
  first.of(key).take(MOST - 1)
  first.of(key).take(5001)
  first.of(address).take(MOST / 32)
  expect(() => second.of(key).assertRoom()).not.toThrow()
  return promise.then(() => {
    for (const written of [first, second]) {
      expect(() => written.of(other).assertRoom()).toThrow(refused('account-written', 5))
      expect(() => written.of(address).assertRoom()).toThrow(refused('address-written', 1))
    }
    vi.advanceTimersByTime(5001)
    expect(() => second.of(key).assertRoom()).not.toThrow()
  })
})

it('an anonymous network has a part of it, and who wrote nothing lately is forgotten', () => {
  const written = new WrittenBytes(PER_DAY)
  written.of({ address: '2001:db8::1' }).take(MOST / 32)
  expect(() => written.of({ address: '2001:db8::2' }).assertRoom()).toThrow(refused('address-written', 1))
  for (let at = 0; at < 5000; at += 1) {
    written.of({ address: `10.0.${at >> 8}.${at & 255}` }).take(10)
    vi.advanceTimersByTime(10)
  }
  expect(written.size).toBeLessThan(2100)
})

it('counts rows and their values, and of a row that is written again what it grows', () => {
  const taken: number[] = []
  const budget = { assertRoom: () => undefined, take: (bytes: number) => taken.push(bytes) }
  countWrite(budget, { name: 'insert', writes: 'rows' }, ['four', null, 1, true, Buffer.alloc(3)])
  countWrite(budget, { name: 'insert-list', writes: 'rows' }, ['four', ['a', 'bb', null], [1, 2, 3]])
  const report = { name: 'report', writes: 'changes', rowAt: 0 } as const
  for (const text of ['aaaa', 'aaa', 'aaaaaa', 'a', 'aaaaaaa']) countWrite(budget, report, ['row', text])
  expect(taken).toEqual([4 + 8 + 8 + 3 + 128, 4 + 3 + 24 + 3 * 128, 7, 2, 1])
})
