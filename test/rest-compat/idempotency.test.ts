import { expect, it, onTestFinished, vi } from 'vitest'
import { type Claim, claimKey, digestOf } from '../../src/operation/idempotency.ts'
import { HubError } from '../../src/platform/errors.ts'
import type { Db, Statement } from '../../src/store/db.ts'
import { announce } from '../../src/store/presence.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const scope = {
  credentialId: 'key_1',
  method: 'POST',
  path: '/v1/runs',
  key: 'k',
  bodySha256: digestOf({}, Buffer.alloc(0)),
}
const claim = (db: Db) => claimKey({ db, events: { instance: null } }, scope, AbortSignal.timeout(100_000), 0)
const claimed = (found: Claim) => {
  if (found.kind !== 'claimed') throw new Error('The key is not ours.')
  return found
}

it('a key that cannot be freed while the database is away is free soon after it is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let isAway = false
  const away = (async (statement: Statement<unknown>, values?: readonly unknown[]) => {
    if (isAway) throw new HubError('unavailable', 'The database does not answer.')
    return t.db.query(statement, values)
  }) as Db['query']
  const own = claimed(await claim({ ...t.db, query: away }))
  isAway = true
  await expect(own.release()).rejects.toThrow('does not answer')
  await vi.advanceTimersByTimeAsync(5_000)
  await expect(claim(t.db)).rejects.toThrow('still in progress')
  isAway = false
  await vi.advanceTimersByTimeAsync(2_000)
  await vi.waitFor(async () => expect((await claim(t.db)).kind).toBe('claimed'), { timeout: 100_000 })
})

it('a key that was claimed by a request whose connection was lost before the answer is free soon after', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const lossy = (async (statement: Statement<unknown>, values?: readonly unknown[]) => {
    await t.db.query(statement, values)
    throw new HubError('unavailable', 'The database does not answer.')
  }) as unknown as Db['query']
  const cut = { ...scope, key: 'cut' }
  const claimCut = (query: Db['query']) =>
    claimKey({ db: { ...t.db, query }, events: { instance: null } }, cut, AbortSignal.timeout(100_000), 0)
  await expect(claimCut(lossy)).rejects.toThrow('does not answer')
  await expect(claimCut(t.db.query)).rejects.toThrow('still in progress')
  await vi.advanceTimersByTimeAsync(2_000)
  // Well before the takeover, which comes after a minute.
  await vi.waitFor(async () => expect((await claimCut(t.db.query)).kind).toBe('claimed'), { timeout: 50_000 })
})

it('the claim of a hub that is gone is taken over at once, and fenced; that of one that is there is not', async () => {
  const of = (instance: number | null) =>
    claimKey({ db: t.db, events: { instance } }, { ...scope, key: 'gone' }, AbortSignal.timeout(100_000), 0)
  const client = await t.db.pool.connect()
  const instance = await announce(client)
  const first = claimed(await of(instance))
  await expect(of(null)).rejects.toThrow('still in progress')
  client.release(true)
  const second = await vi.waitFor(async () => claimed(await of(null)), { timeout: 100_000 })
  await expect(t.db.withTx((tx) => first.slot.record(tx, 'first'))).rejects.toThrow('took over')
  await t.db.withTx((tx) => second.slot.record(tx, 'second'))
  expect(await of(null)).toEqual({ kind: 'replay', answer: { ok: 'second', of: null } })
})
