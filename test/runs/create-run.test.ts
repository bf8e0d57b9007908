import { createHash } from 'node:crypto'
import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, places, types } from '../support/hub.ts'

const hub = contractHub({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'boss,org-of-boss',
  SIM_HOSTED_OWNERS: 'sim',
  COACH_MAX_ARTIFACT_BYTES: '2000',
  STORAGE_QUOTA_BYTES: '5000',
})
let ada: Person
let boss: Person
let sim: Person

beforeAll(async () => {
  ada = await hub.person()
  boss = await hub.person('boss')
  sim = await hub.person('sim')
})

const create = (who: Person | string | null, recipe: Json, more: object = {}, headers: Record<string, string> = {}) =>
  hub.call(who, 'POST', '/v1/runs', { recipe, ...more }, headers)
const runsOf = async (person: Person) =>
  (await hub.sql<{ n: number }>('select count(*)::int as n from runs where owner_id = $1', [person.id]))[0]?.n
const hosted = (change: object = {}) => ({ template: 'act', executor: 'hosted', max_hours: 1, ...change })

/** As a client would compute it from the response and RFC 8785: nulls left out, members sorted, no white space. */
function hashOfAnswer(recipe: Json): string {
  const canonical = (value: Json): string => {
    if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const names = Object.keys(value).filter((name) => value[name] !== null)
    return `{${names
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
      .join(',')}}`
  }
  return createHash('sha256').update(canonical(recipe)).digest('hex')
}

describe('the recipe_hash of a response', () => {
  it.each([
    ['of a template alone', { template: 'act' }],
    ['with nulls', { template: 'act', dataset: null, robot: null, gate: null, hyperparams: { a: null, b: [null] } }],
    ['with a gate that says the least', { template: 'act', gate: { every_steps: 500 } }],
    [
      'with all of a gate',
      {
        template: 'act',
        dataset: ['exthub://lerobot/pusht'],
        gate: {
          every_steps: 5,
          battery: 'all',
          seeds: 1,
          delay: 0,
          executor: 'worker',
          tripwires: [{ metric: 'pass_rate', op: '<', threshold: 0.5, consecutive: null }],
          video: 'poster',
          horizon_s: 2.5,
          cell_count: 3,
        },
      },
    ],
  ])('can be had again from its recipe: %s', async (_name, recipe) => {
    const { json } = await create(ada, recipe)
    expect(json.recipe_hash).toBe(hashOfAnswer(json.recipe))
    const read = (await hub.call(ada, 'GET', `/v1/runs/${json.id}`)).json
    expect([read.recipe, read.recipe_hash]).toEqual([json.recipe, json.recipe_hash])
    const [stored] = await hub.sql<{ recipe: Json }>('select recipe from runs where id = $1', [json.id])
    expect(hashOfAnswer(stored?.recipe)).toBe(json.recipe_hash)
  })

  it('is the same for an import of that recipe', async () => {
    const artifacts = { config_yaml: 'a: 1', metrics_summary: 'x' }
    const { json } = await hub.call(ada, 'POST', '/v1/runs/import', { artifacts, hyperparams: { seed: 1 } })
    expect([json.recipe.dataset, json.recipe_hash]).toEqual([[], hashOfAnswer(json.recipe)])
  })
})

describe('the video of a gate', () => {
  it('is returned as the enum value of the request, in both dialects', async () => {
    const { json } = await create(ada, { template: 'act', gate: { every_steps: 5, video: 'poster' } })
    expect(json.recipe.gate.video).toBe('poster')
    const query = `{ run(id: "${json.id}") { recipe { gate { video } } } }`
    expect((await hub.graphql(ada, query)).data.run.recipe.gate).toEqual({ video: 'POSTER' })
    const byGraph =
      'mutation($input: CreateRunInput!) { createRun(input: $input) { result { ... on Run { recipe { gate { video } } } } } }'
    const input = { recipe: { template: 'act', gate: { everySteps: 5, video: 'FULL' } } }
    expect((await hub.graphql(ada, byGraph, { input })).data.createRun.result.recipe.gate).toEqual({ video: 'FULL' })
  })
})

