import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: 'boss', RUN_DAILY_GPU_HOUR_QUOTA: '10' })
let ada: Person
let boss: Person

beforeAll(async () => {
  ada = await hub.person()
  boss = await hub.person('boss')
})

const post = (who: Who, path: string, body?: Json, once?: string) =>
  hub.call(who, 'POST', `/v1/runs${path}`, body, once === undefined ? {} : { 'idempotency-key': once })
const create = (who: Who, recipe: Json, once?: string, more: Json = {}) =>
  post(who, '', { recipe: { template: 'act', ...recipe }, ...more }, once)
const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotent-replayed')

describe('a repeat under the same Idempotency-Key', () => {
  it('of createRun is 200 with the same run unchanged, and is marked as a replay', async () => {
    const once = newName()
    const [first, again] = [await create(ada, {}, once), await create(ada, {}, once)]
    expect([first.status, replayed(first), again.status, replayed(again)]).toEqual([201, null, 200, 'true'])
    expect(again.json).toEqual(first.json)
    await post(ada, `/${first.json.id}/cancel`)
    expect((await create(ada, {}, once)).json).toMatchObject({ id: first.json.id })
    expect((await hub.call(ada, 'GET', '/v1/runs')).json.items).toHaveLength(1)
  })

  it('applies to one credential: another key of the same owner creates its own run', async () => {
    const once = newName()
    const keys = await Promise.all([hub.key(ada, { scope: 'train' }), hub.key(ada, { scope: 'train' })])
    const made = await Promise.all(keys.map((key) => create(key, {}, once)))
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    expect(made[0]?.json.id).not.toBe(made[1]?.json.id)
  })

  it('with another body is 422 `idempotency.mismatch`, whichever member differs', async () => {
    const once = newName()
    await create(ada, { max_hours: 2 }, once)
    for (const change of [{ max_hours: 3 }, {}, { max_hours: 2, robot: 'dog' }]) {
      const answer = await create(ada, change, once)
      expect([answer.status, types(answer)]).toEqual([422, ['idempotency.mismatch']])
    }
    const owned = await create(ada, { max_hours: 2 }, once, { owner: ada.handle })
    expect([owned.status, types(owned)]).toEqual([422, ['idempotency.mismatch']])
  })

  it('after 24 hours is a new request', async () => {
    const once = newName()
    const first = await create(ada, {}, once)
    await hub.sql(
      `update idempotency_keys set created_at = now() - interval '24 hours', started_at = now() - interval '24 hours'`,
    )
    const later = await create(ada, {}, once)
    expect([later.status, later.json.id === first.json.id]).toEqual([201, false])
  })

  it('of an import is the original 201, of a cancel its 202, of a claim and a report the 200', async () => {
    const run = (await create(ada, {})).json.id
    const artifacts = { config_yaml: 'a: 1', metrics_summary: 'x' }
    for (const [path, body, status] of [
      ['/import', { artifacts }, 201],
      [`/${run}/claim`, { worker: 'w' }, 200],
      [`/${run}/report`, { log_chunk: 'one\n', metrics: [{ step: 1 }] }, 200],
      [`/${run}/cancel`, {}, 202],
      [`/${run}/report`, { status: 'canceled' }, 200],
    ] as const) {
      const once = newName()
      const [first, again] = [await post(ada, path, body, once), await post(ada, path, body, once)]
      expect([path, first.status, again.status, replayed(again)]).toEqual([path, status, status, 'true'])
      expect(again.json).toEqual(first.json)
    }
    expect((await hub.send(ada, 'GET', `/v1/runs/${run}/logs/download`)).text).toMatch(/^one\n/)
    expect(await hub.sql('select 1 from run_metrics where run_id = $1', [run])).toHaveLength(1)
  })

  it('of claim-next is the same run, and after an empty result it tries again', async () => {
    const eve = await hub.person()
    const [idle, busy] = [newName(), newName()]
    expect((await post(eve, '/claim-next', { worker: 'w' }, idle)).status).toBe(204)
    const [one, two] = [(await create(eve, {})).json.id, (await create(eve, {})).json.id]
    const first = await post(eve, '/claim-next', { worker: 'w' }, busy)
    const again = await post(eve, '/claim-next', { worker: 'w' }, busy)
    expect([first.json.id, again.json.id, replayed(again)]).toEqual([one, one, 'true'])
    expect((await post(eve, '/claim-next', { worker: 'w' }, idle)).json.id).toBe(two)
  })

  it('of an error by the quota or a missing app is checked again, since neither is stored', async () => {
    const once = newName()
    const ask = () => create(boss, { executor: 'hosted', max_hours: 10.5 }, once)
    for (const answer of [await ask(), await ask()])
      expect([answer.status, types(answer), replayed(answer)]).toEqual([429, ['quota.gpu_hours'], null])
    const planned = () => create(boss, { template: 'vla_a_lora' }, `${once}-planned`)
    for (const answer of [await planned(), await planned()])
      expect([answer.status, replayed(answer)]).toEqual([503, null])
  })
})

