/** A recipe is no way to store what no quota counts. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person, types } from '../support/hub.ts'

const QUOTA_BYTES = 250_000
const hub = contractHub({ STORAGE_QUOTA_BYTES: String(QUOTA_BYTES) })
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const used = async (): Promise<number> => (await hub.call(ada, 'GET', '/v1/me')).json.storage.used_bytes
const text = (bytes: number) => ({ note: 'x'.repeat(bytes) })
const create = (bytes: number) =>
  hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', hyperparams: text(bytes) } })
const start = (bytes: number) =>
  hub.call(ada, 'POST', '/v1/runs/start', { recipe: { template: 'act', hyperparams: text(bytes) }, worker: 'w' })
const artifacts = { config_yaml: 'a: 1', metrics_summary: 'none' }
const bring = (bytes: number) => hub.call(ada, 'POST', '/v1/runs/import', { artifacts, hyperparams: text(bytes) })

describe('a recipe', () => {
  it('of a few kilobytes counts in no quota', async () => {
    expect((await create(60_000)).status).toBe(201)
    expect(await used()).toBe(0)
  })

  it.each([
    ['created', create],
    ['started', start],
    ['imported', bring],
  ])('of more counts in the storage of the owner of a run that is %s, until it is deleted', async (_how, make) => {
    const before = await used()
    const made = await make(100_000)
    expect(made.status).toBe(201)
    expect((await used()) - before).toBeGreaterThan(100_000)
    const over = await make(QUOTA_BYTES)
    expect([over.status, types(over)]).toEqual([413, ['quota.storage']])
    await hub.call(ada, 'POST', `/v1/runs/${made.json.id}/cancel`)
    await hub.call(ada, 'POST', `/v1/runs/${made.json.id}/report`, { status: 'canceled' })
    expect((await hub.call(ada, 'DELETE', `/v1/runs/${made.json.id}`)).status).toBe(204)
    expect(await used()).toBe(before)
  })

  it('of an import has at most as many bytes as one that is created', async () => {
    const over = await bring(1_048_577)
    expect([over.status, over.json.errors[0].loc, over.json.unit]).toEqual([413, ['body', 'hyperparams'], 'bytes'])
  })
})