describe('a worker run', () => {
  it('is queued for a runner of its owner, with the recipe unchanged', async () => {
    const recipe = {
      template: 'act',
      dataset: ['exthub://lerobot/pusht'],
      hyperparams: { zeta: 1, Alpha: { b: null } },
    }
    const answer = await create(ada, recipe)
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/runs/${answer.json.id}`])
    expect(answer.json).toMatchObject({
      kind: 'cloud',
      status: 'queued',
      executor: 'worker',
      owner: { handle: ada.handle },
      created_by: { handle: ada.handle },
      gpu_type: null,
      cost_usd: null,
      spend: { priced: false, accrued_usd: null },
      claimed_by: null,
      logs_key: null,
    })
    expect(answer.json.recipe).toEqual({
      ...recipe,
      robot: null,
      gpu: null,
      max_hours: null,
      executor: null,
      budget_usd: null,
      gate: null,
      parent_checkpoint_step: null,
    })
    expect(Object.keys(answer.json.recipe.hyperparams)).toEqual(['zeta', 'Alpha'])
    expect(answer.json.recipe_hash).toBe(canonicalSha256(recipe))
    const [stored] = await hub.sql<{ recipe: Json }>('select recipe from runs where id = $1', [answer.json.id])
    expect(stored?.recipe).toEqual(recipe)
    const [row] = await hub.sql<Json>(`select action, actor_id from audit_log where target_id = $1`, [answer.json.id])
    expect(row).toEqual({ action: 'run.create', actor_id: ada.id })
  })

  it('shows the defaults of its gate, and keeps given values', async () => {
    const gate = { every_steps: 500, tripwires: [{ metric: 'alive_rate', op: '<=', threshold: 0.5 }] }
    const { json } = await create(ada, { template: 'act', gate })
    expect(json.recipe.gate).toEqual({
      every_steps: 500,
      battery: 'watch',
      seeds: 3,
      delay: 2,
      executor: null,
      tripwires: [{ metric: 'alive_rate', op: '<=', threshold: 0.5, from_step: 0, consecutive: 1 }],
      video: null,
      horizon_s: null,
      cell_count: null,
    })
    expect(json.recipe_hash).toBe(hashOfAnswer(json.recipe))
  })

  it('requires key:train and an account of the caller', async () => {
    expect((await create(await hub.key(ada, { scope: 'write' }), { template: 'act' })).status).toBe(403)
    expect((await create(null, { template: 'act' })).status).toBe(401)
    expect((await create(ada, { template: 'act' }, { owner: 'boss' })).status).toBe(403)
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const made = await create(await hub.key(ada, { scope: 'train' }), { template: 'act' }, { owner: org })
    expect([made.status, made.json.owner.handle]).toEqual([201, org])
  })

  it('is never restricted: not for an unlisted owner, not by a quota, not in the sim template, not for an agent', async () => {
    for (const recipe of [
      { template: 'act', max_hours: 720 },
      { template: 'ppo_sim_a', gpu: 'h100', max_hours: 100 },
    ])
      expect((await create(ada, recipe)).status).toBe(201)
    expect((await create(await hub.key(ada, { scope: 'train', agent: true }), { template: 'act' })).status).toBe(201)
  })

  it('can descend from a run that the caller sees', async () => {
    const parent = (await create(ada, { template: 'act' })).json.id
    expect((await create(ada, { template: 'act' }, { parent_run_id: parent })).json.parent_run_id).toBe(parent)
    const foreign = await create(boss, { template: 'act' }, { parent_run_id: parent })
    expect([foreign.status, places(foreign)]).toEqual([422, [['body', 'parent_run_id']]])
  })
})

describe('repos that a recipe names', () => {
  it('are pinned at their current state, and cannot be deleted', async () => {
    const data = await hub.repo(ada)
    await hub.upload(ada, data, { 'a.txt': 'a' })
    const robot = await hub.repo(ada, { kind: 'robot' })
    const foreign = await hub.repo(boss)
    const refs = [`svc://${data}`, 'codehost://a/b@main', `svc://${foreign}`, `svc://${data}`]
    const { json } = await create(ada, { template: 'act', dataset: refs, robot: robot.toUpperCase() })
    await hub.upload(ada, data, { 'b.txt': 'b' })
    const [state] = await hub.sql<{ id: string; seq: number }>('select id, seq from repos where slug = $1', [
      data.split('/')[1],
    ])
    const pinned = await hub.sql<Json>(
      'select ref, repo_id, seq from run_datasets where run_id = $1 order by position',
      [json.id],
    )
    expect(pinned).toEqual([
      { ref: refs[0], repo_id: state?.id, seq: (state?.seq ?? 0) - 1 },
      { ref: refs[1], repo_id: null, seq: null },
      { ref: refs[2], repo_id: null, seq: null },
      { ref: refs[0], repo_id: state?.id, seq: (state?.seq ?? 0) - 1 },
    ])
    for (const name of [data, robot]) {
      const refused = await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.referenced']])
      expect(refused.json.errors[0].referrer).toBe(json.id)
    }
    expect((await hub.call(boss, 'DELETE', `/v1/repos/${foreign}`)).status).toBe(204)
  })

  it('decide whether a key limited to repos sees the run', async () => {
    const data = await hub.repo(ada)
    const [{ id } = { id: '' }] = await hub.sql<{ id: string }>('select id from repos where slug = $1', [
      data.split('/')[1],
    ])
    const limited = await hub.key(ada, { scope: 'train', repos: [data] })
    const named = (await create(ada, { template: 'act', dataset: [`svc://${data}`] })).json
    const bare = (await create(ada, { template: 'act' })).json
    const own = (await create(limited, { template: 'act' })).json
    const see = async (run: string) => (await hub.call(limited, 'GET', `/v1/runs/${run}`)).status
    expect([await see(named.id), await see(bare.id), await see(own.id)]).toEqual([200, 404, 200])
    expect(id).not.toBe('')
  })
})

