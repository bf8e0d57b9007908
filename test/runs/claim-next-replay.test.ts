/** claim-next under an Idempotency-Key: a lost response never leaves a claimed run of which its runner does not know. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, contractHub, newName, type Person, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string

beforeEach(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

const submit = async () => (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id as string
const next = (once: string, who = key, more: object = {}) =>
  hub.call(who, 'POST', '/v1/runs/claim-next', { worker: 'w', ...more }, { 'idempotency-key': once })
const report = (run: string, body: object) => hub.call(key, 'POST', `/v1/runs/${run}/report`, body)
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'
const statusOf = async (run: string) => (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json.status

describe('claim-next under an Idempotency-Key', () => {
  it('after an empty result runs again, and then replays the claimed run', async () => {
    const once = newName()
    for (const empty of [await next(once), await next(once)])
      expect([empty.status, isReplayed(empty)]).toEqual([204, false])
    const run = await submit()
    const taken = await next(once)
    expect([taken.status, taken.json.id, isReplayed(taken)]).toEqual([200, run, false])
    for (const again of [await next(once), await next(once)])
      expect([again.status, isReplayed(again), again.json]).toEqual([200, true, taken.json])
  })

  it('claims one run for any number of concurrent identical requests', async () => {
    const [once, runs] = [newName(), await Promise.all([submit(), submit(), submit()])]
    const twins = await Promise.all(Array.from({ length: 8 }, () => next(once)))
    expect(new Set(twins.map(({ status, json }) => `${status} ${json.id}`)).size).toBe(1)
    const statuses = await Promise.all(runs.map(statusOf))
    expect(statuses.toSorted()).toEqual(['queued', 'queued', 'running'])
  })

  it('that waits claims the next run, and its repeat returns that run', async () => {
    const once = newName()
    const waiting = next(once, key, { wait_s: 30 })
    const run = await submit()
    expect((await waiting).json.id).toBe(run)
    expect((await next(once, key, { wait_s: 30 })).json.id).toBe(run)
  })

  it('is 409 once the attempt has ended: a runner must not start an ended run or another attempt', async () => {
    const [ended, lost] = [newName(), newName()]
    const first = await submit()
    await next(ended)
    await report(first, { status: 'failed', attempt: 1 })
    const over = await next(ended)
    expect([over.status, types(over), isReplayed(over)]).toEqual([409, ['conflict.terminal'], false])
    const second = await submit()
    await next(lost)
    const aside = `update runs set status = 'queued', claim_credential = null, claimed_by = null, lease_expires_at = null where id = $1`
    await hub.sql(aside, [second])
    expect(types(await next(lost))).toEqual(['conflict.not_claimer'])
    expect((await next(newName())).json).toMatchObject({ id: second, attempt: 2 })
    expect(types(await next(lost))).toEqual(['conflict.not_claimer'])
  })
})

describe('a claim of one run under an Idempotency-Key', () => {
  it('is returned again while its attempt lasts, and 409 from then on', async () => {
    const run = await submit()
    const once = { 'idempotency-key': newName() }
    const claim = () => hub.call(key, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' }, once)
    expect([(await claim()).status, isReplayed(await claim())]).toEqual([200, true])
    await report(run, { log_chunk: 'still mine\n' })
    expect((await claim()).status).toBe(200)
    await report(run, { status: 'succeeded' })
    expect(types(await claim())).toEqual(['conflict.terminal'])
  })
})
