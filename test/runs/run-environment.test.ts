/** What a run was made with: reported, kept once, counted, read in both dialects; and metrics of the machine. */
import { expect, it } from 'vitest'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub()

async function started() {
  const ada = await hub.person()
  const { json } = await hub.call(ada, 'POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'box' })
  const run: string = json.id
  const report = (body: Json) => hub.call(ada, 'POST', `/v1/runs/${run}/report`, body)
  const environment = async () => (await hub.call(ada, 'GET', `/v1/runs/${run}/environment`)).json
  const latest = async () => (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json.latest_metrics
  const used = async (): Promise<number> => (await hub.call(ada, 'GET', '/v1/me')).json.storage.used_bytes
  return { ada, run, report, environment, latest, used }
}

it('is kept as it is written, the first time, and counts', async () => {
  const { ada, run, report, environment, used } = await started()
  const given = { command: ['python', 'train.py'], memory_gb: 2, git: { commit: 'abc', diff: '+ä\n' } }
  expect(await environment()).toEqual({ id: run, environment: null })
  const before = await used()
  expect((await report({ environment: given })).status).toBe(200)
  expect((await report({ environment: { command: ['another'] } })).status).toBe(200)
  expect(await environment()).toEqual({ id: run, environment: given })
  expect((await used()) - before).toBe(Buffer.byteLength(JSON.stringify(given)))
  const { data } = await hub.graphql(ada, `query ($id: ID!) { run(id: $id) { id environment } }`, { id: run })
  expect(data.run.environment).toEqual(given)
})

it('has at most 256 KiB', async () => {
  const { report, environment, run } = await started()
  const refused = await report({ environment: { diff: 'x'.repeat(262_144) } })
  expect([refused.status, refused.json.type]).toEqual([413, expect.stringMatching(/too_large$/)])
  expect(await environment()).toEqual({ id: run, environment: null })
})

it('does not hide what the run came to: the newest line is that of the trainer', async () => {
  const { report, latest } = await started()
  await report({ metrics: [{ 'system/cpu_percent': 1 }] })
  expect(await latest()).toEqual({ 'system/cpu_percent': 1 })
  await report({ metrics: [{ step: 1, loss: 2 }, { 'system/cpu_percent': 3 }] })
  await report({ metrics: [{ 'system/cpu_percent': 4 }] })
  expect(await latest()).toEqual({ step: 1, loss: 2 })
})