describe('the daily quota of GPU hours', () => {
  it('is reported with the limit, the reserved hours and the time to retry, in headers and text', async () => {
    const max_hours = 6.25
    const made = await create(boss, { executor: 'hosted', max_hours })
    expect(made.status).toBe(201)
    const refused = await create(boss, { executor: 'hosted' })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-gpu-quota-limit')).toBe('10')
    expect(refused.headers.get('x-gpu-quota-used')).toBe('6.25')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    for (const number of ['10', '6.25', '4']) expect(refused.json.detail).toContain(number)
    expect((await create(boss, { executor: 'worker', max_hours: 700 })).status).toBe(201)
    expect((await create(boss, { executor: 'hosted', max_hours: 3.75 })).status).toBe(201)
  })

  it('counts a run that was deleted in the meantime', async () => {
    const { items } = (await hub.call(boss, 'GET', '/v1/runs?executor=hosted')).json
    await hub.sql(`update runs set status = 'failed', finished_at = now() where id = $1`, [items[0].id])
    expect((await hub.call(boss, 'DELETE', `/v1/runs/${items[0].id}`)).status).toBe(204)
    const refused = await create(boss, { executor: 'hosted', max_hours: 1 })
    expect([refused.status, refused.headers.get('x-gpu-quota-used')]).toEqual([429, '10'])
  })

  it('is reported in the graph too', async () => {
    const input = { recipe: { template: 'act', executor: 'HOSTED', maxHours: 11 } }
    const answer = await hub.graphql(
      boss,
      'mutation ($input: CreateRunInput!) { createRun(input: $input) { result { ... on Run { id } } } }',
      {
        input,
      },
    )
    expect(answer.errors[0].extensions).toMatchObject({ status: 429 })
    expect(answer.errors[0].extensions.problem.errors[0].type).toBe('quota.gpu_hours')
  })
})

describe('the order in which a run is rejected', () => {
  it.each([
    ['a recipe that does not hold, before a template that is planned', { template: 'vla_a_lora', gpu: 'tpu' }, 422],
    ['a planned template, before an owner that is not hosted', { template: 'vla_b_lora', executor: 'hosted' }, 503],
    ['an owner that is not hosted, before the quota', { executor: 'hosted', max_hours: 700 }, 403],
    ['a GPU of the sim template, before its owners', { template: 'ppo_sim_a', executor: 'hosted', gpu: 'h100' }, 422],
  ])('is %s', async (_what, recipe, status) => {
    const eve = await hub.person()
    const answer = await create(eve, recipe)
    expect(answer.status).toBe(status)
    expect((await hub.call(eve, 'GET', '/v1/runs')).json.items).toEqual([])
  })

  it('of an agent: an owner that is not hosted, then a spend hold, then the quota', async () => {
    const agent = (owner: Person) => hub.key(owner, { scope: 'train', agent: true })
    const recipe = { executor: 'hosted', max_hours: 700 }
    expect(types(await create(await agent(ada), recipe))).toEqual(['forbidden.hosted_owner'])
    expect((await create(await agent(boss), recipe)).status).toBe(202)
    expect(types(await create(boss, recipe))).toEqual(['quota.gpu_hours'])
  })

  it('of an estimate has the same 403, and no quota', async () => {
    const estimate = (who: Person, recipe: Json) =>
      post(who, '/estimate', { recipe: { template: 'act', executor: 'hosted', ...recipe } })
    expect(types(await estimate(ada, {}))).toEqual(['forbidden.hosted_owner'])
    expect(types(await estimate(boss, { template: 'ppo_sim_a' }))).toEqual(['forbidden.hosted_owner'])
    expect((await estimate(boss, { max_hours: 700 })).status).toBe(200)
  })
})
