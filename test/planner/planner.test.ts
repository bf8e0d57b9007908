import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, places, types } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub({ HOSTED_OWNERS: 'boss', SIM_HOSTED_OWNERS: 'boss', EXTRA_TEMPLATES: 'own_net' })
const database = {
  query: <T>({ text }: { text: string }, values?: readonly unknown[]) => hub.sql<T>(text, [...(values ?? [])]),
}
let ada: Person
let boss: Person

beforeAll(async () => {
  ada = await hub.person()
  boss = await hub.person('boss')
})

const estimate = (who: Person | string | null, recipe: Json, more: object = {}) =>
  hub.call(who, 'POST', '/v1/runs/estimate', { recipe, ...more })
const recommend = (who: Person | string | null, recipe: Json, more: object = {}) =>
  hub.call(who, 'POST', '/v1/runs/recommend', { recipe, ...more })

const info = {
  codebase_version: 'v2.1',
  robot_type: 'so100',
  total_episodes: 50,
  total_frames: 11_939,
  fps: 30,
  features: {
    action: { dtype: 'float32', shape: [6], names: null },
    'observation.state': { dtype: 'float32', shape: [6], names: null },
    'observation.images.top': { dtype: 'video', shape: [480, 640, 3], names: ['height', 'width', 'channels'] },
  },
}

