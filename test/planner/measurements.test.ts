/** A measurement of one account does not price or place another's work. Contract, "Planning and creating runs". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*' })
let ada: Person
let bob: Person
let lab: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  lab = await hub.org([{ user: ada.handle, role: 'owner' }])
})

/** A worker run that succeeds with these numbers. */
async function measure(who: Who, batch_size: number, values: Json, owner?: string): Promise<void> {
  const recipe = { template: 'act', hyperparams: { batch_size } }
  const made = await hub.call(who, 'POST', '/v1/runs', { recipe, ...(owner && { owner }) })
  expect(made.status).toBe(201)
  const path = `/v1/runs/${made.json.id}`
  expect((await hub.call(who, 'POST', `${path}/claim`, { worker: 'box' })).status).toBe(200)
  expect((await hub.call(who, 'POST', `${path}/report`, { status: 'succeeded', ...values })).status).toBe(200)
}

async function post(who: Who, path: string, batch_size: number, more: Json = {}): Promise<Json> {
  const recipe = { template: 'act', hyperparams: { batch_size }, executor: 'hosted', max_hours: 1 }
  const answer = await hub.call(who, 'POST', path, { recipe, ...more })
  expect([answer.status, answer.json.errors]).toEqual([path === '/v1/runs' ? 201 : 200, undefined])
  return answer.json
}
const recommend = (who: Who, batch: number, more: Json = {}) => post(who, '/v1/runs/recommend', batch, more)
const whose = async (who: Who, batch: number, more: Json = {}) => {
  const { measured_by, measured } = await recommend(who, batch, more)
  return [measured_by, measured?.n_runs ?? null]
}

describe('absurd values of one account', () => {
  const absurd = [
    { peak_vram_gb: 1e-9, samples_per_s: 1e12, gpu_tier: 'l4' },
    { peak_vram_gb: 1e12, samples_per_s: 1e-9, gpu_tier: 'h100' },
  ]

  it.each([
    ['a stranger', 21, () => bob, undefined],
    ['an org of the same person', 22, () => ada, () => lab],
  ])('change no recommendation, estimate or run of %s', async (_, batch, who, owner) => {
    const more = owner ? { owner: owner() } : {}
    const planned = async () => {
      const { id: _id, created_at: _at, display_name: _name, ...run } = await post(who(), '/v1/runs', batch, more)
      const { spend, progress, warnings, gpu_type, recipe } = run
      const { as_of: _asOf, ...money } = spend
      return [
        await recommend(who(), batch, more),
        await post(who(), '/v1/runs/estimate', batch, more),
        { money, progress, warnings, gpu_type, recipe },
      ]
    }
    const before = await planned()
    expect(before[0]).toMatchObject({ basis: 'modelled', measured: null, measured_by: null })
    for (const values of absurd) await measure(ada, batch, values)
    expect(await planned()).toEqual(before)
    expect(await whose(ada, batch)).toEqual(['account', 1])
  })
})

describe('the measurements of a plan', () => {
  const values = { peak_vram_gb: 12, samples_per_s: 90, gpu_tier: 'l4' }

  it('are those of the account that is billed: of an org for its members, not those of the member', async () => {
    await measure(ada, 31, values, lab)
    expect(await whose(ada, 31)).toEqual([null, null])
    expect(await whose(ada, 31, { owner: lab })).toEqual(['account', 1])
    await measure(ada, 32, values)
    expect(await whose(ada, 32)).toEqual(['account', 1])
    expect(await whose(ada, 32, { owner: lab })).toEqual([null, null])
  })

  it('are the account its own before those of the hub, in the graph too', async () => {
    await hub.sql(`insert into hub_measurements (template, tier, batch, peak_vram_gb, samples_per_s, n_runs)
      values ('act', 'l4', 33, 9, 60, 7)`)
    expect(await whose(bob, 33)).toEqual(['hub', 7])
    await measure(bob, 33, values)
    expect(await whose(bob, 33)).toEqual(['account', 1])
    expect(await whose(ada, 33)).toEqual(['hub', 7])
    const query = `mutation ($batch: JSON!) { recommendRun(input: { recipe: { template: "act", hyperparams: $batch } }) { measuredBy measured { nRuns } } }`
    const ask = async (batch_size: number) =>
      (await hub.graphql(bob, query, { batch: { batch_size } })).data.recommendRun
    expect(await ask(33)).toEqual({ measuredBy: 'ACCOUNT', measured: { nRuns: 1 } })
    expect(await ask(34)).toEqual({ measuredBy: null, measured: null })
  })

  it('of the version before, which are nobody’s, are not used', async () => {
    await hub.sql(`insert into run_measurements (template, tier, batch, peak_vram_gb, samples_per_s, n_runs)
      values ('act', 'l4', 35, 1e-9, 1e12, 40)`)
    expect(await whose(ada, 35)).toEqual([null, null])
  })
})
