/** The results of a run that has ended, from its reports to what others read: measurements, its model, money, checkpoints. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, places, types, type Who } from '../support/hub.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', SIM_HOSTED_OWNERS: '*' })
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const post = (path: string, body: Json = {}, who: Who = ada) => hub.call(who, 'POST', `/v1/runs${path}`, body)
async function claimed(recipe: Json = {}, more: Json = {}): Promise<string> {
  const made = await post('', { recipe: { template: 'act', ...recipe }, ...more })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  expect((await post(`/${made.json.id}/claim`, { worker: 'box' })).status).toBe(200)
  return made.json.id
}
async function report(run: string, body: Json): Promise<Json> {
  const answer = await post(`/${run}/report`, body)
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer.json
}
const recommend = async (hyperparams: Json, template = 'act') =>
  (await post('/recommend', { recipe: { template, hyperparams } })).json

describe('measurements of succeeded runs', () => {
  it('replace the calculation, as a mean for each template, tier and batch size; failed runs do not count', async () => {
    const hyperparams = { batch_size: 12 }
    expect((await recommend(hyperparams)).basis).toBe('modelled')
    for (const [peak_vram_gb, samples_per_s, status] of [
      [10, 100, 'succeeded'],
      [14, 200, 'succeeded'],
      [99, 999, 'failed'],
    ] as const) {
      const run = await claimed({ hyperparams })
      await report(run, { peak_vram_gb, samples_per_s, gpu_tier: 'l4' })
      await report(run, { status })
    }
    expect(await recommend(hyperparams)).toMatchObject({
      basis: 'measured',
      measured_by: 'account',
      vram_estimate_gb: 12,
      vram_required_gb: 14.4,
      measured: { tier: 'l4', batch_size: 12, peak_vram_gb: 12, samples_per_s: 150, n_runs: 2 },
    })
    expect(await recommend({ batch_size: 13 })).toMatchObject({ basis: 'modelled', measured: null })
  })

  it('of the sim template are kept by number of environments', async () => {
    const hyperparams = { num_envs: 777 }
    const run = await claimed({ template: 'ppo_sim_a', hyperparams })
    await report(run, { status: 'succeeded', peak_vram_gb: 20, samples_per_s: 5000, gpu_tier: 'l40s' })
    expect((await recommend(hyperparams, 'ppo_sim_a')).measured).toMatchObject({ batch_size: 777, n_runs: 1 })
  })
})

describe('the output repo', () => {
  it('is a model repo that the caller can write; anything else is 422 and stores nothing', async () => {
    const run = await claimed()
    const eve = await hub.person()
    const foreign = await hub.repo(eve, { kind: 'model', visibility: 'public' })
    for (const name of [await hub.repo(ada), foreign, `${ada.handle}/nothing`]) {
      const refused = await post(`/${run}/report`, { output_model_repo: name, log_chunk: 'x\n' })
      expect([refused.status, places(refused)]).toEqual([422, [['body', 'output_model_repo']]])
    }
    expect((await hub.call(ada, 'GET', `/v1/runs/${run}`)).json).toMatchObject({
      output_model_repo: null,
      logs_key: null,
    })
  })

  it('names the run, is kept from deletion, lists its checkpoints while it trains, and is stamped when it succeeds', async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    const run = await claimed({ robot, hyperparams: { run_name: 'a try' } })
    const shown = async () => (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json
    expect(await shown()).toMatchObject({ display_name: 'a try', display_name_source: 'run_name' })
    const model = await hub.repo(ada, { kind: 'model', slug: newName('model') })
    const told = await report(run, { output_model_repo: model })
    expect(told).toMatchObject({ display_name: model, display_name_source: 'output_repo' })
    expect(Object.keys(told.output_model_repo)).toEqual(['id', 'full_name'])
    const checkpoints = async () => (await hub.call(ada, 'GET', `/v1/runs/${run}/checkpoints`)).json
    expect(await checkpoints()).toMatchObject({ items: [], repo: { full_name: model } })
    await hub.upload(ada, model, { 'checkpoints/step_200/policy/w': 'w' })
    await hub.upload(ada, model, { 'checkpoints/step_1000/policy/w': 'w', 'README.md': 'x' })
    const { items, repo, not_fine_tunable } = await checkpoints()
    expect([items.map(({ step }: Json) => step), repo.full_name, not_fine_tunable]).toEqual([[200, 1000], model, null])
    const refused = await hub.call(ada, 'DELETE', `/v1/repos/${model}`)
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.referenced']])
    await report(run, { status: 'succeeded' })
    expect((await hub.call(ada, 'GET', `/v1/repos/${model}`)).json.model_meta).toMatchObject({
      policy_type: 'act',
      source_run_id: run,
      robot,
      control_class: 'skill',
    })
    const child = (step: number) =>
      post('', { recipe: { template: 'act', parent_checkpoint_step: step }, parent_run_id: run })
    expect((await child(200)).status).toBe(201)
    const missing = await child(300)
    expect([missing.status, places(missing)]).toEqual([422, [['body', 'recipe', 'parent_checkpoint_step']]])
  })
})

describe('the end of a run', () => {
  it.each(['succeeded', 'failed'])(
    'as %s of a worker costs 0 and leaves one ledger row and one audit row',
    async (status) => {
      const run = await claimed()
      const ended = await report(run, { status, error: status === 'failed' ? 'out of memory' : null })
      expect(ended).toMatchObject({ status, cost_usd: 0, lease_expires_at: null })
      expect(ended.finished_at).not.toBeNull()
      expect(ended.spend).toMatchObject({ priced: false, accrued_usd: null, final: true })
      const [bill] = await hub.sql<Json>('select amount_usd::float8 as usd from ledger where job_id = $1', [run])
      expect(bill).toEqual({ usd: 0 })
      const rows = await hub.sql<Json>('select action from audit_log where target_id = $1 order by id', [run])
      expect(rows.map(({ action }) => action)).toEqual(['run.create', 'run.claim', 'run.finish'])
    },
  )

  it('canceled while it is queued is billed nothing and has no ledger row', async () => {
    const { id } = (await post('', { recipe: { template: 'act' } })).json
    expect((await post(`/${id}/cancel`)).json).toMatchObject({ status: 'canceled', started_at: null })
    expect(await hub.sql('select 1 from ledger where job_id = $1', [id])).toEqual([])
  })
})

describe('facets and filters', () => {
  it('include a reported scorecard: gated counts only PASS and FAIL rows', async () => {
    const eve = await hub.person()
    const make = async (statuses: string[]) => {
      const { id } = (await post('', { recipe: { template: 'act', robot: 'Dog' } }, eve)).json
      await post(`/${id}/claim`, { worker: 'w' }, eve)
      const scorecard_json = { cells: statuses.map((status, at) => ({ name: `c${at}`, status })) }
      return (await post(`/${id}/report`, { scorecard_json }, eve)).json
    }
    const gated = await make(['PASS', 'FAIL', 'ERROR', 'SKIP'])
    const bare = await make(['ERROR', 'SKIP', 'unknown'])
    expect([gated.gate, bare.gate]).toEqual([
      { passed: 1, total: 2 },
      { passed: 0, total: 0 },
    ])
    expect([gated.gates.length, bare.gates.length]).toEqual([4, 2])
    const list = async (query: string) =>
      (await hub.call(eve, 'GET', `/v1/runs?${query}`)).json.items.map(({ id }: Json) => id)
    expect(await list('gated=true')).toEqual([gated.id])
    expect(await list('gated=0')).toEqual([bare.id])
    expect(await list('robot=dOG&status=running&executor=worker&kind=cloud')).toEqual([bare.id, gated.id])
    expect(await list('robot=cat')).toEqual([])
    for (const nothing of ['owner=nobody-at-all', 'parent_run_id=run_x', `parent_run_id=${gated.id}`])
      expect(await list(nothing)).toEqual([])
    const { facets } = (await hub.call(eve, 'GET', '/v1/runs?facets=true&robot=cat')).json
    expect(facets).toEqual({
      total: 2,
      kind: [{ value: 'cloud', count: 2 }],
      executor: [{ value: 'worker', count: 2 }],
      status: [{ value: 'running', count: 2 }],
      robot: [{ value: 'Dog', count: 2 }],
      gated: [
        { value: 'true', count: 1 },
        { value: 'false', count: 1 },
      ],
    })
  })
})

describe('a deployment that hosts everyone', () => {
  it('reports this, and names no owners', async () => {
    const { hosting } = (await hub.call(null, 'GET', '/v1/hardware_tiers')).json
    expect(hosting).toMatchObject({ configured: true, everyone: true, owners: [] })
  })

  it('hosts the sim template on an L40S, L4 or A10G, with its host, and nowhere else', async () => {
    const ask = async (gpu: string | null) =>
      post('/estimate', { recipe: { template: 'ppo_sim_a', executor: 'hosted', gpu, max_hours: 1 } })
    for (const [gpu, tier, rate] of [
      [null, 'l40s', 2.3012],
      ['l40s', 'l40s', 2.3012],
      ['l4', 'l4', 1.1492],
      ['a10g', 'a10g', 1.4516],
    ] as const) {
      const { json } = await ask(gpu)
      expect(json).toMatchObject({ tier, rate_usd_per_hour: rate, host_rate_usd_per_hour: 0.35, cost_usd_max: rate })
    }
    for (const gpu of ['a100', 'h100']) expect((await ask(gpu)).status).toBe(422)
  })
})