describe('an estimate', () => {
  it('of a worker run costs nothing and is the default without an executor', async () => {
    const answer = await estimate(ada, { template: 'act' })
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        executor: 'worker',
        tier: null,
        rate_usd_per_hour: 0,
        host_rate_usd_per_hour: 0,
        max_hours: 4,
        cost_usd_max: 0,
        budget_usd: null,
        capped_by_budget: false,
        priced: false,
      },
    ])
  })

  it('accepts null for every optional member', async () => {
    const nothing = { dataset: null, robot: null, hyperparams: null, gpu: null, max_hours: null, executor: null }
    const more = { budget_usd: null, gate: null, parent_checkpoint_step: null }
    const answer = await estimate(ada, { template: 'act', ...nothing, ...more }, { owner: null, parent_run_id: null })
    expect([answer.status, answer.json.max_hours]).toEqual([200, 4])
    const tripwires = [{ metric: 'pass_rate', op: '<', threshold: 0, from_step: null, consecutive: null }]
    const rest = {
      battery: null,
      seeds: null,
      delay: null,
      executor: null,
      video: null,
      horizon_s: null,
      cell_count: null,
    }
    const gated = await estimate(ada, { template: 'act', gate: { every_steps: 5, tripwires, ...rest } })
    expect(gated.status).toBe(200)
  })

  it('of a hosted run is priced without a hosted app', async () => {
    const answer = await estimate(boss, { template: 'ppo_sim_a', executor: 'hosted', max_hours: 2, budget_usd: 3 })
    expect(answer.json).toMatchObject({ tier: 'l40s', rate_usd_per_hour: 2.3012, host_rate_usd_per_hour: 0.35 })
    expect(answer.json).toMatchObject({ cost_usd_max: 3, capped_by_budget: true, budget_usd: 3, priced: true })
  })

  it.each([
    ['hosted', { template: 'act', executor: 'hosted' }],
    ['a hosted sim run', { template: 'ppo_sim_a', executor: 'hosted' }],
    ['a worker whose gate is hosted', { template: 'act', gate: { every_steps: 100, executor: 'hosted' } }],
  ])('of %s for an owner that is not hosted is refused', async (_, recipe) => {
    const answer = await estimate(ada, recipe)
    expect([answer.status, types(answer)]).toEqual([403, ['forbidden.hosted_owner']])
  })

  it.each(['worker', 'hosted'])('of a planned template on a %s is 503 naming it', async (executor) => {
    const answer = await estimate(boss, { template: 'vla_b_lora', executor })
    expect([answer.status, types(answer)]).toEqual([503, ['not_configured.template']])
    expect(answer.json.detail).toContain('vla_b_lora')
  })

  it('needs key:train', async () => {
    expect((await estimate(null, { template: 'act' })).status).toBe(401)
    for (const [scope, status] of [
      ['read', 403],
      ['write', 403],
      ['train', 200],
    ] as const)
      expect((await estimate(await hub.key(ada, { scope }), { template: 'act' })).status).toBe(status)
  })

  it('is for the caller or an org of the caller; unknown and foreign owners give the same error', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    expect((await estimate(ada, { template: 'act' }, { owner: org })).status).toBe(200)
    for (const owner of [boss.handle, newName('nobody')]) {
      const answer = await estimate(ada, { template: 'act' }, { owner })
      expect([answer.status, types(answer), places(answer)]).toEqual([403, ['forbidden.scope'], [['body', 'owner']]])
    }
  })

  it.each([
    [{ template: 'acct' }, ['template']],
    [{ template: 'act', gpu: 'tpu' }, ['gpu']],
    [{ template: 'act', max_hours: 0 }, ['max_hours']],
    [{ template: 'act', max_hours: 720.5 }, ['max_hours']],
    [{ template: 'act', budget_usd: 0 }, ['budget_usd']],
    [{ template: 'act', dataset: ['svc://a/b', 'ada/pick'] }, ['dataset', 1]],
    [{ template: 'act', executor: 'cloud' }, ['executor']],
    [{ template: 'act', hyperparams: [] }, ['hyperparams']],
    [{ template: 'act', hyperparams: { a: [Number.MAX_VALUE, '\u0000'] } }, ['hyperparams', 'a', 1]],
    [{ template: 'act', gate: {} }, ['gate', 'every_steps']],
    [{ template: 'act', gate: { every_steps: 0 } }, ['gate', 'every_steps']],
    [{ template: 'act', gate: { every_steps: 1, video: 'gif' } }, ['gate', 'video']],
    [
      { template: 'act', gate: { every_steps: 1, tripwires: [{ metric: 'luck', op: '<', threshold: 1 }] } },
      ['gate', 'tripwires', 0, 'metric'],
    ],
    [
      { template: 'act', gate: { every_steps: 1, tripwires: [{ metric: 'pass_rate', op: '=', threshold: 1 }] } },
      ['gate', 'tripwires', 0, 'op'],
    ],
    [{ template: 'act', parent_checkpoint_step: 5 }, ['parent_checkpoint_step']],
    [{ template: 'ppo_sim_a', executor: 'hosted', gpu: 'h100' }, ['gpu']],
    [{ template: 'act', gpus: 8 }, ['gpus']],
  ])('of %j is 422 at %j', async (recipe, place) => {
    for (const ask of [estimate, recommend]) {
      const answer = await ask(boss, recipe)
      expect([answer.status, places(answer)]).toEqual([422, [['body', 'recipe', ...place]]])
    }
  })

  it('of an unknown template names the registered ones', async () => {
    const { json } = await estimate(ada, { template: 'acct' })
    for (const name of ['act', 'diffusion_policy', 'ppo_sim_a', 'vla_c_lora', 'own_net'])
      expect(json.detail).toContain(name)
  })

  it('starts from a checkpoint that the parent lists', async () => {
    const model = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, model, {
      'checkpoints/step_1000/policy.bin': 'x',
      'checkpoints/step_0002000/policy.bin': 'y',
    })
    const [row] = await hub.sql<{ id: string }>(`select id from repos where slug = $1`, [model.split('/')[1]])
    const set = { output_repo_id: row?.id, output_repo_name: model }
    const parent = await putRun(database, { ownerId: ada.id, status: 'succeeded', set })
    const at = (parent_checkpoint_step: number, who = ada) =>
      estimate(who, { template: 'act', parent_checkpoint_step }, { parent_run_id: parent })
    expect((await at(1000)).status).toBe(200)
    expect((await at(2000)).status).toBe(200)
    const missing = await at(100)
    expect([missing.status, places(missing)]).toEqual([422, [['body', 'recipe', 'parent_checkpoint_step']]])
    const foreign = await at(1000, boss)
    expect([foreign.status, places(foreign)]).toEqual([422, [['body', 'parent_run_id']]])
    const unknown = await estimate(ada, { template: 'act' }, { parent_run_id: newId('run') })
    expect(unknown.status).toBe(422)
  })

  it('is the same in GraphQL', async () => {
    const query = `mutation ($input: EstimateRunInput!) { estimateRun(input: $input) { executor tier costUsdMax priced } }`
    const recipe = { template: 'act', executor: 'HOSTED', maxHours: 2.5, gpu: 'l4', gate: { everySteps: 5 } }
    const answer = await hub.graphql(boss, query, { input: { recipe } })
    expect(answer).toEqual({
      data: { estimateRun: { executor: 'HOSTED', tier: 'l4', costUsdMax: 1.998, priced: true } },
    })
    const infinite = `mutation { estimateRun(input: {recipe: {template: "act", hyperparams: {lr: 1e999}}}) { tier } }`
    expect((await hub.graphql(boss, infinite)).errors[0].extensions.status).toBe(422)
  })
})

