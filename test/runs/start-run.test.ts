/** Runs that begin running: one request creates and claims. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

const post = (who: Who, path: string, body: Json, once?: string) =>
  hub.call(who, 'POST', `/v1/runs${path}`, body, once === undefined ? {} : { 'idempotency-key': once })
const start = (body: Json, who: Who = key, once?: string) => post(who, '/start', { worker: 'box', ...body }, once)
const started = async (body: Json = {}, who: Who = key) =>
  (await start({ recipe: { template: 'my script' }, ...body }, who)).json

async function lose(id: string): Promise<void> {
  await hub.sql(`update runs set lease_expires_at = now() - interval '1 ms' where id = $1`, [id])
  await sweepLeases(hub.running.deps)
}

describe('startRun', () => {
  it('is 201 with a running run, its attempt and its lease, and the place where to find it', async () => {
    const answer = await start({ recipe: { template: 'my script', hyperparams: { lr: 1e-3 } } })
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/runs/${answer.json.id}`])
    expect(answer.json).toMatchObject({
      status: 'running',
      kind: 'cloud',
      attempt: 1,
      claimed_by: 'box',
      recipe: { template: 'my script', dataset: [], hyperparams: { lr: 1e-3 } },
      owner: { handle: ada.handle },
      warnings: [],
    })
    const { lease_expires_at, claimed_at, started_at, created_at } = answer.json
    expect(Date.parse(lease_expires_at) - Date.parse(claimed_at)).toBe(300_000)
    expect([started_at, Date.parse(created_at) <= Date.parse(claimed_at)]).toEqual([claimed_at, true])
  })

  it('leaves the run to its starter: its reports are taken and it ends, and others get 409', async () => {
    const { id } = await started()
    const other = await hub.key(ada, { scope: 'train' })
    expect(types(await post(other, `/${id}/report`, { metrics: [{ step: 1 }] }))).toEqual(['conflict.not_claimer'])
    expect(types(await post(other, `/${id}/claim`, { worker: 'w' }))).toEqual(['conflict.already_claimed'])
    const report = { attempt: 1, metrics: [{ step: 1 }], status: 'succeeded' }
    expect((await post(key, `/${id}/report`, report)).json).toMatchObject({ status: 'succeeded', cost_usd: 0 })
  })

  it('writes the creation and the claim to the audit log', async () => {
    const { id } = await started()
    const rows = await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [
      id,
    ])
    expect(rows.map(({ action }) => action)).toEqual(['run.create', 'run.claim'])
  })

  it('takes any template of 1 to 64 characters, also a planned one', async () => {
    for (const template of ['x', 'x'.repeat(64), 'vla_a_lora', 'Train my arm (v2)'])
      expect((await start({ recipe: { template } })).json).toMatchObject({ status: 'running', recipe: { template } })
    for (const template of ['', 'x'.repeat(65)])
      expect((await start({ recipe: { template } })).status, template).toBe(422)
  })

  it('needs the name of the worker: 1 to 128 characters', async () => {
    expect((await start({ recipe: { template: 'x' }, worker: 'w'.repeat(128) })).status).toBe(201)
    for (const worker of ['', 'w'.repeat(129), null])
      expect((await start({ recipe: { template: 'x' }, worker })).status).toBe(422)
  })

  it('is 422 for hosted work, of the run and of its gate, and creates nothing', async () => {
    const one = await hub.person()
    const asked: [Json, Json][] = [
      [{ executor: 'hosted' }, ['body', 'recipe', 'executor']],
      [{ gate: { every_steps: 10, executor: 'hosted' } }, ['body', 'recipe', 'gate', 'executor']],
    ]
    const agent = await hub.key(one, { scope: 'train', agent: true })
    for (const [recipe, loc] of asked) {
      for (const who of [one, agent]) {
        const answer = await start({ recipe: { template: 'act', ...recipe } }, who)
        expect([answer.status, answer.json.errors[0].loc]).toEqual([422, loc])
      }
    }
    expect((await hub.call(one, 'GET', '/v1/runs')).json.items).toEqual([])
    expect(
      await started({ recipe: { template: 'x', executor: 'worker', gate: { every_steps: 10 } } }, agent),
    ).toMatchObject({
      status: 'running',
      warnings: [expect.stringMatching(/^recipe\.gate: /)],
    })
  })

  it('refuses what createRun refuses: owners, parents, steps, datasets, GPUs', async () => {
    const stranger = await hub.person()
    const recipe = { template: 'x' }
    const hidden = (await started({}, stranger)).id
    const parent = (await started()).id
    for (const [body, status, place] of [
      [{ recipe, owner: stranger.handle }, 403, 'owner'],
      [{ recipe, owner: 'no-such-owner' }, 403, 'owner'],
      [{ recipe, parent_run_id: hidden }, 422, 'parent_run_id'],
      [{ recipe: { template: 'x', parent_checkpoint_step: 3 }, parent_run_id: parent }, 422, 'parent_checkpoint_step'],
      [{ recipe: { template: 'x', dataset: ['nonsense'] } }, 422, 0],
      [{ recipe: { template: 'x', gpu: 'abacus' } }, 422, 'gpu'],
      [{ recipe: { template: 'x', max_hours: 721 } }, 422, 'max_hours'],
    ] as const) {
      const answer = await start(body)
      expect([answer.status, answer.json.errors[0].loc.at(-1)]).toEqual([status, place])
    }
    expect((await started({ parent_run_id: parent })).parent_run_id).toBe(parent)
  })

  it('pins its datasets and keeps them from deletion', async () => {
    const slug = newName('data')
    expect((await hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', slug })).status).toBe(201)
    const { id } = await started({ recipe: { template: 'x', dataset: [`svc://${ada.handle}/${slug}`] } })
    expect(await hub.sql('select 1 from run_datasets where run_id = $1 and seq is not null', [id])).toHaveLength(1)
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${ada.handle}/${slug}`)).status).toBe(409)
  })

  it('is the same operation in the graph', async () => {
    const text = `mutation($input: StartRunInput!) { startRun(input: $input) { run { status attempt claimedBy warnings } } }`
    const input = { recipe: { template: 'graph', budgetUsd: 3 }, worker: 'box' }
    expect((await hub.graphql(ada, text, { input })).data.startRun.run).toEqual({
      status: 'RUNNING',
      attempt: 1,
      claimedBy: 'box',
      warnings: [expect.stringMatching(/^recipe\.budget_usd: /)],
    })
    const hosted = { ...input, recipe: { template: 'graph', executor: 'HOSTED' } }
    expect((await hub.graphql(ada, text, { input: hosted })).errors[0].extensions.status).toBe(422)
  })
})

describe('startRun under the same Idempotency-Key', () => {
  it('is 200 with the same run while its attempt is the claimer’s', async () => {
    const once = newName()
    const recipe = { template: 'x' }
    const [first, again] = [await start({ recipe }, key, once), await start({ recipe }, key, once)]
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 200, 'true'])
    expect(again.json).toEqual(first.json)
    expect(await hub.sql('select 1 from run_attempts where run_id = $1', [first.json.id])).toHaveLength(1)
  })

  it('is 409 once that attempt is over: a trainer that reads it goes to work', async () => {
    const once = newName()
    const { id } = (await start({ recipe: { template: 'x' } }, key, once)).json
    await lose(id)
    expect(types(await start({ recipe: { template: 'x' } }, key, once))).toEqual(['conflict.not_claimer'])
    expect((await post(key, `/${id}/report`, { attempt: 1 })).status).toBe(409)
    expect((await post(key, `/${id}/claim`, { worker: 'box' })).json.attempt).toBe(2)
    expect((await start({ recipe: { template: 'x' } }, key, once)).status).toBe(409)
  })
})

describe('a started run that lost its lease', () => {
  it('waits for the process that started it: claim-next hands it to no one, and its id claims it', async () => {
    const one = await hub.person()
    const { id } = await started({}, one)
    await lose(id)
    expect((await hub.call(one, 'GET', `/v1/runs/${id}`)).json).toMatchObject({ status: 'queued', claimed_by: null })
    const other = await hub.key(one, { scope: 'train' })
    expect((await post(other, '/claim-next', { worker: 'w' })).status).toBe(204)
    const queued = await post(one, '', { recipe: { template: 'act' } })
    expect((await post(other, '/claim-next', { worker: 'w' })).json.id).toBe(queued.json.id)
    expect(types(await post(one, `/${id}/claim`, { worker: 'box' }))).toEqual(['conflict.lease_lost'])
    expect(types(await post(one, `/${id}/report`, { attempt: 1 }))).toEqual(['conflict.not_claimer'])
    expect((await post(one, `/${id}/claim`, { worker: 'box' })).json).toMatchObject({ attempt: 2, status: 'running' })
    const log = (await hub.send(one, 'GET', `/v1/runs/${id}/logs/download`)).text
    expect(log).toContain('The run waits for the process that started it')
  })
})