describe('an Idempotency-Key', () => {
  it('creates one run for two concurrent requests, and returns 200 for a repeat', async () => {
    const headers = { 'idempotency-key': newName() }
    const recipe = { template: 'act', robot: newName() }
    const answers = await Promise.all([1, 2, 3].map(() => create(ada, recipe, {}, headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    const other = await create(ada, { template: 'act' }, {}, headers)
    expect([other.status, types(other)]).toEqual([422, ['idempotency.mismatch']])
    const key = await create(await hub.key(ada, { scope: 'train' }), recipe, {}, headers)
    expect(key.status).toBe(201)
  })
})

describe('a hosted run', () => {
  it('is priced at the rate of its tier, with the host of the sim template', async () => {
    const one = await create(boss, hosted({ gpu: 'a100', budget_usd: 2 }))
    expect([one.status, one.json.gpu_type]).toEqual([201, 'a100'])
    expect(one.json.spend).toMatchObject({ priced: true, rate_usd_per_hour: 2.4984, budget_usd: 2, accrued_usd: 0 })
    const two = await create(sim, hosted({ template: 'ppo_sim_a' }))
    expect([two.json.gpu_type, two.json.spend.rate_usd_per_hour]).toEqual(['l40s', 2.3012])
  })

  it.each([
    ['of an owner that is not listed', () => ada, hosted(), 403, 'forbidden.hosted_owner'],
    [
      'of the sim template and another owner',
      () => boss,
      hosted({ template: 'ppo_sim_a' }),
      403,
      'forbidden.hosted_owner',
    ],
    [
      'whose gate alone is hosted',
      () => ada,
      { template: 'act', gate: { every_steps: 5, executor: 'hosted' } },
      403,
      'forbidden.hosted_owner',
    ],
    ['of a planned template', () => boss, hosted({ template: 'vla_a_lora' }), 503, 'not_configured.template'],
    [
      'of the sim template on a GPU that it is not hosted on',
      () => sim,
      hosted({ template: 'ppo_sim_a', gpu: 'a100' }),
      422,
      'validation.value',
    ],
    ['of more hours than the quota', () => boss, hosted({ max_hours: 24.5 }), 429, 'quota.gpu_hours'],
  ])('%s is refused, and nothing is recorded', async (_, who, recipe, status, type) => {
    const before = await runsOf(who())
    const answer = await create(who(), recipe)
    expect([answer.status, types(answer)]).toEqual([status, [type]])
    expect(await runsOf(who())).toBe(before)
  })

  it("by an agent's key becomes a spend hold, and nothing of it is recorded", async () => {
    const before = await runsOf(boss)
    const answer = await create(await hub.key(boss, { scope: 'train', agent: true }), hosted())
    expect([answer.status, answer.json.status]).toEqual([202, 'pending'])
    expect(await runsOf(boss)).toBe(before)
  })
})

describe('the quota of GPU hours', () => {
  it('counts reservations of a user through any credential for any owner, but not of canceled runs', async () => {
    const eve = await hub.person()
    await hub.org([{ user: eve.handle, role: 'member' }], 'org-of-boss')
    const key = await hub.key(eve, { scope: 'train' })
    const ask = (who: Person | string, max_hours: number) =>
      create(who, hosted({ max_hours }), { owner: 'org-of-boss' })
    expect((await ask(eve, 20)).status).toBe(201)
    const first = await ask(key, 3)
    expect(first.status).toBe(201)
    const refused = await ask(eve, 1.5)
    expect([refused.status, refused.headers.get('x-gpu-quota-limit'), refused.headers.get('x-gpu-quota-used')]).toEqual(
      [429, '24', '23'],
    )
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_300)
    expect((await ask(eve, 1)).status).toBe(201)
    await hub.sql(`update runs set status = 'canceled', finished_at = now() where id = $1`, [first.json.id])
    expect((await ask(eve, 3)).status).toBe(201)
    await hub.sql(`update runs set created_at = now() - interval '25 hours' where created_by = $1`, [eve.id])
    expect((await ask(eve, 24)).status).toBe(201)
  })

  it('accepts one of two concurrent requests for the last hours', async () => {
    const dan = await hub.person()
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select id, $1, 'member' from accounts where handle = 'org-of-boss'`,
      [dan.id],
    )
    const ask = () => create(dan, hosted({ max_hours: 8 }), { owner: 'org-of-boss' })
    const answers = await Promise.all([ask(), ask(), ask(), ask(), ask(), ask()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429])
  })

  it("is reduced by a key's own quota for the runs of that key", async () => {
    const key = await hub.key(boss, { scope: 'train', dailyGpuHourQuota: 2 })
    expect((await create(key, hosted({ max_hours: 1.5 }))).status).toBe(201)
    const refused = await create(key, hosted({ max_hours: 1 }))
    expect([refused.status, refused.headers.get('x-gpu-quota-limit'), refused.headers.get('x-gpu-quota-used')]).toEqual(
      [429, '2', '1.5'],
    )
  })
})

describe('an imported run', () => {
  const artifacts = { config_yaml: 'lr: 0.1\n', metrics_summary: 'step,reward\n1,2\n' }
  const bring = (who: Person | string | null, body: object) => hub.call(who, 'POST', '/v1/runs/import', body)

  it('has ended, with its artifacts, its gates and no log', async () => {
    const parent = (await create(ada, { template: 'act' })).json.id
    const scorecard_json = {
      cells: [
        { name: 'walk', status: 'PASS' },
        { name: 'run', status: 'FAIL', detail: 'fell' },
      ],
    }
    const body = {
      artifacts: { ...artifacts, scorecard_json },
      template: 'My Trainer 3',
      robot: 'biped',
      parent_run_id: parent,
    }
    const answer = await bring(await hub.key(ada, { scope: 'write' }), body)
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/runs/${answer.json.id}`])
    expect(answer.json).toMatchObject({
      kind: 'external',
      status: 'succeeded',
      executor: null,
      logs_key: null,
      parent_run_id: parent,
      gate: { passed: 1, total: 2 },
      recipe: { template: 'My Trainer 3', robot: 'biped', dataset: [] },
      spend: { priced: false, final: true },
    })
    const { config_key, scorecard_key, metrics_key } = answer.json
    for (const key of [config_key, scorecard_key, metrics_key])
      expect(key).toMatch(new RegExp(`^runs/${answer.json.id}/`))
  })

  it.each(['succeeded', 'failed', 'canceled'])('may have %s', async (status) => {
    expect((await bring(ada, { artifacts, status })).json.status).toBe(status)
  })

  it.each([
    [{ artifacts, status: 'running' }, 422, ['status']],
    [{ artifacts, status: 'queued' }, 422, ['status']],
    [{ artifacts: { config_yaml: 'x' } }, 422, ['artifacts', 'metrics_summary']],
    [{ artifacts: { ...artifacts, scorecard_json: [] } }, 422, ['artifacts', 'scorecard_json']],
    [{ artifacts, dataset: ['x'] }, 422, ['dataset', 0]],
    [{ artifacts, parent_run_id: 'run_nothing' }, 422, ['parent_run_id']],
    [{ artifacts, owner: 'boss' }, 403, ['owner']],
    [{ artifacts: { ...artifacts, config_yaml: 'ü'.repeat(1001) } }, 413, ['artifacts', 'config_yaml']],
    [{ artifacts: { ...artifacts, metrics_summary: 'x'.repeat(2001) } }, 413, ['artifacts', 'metrics_summary']],
    [{ artifacts: { ...artifacts, scorecard_json: { a: 'x'.repeat(2000) } } }, 413, ['artifacts', 'scorecard_json']],
  ])('%o is %d', async (body, status, place) => {
    const answer = await bring(ada, body)
    expect([answer.status, places(answer)]).toEqual([status, [['body', ...place]]])
  })

  it('is rejected if the owner has no room', async () => {
    const full = await hub.person()
    await hub.sql('update accounts set storage_bytes = 4990 where id = $1', [full.id])
    const answer = await bring(full, { artifacts })
    expect([answer.status, types(answer)]).toEqual([413, ['quota.storage']])
  })
})