describe('a recommendation', () => {
  it('reads the first dataset of this hub that the recipe names', async () => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { 'meta/info.json': JSON.stringify(info) })
    const dataset = ['exthub://lerobot/pusht', `svc://${name}`, 'svc://nobody/nothing']
    const { status, json } = await recommend(ada, {
      template: 'act',
      dataset,
      max_hours: 8,
      hyperparams: { batch_size: 16 },
    })
    expect(status).toBe(200)
    expect(json.dataset).toEqual({
      ref: `svc://${name}`,
      cameras: [{ key: 'observation.images.top', width: 640, height: 480 }],
      fps: 30,
      episodes: 50,
      frames: 11_939,
      state_dim: 6,
      action_dim: 6,
      robot_type: 'so100',
    })
    expect(json.inputs).toEqual({ batch_size: 16, cameras: 1, image_px: 554, chunk_size: 100, steps: 100_000 })
    expect(json).toMatchObject({ tier: 'l4', basis: 'modelled', measured: null, warnings: [], explanation: null })
    expect(json).toMatchObject({
      executor: 'worker',
      rate_usd_per_hour: 0,
      cost_usd_est: 0,
      cost_usd_max: 0,
      priced: false,
    })
  })

  it('warns about a dataset that cannot be read, with the same message as for one that does not exist', async () => {
    const hidden = await hub.repo(boss)
    await hub.upload(boss, hidden, { 'meta/info.json': JSON.stringify(info) })
    const bare = await hub.repo(ada)
    const odd = await hub.repo(ada)
    await hub.upload(ada, odd, { 'meta/info.json': '{"codebase_version":"v1.0"}' })
    const robot = await hub.repo(ada, { kind: 'robot' })
    const ask = async (name: string) => (await recommend(ada, { template: 'act', dataset: [`svc://${name}`] })).json
    const answers = await Promise.all([hidden, 'nobody/nothing', robot, bare, odd].map(ask))
    const warnings = answers.map(({ dataset, warnings }) => [dataset, warnings.length, warnings[0]])
    expect(warnings).toEqual([
      [null, 1, expect.stringContaining(`svc://${hidden} is not a dataset visible to you`)],
      [null, 1, expect.stringContaining('svc://nobody/nothing is not a dataset visible to you')],
      [null, 1, expect.stringContaining(`svc://${robot} is not a dataset visible to you`)],
      [null, 1, expect.stringContaining(`svc://${bare} has no meta/info.json;`)],
      [null, 1, expect.stringContaining(`svc://${odd} has a meta/info.json that is not of a LeRobot dataset`)],
    ])
  })

  it('is available for planned templates, for owners that are not hosted, and for a template of the deployment', async () => {
    const planned = await recommend(ada, { template: 'vla_c_lora', executor: 'hosted' })
    expect([planned.status, planned.json.implemented, planned.json.tier]).toEqual([200, false, 'a100'])
    const own = await recommend(ada, { template: 'own_net' })
    expect([own.status, own.json.warnings[0]]).toEqual([200, expect.stringContaining("deployment's own template")])
  })

  it('uses measurements of runs instead of the calculation', async () => {
    await hub.sql(`insert into hub_measurements (template, tier, batch, peak_vram_gb, samples_per_s, n_runs) values
      ('diffusion_policy', 'a100', 32, 30.25, 500, 2), ('diffusion_policy', 'gone', 32, 1, 1, 9)`)
    const measured = (
      await recommend(boss, { template: 'diffusion_policy', executor: 'hosted', hyperparams: { batch_size: 32 } })
    ).json
    expect(measured).toMatchObject({ basis: 'measured', measured_by: 'hub' })
    expect(measured).toMatchObject({ vram_estimate_gb: 30.25, vram_required_gb: 36.3, tier: 'l40s' })
    expect(measured.measured).toEqual({
      tier: 'a100',
      batch_size: 32,
      peak_vram_gb: 30.25,
      samples_per_s: 500,
      n_runs: 2,
    })
    const other = (await recommend(boss, { template: 'diffusion_policy', hyperparams: { batch_size: 33 } })).json
    expect([other.basis, other.measured, other.measured_by]).toEqual(['modelled', null, null])
  })
})

describe('without a hosted app', () => {
  const create = (who: Person, recipe: Json) => hub.call(who, 'POST', '/v1/runs', { recipe })

  it('a worker run is created, and a hosted one is 503 naming the missing setting, before any other check', async () => {
    expect((await create(ada, { template: 'ppo_sim_a' })).status).toBe(201)
    const recipes = [
      { template: 'act', executor: 'hosted' },
      { template: 'ppo_sim_a', executor: 'hosted', max_hours: 700 },
      { template: 'act', gate: { every_steps: 5, executor: 'hosted' } },
    ]
    for (const who of [ada, boss])
      for (const recipe of recipes) {
        const answer = await create(who, recipe)
        expect([answer.status, types(answer)]).toEqual([503, ['not_configured.hosted_app']])
        expect(answer.json.detail).toContain('HOSTED_APP_NAME')
      }
    expect(await hub.sql(`select 1 from runs where executor = 'hosted'`)).toEqual([])
  })
})

describe('the body of a run in the API pages', () => {
  it('shows the limits that are checked', async () => {
    const { json } = await hub.call(null, 'GET', '/v1/openapi.json')
    const { RunRecipe, CheckpointGateSpec } = json.components.schemas
    expect(RunRecipe).toMatchObject({
      required: ['template'],
      additionalProperties: false,
      properties: {
        template: { minLength: 1, maxLength: 64 },
        hyperparams: { type: ['object', 'null'] },
        max_hours: { exclusiveMinimum: 0, maximum: 720 },
        dataset: { maxItems: 100 },
      },
    })
    expect(CheckpointGateSpec.required).toEqual(['every_steps'])
    expect(JSON.stringify(json.components.schemas.GateTripwire)).toContain('"alive_rate"')
  })
})
