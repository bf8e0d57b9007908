import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, places, types, type Who } from '../support/hub.ts'
import { putRun, type RunGiven } from '../support/runs.ts'

const hub = contractHub()
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
let ada: Person
let key: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

const put = (given: Partial<RunGiven> = {}) => putRun(hub.running.deps.db, { ownerId: ada.id, ...given })
const get = (who: Who, path: string) => hub.call(who, 'GET', `/v1/runs${path}`)
const post = (who: Who, path: string, body?: unknown, headers = {}) =>
  hub.call(who, 'POST', `/v1/runs/${path}`, body, headers)
const ids = (answer: { json: Json }): string[] => answer.json.items.map((item: Json) => item.id)

describe('a run', () => {
  it('has every member of the spec, null where there is no value', async () => {
    const id = await put({ recipe: { template: 'act', dataset: ['svc://ada/data'], hyperparams: { b: 1, a: [null] } } })
    const answer = await get(key, `/${id}`)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        id,
        kind: 'cloud',
        status: 'queued',
        recipe: {
          template: 'act',
          dataset: ['svc://ada/data'],
          robot: null,
          hyperparams: { b: 1, a: [null] },
          gpu: null,
          max_hours: null,
          executor: null,
          budget_usd: null,
          gate: null,
          parent_checkpoint_step: null,
        },
        recipe_hash: 'a'.repeat(64),
        owner: { id: ada.id, kind: 'user', handle: ada.handle, name: null },
        created_by: { id: ada.id, handle: ada.handle, name: null },
        gpu_type: null,
        cost_usd: null,
        metrics_key: null,
        logs_key: null,
        config_key: null,
        scorecard_key: null,
        sort_value: null,
        gate: null,
        gates: null,
        output_model_repo: null,
        parent_run_id: null,
        project: null,
        name: null,
        notes: null,
        tags: [],
        group: null,
        job_type: null,
        executor: 'worker',
        claimed_by: null,
        claimed_at: null,
        heartbeat_at: null,
        lease_expires_at: null,
        attempt: 0,
        cancel_requested_at: null,
        deadline_at: null,
        latest_metrics: null,
        peak_vram_gb: null,
        samples_per_s: null,
        hosted_call_id: null,
        dispatched_at: null,
        error: null,
        created_at: isTime,
        started_at: null,
        finished_at: null,
        display_name: `act ${id.slice(-6)}`,
        display_name_source: 'recipe',
        progress: null,
        spend: {
          priced: false,
          accrued_usd: null,
          rate_usd_per_hour: null,
          budget_usd: null,
          remaining_usd: null,
          final: false,
          as_of: isTime,
        },
        round: null,
        sparkline: null,
        datasets: [],
      },
    ])
  })

  it('shows the state that its reports left, computed when it is read', async () => {
    const hour = new Date(Date.now() - 3_600_000).toISOString()
    const id = await put({
      status: 'running',
      executor: 'hosted',
      recipe: {
        template: 'ppo_sim_a',
        robot: 'ada/dog',
        hyperparams: { run_name: 'first try' },
        gate: {
          every_steps: 100,
          tripwires: [{ metric: 'pass_rate', op: '<', threshold: 0.5, from_step: 200, consecutive: 2 }],
        },
      },
      set: {
        priced: true,
        rate_usd_per_hour: '2.3012',
        budget_usd: '10',
        claimed_at: hour,
        latest_metrics: '{"z":1,"a":{"reward":2}}',
        metrics_seq: 3,
        log_seq: 1,
        progress: '{"iteration":50,"final_iteration":100}',
        progress_at: new Date().toISOString(),
        pace: JSON.stringify([
          [Date.now() - 50_000, 0],
          [Date.now(), 50],
        ]),
        reward_curve: '{"metric":"reward","points":[[1,0.5],[2,0.75]]}',
        gates: '[{"name":"walk","status":"PASS","detail":null},{"name":"turn","status":"ERROR","detail":"no contact"}]',
        gate_passed: 1,
        gate_total: 1,
      },
    })
    const { json } = await get(key, `/${id}`)
    expect(json).toMatchObject({
      display_name: 'first try',
      display_name_source: 'run_name',
      metrics_key: `runs/${id}/metrics.jsonl`,
      logs_key: `runs/${id}/logs/`,
      gate: { passed: 1, total: 1 },
      gates: [
        { name: 'walk', status: 'PASS', detail: null },
        { name: 'turn', status: 'ERROR', detail: 'no contact' },
      ],
      sparkline: {
        metric: 'reward',
        points: [
          [1, 0.5],
          [2, 0.75],
        ],
      },
      progress: {
        iteration: 50,
        total_iterations: null,
        final_iteration: 100,
        start_iteration: 0,
        fraction: 0.5,
        eta_at: isTime,
      },
      recipe: {
        gate: {
          every_steps: 100,
          battery: 'watch',
          tripwires: [{ metric: 'pass_rate', op: '<', threshold: 0.5, from_step: 200, consecutive: 2 }],
        },
      },
      spend: { priced: true, rate_usd_per_hour: 2.3012, budget_usd: 10, final: false },
    })
    expect(json.progress.eta_s).toBeGreaterThan(40)
    expect(json.spend.accrued_usd).toBeCloseTo(2.3012, 1)
    expect(json.spend.remaining_usd).toBeCloseTo(10 - json.spend.accrued_usd, 4)
    expect(JSON.stringify(json.latest_metrics)).toBe('{"z":1,"a":{"reward":2}}')
  })

  it('is 404 if it is not visible to the caller, 401 for anonymous callers, and null in GraphQL', async () => {
    const [id, bob] = [await put(), await hub.person()]
    expect((await get(bob, `/${id}`)).status).toBe(404)
    expect((await get(bob, '/run_no')).status).toBe(404)
    expect((await get(null, `/${id}`)).status).toBe(401)
    const query = 'query ($id: ID!, $node: ID!) { run(id: $id) { id } node(id: $node) { id } }'
    const ask = async (who: Who) => (await hub.graphql(who, query, { id, node: id })).data
    expect(await ask(bob)).toEqual({ run: null, node: null })
    expect(await ask(ada)).toEqual({ run: { id }, node: { id } })
    expect(
      (await hub.graphql(ada, '{ runs(status: QUEUED, first: 1) { nodes { status executor } } }')).data.runs.nodes,
    ).toEqual([{ status: 'QUEUED', executor: 'WORKER' }])
  })
})

describe('listing runs', () => {
  it('pages, filters with the values of the spec, and counts on request', async () => {
    const eve = await hub.person()
    const mine = await Promise.all(Array.from({ length: 3 }, () => put({ ownerId: eve.id })))
    const done = await put({
      ownerId: eve.id,
      status: 'succeeded',
      kind: 'external',
      set: { gate_total: 1, gate_passed: 1, parent_run_id: mine[0] },
    })
    const all = [...mine, done].sort().reverse()
    const first = await get(eve, '?limit=2')
    expect(ids(first)).toEqual(all.slice(0, 2))
    expect(first.headers.get('link')).toContain('rel="next"')
    expect(ids(await get(eve, `?limit=2&cursor=${first.json.next_cursor}`))).toEqual(all.slice(2))
    expect(ids(await get(eve, '?status=queued&executor=worker'))).toHaveLength(3)
    expect(ids(await get(eve, '?gated=true'))).toEqual([done])
    expect(ids(await get(eve, `?parent_run_id=${mine[0]}`))).toEqual([done])
    expect(ids(await get(eve, `?owner=${ada.handle}`))).toEqual([])
    expect('facets' in (await get(eve, '')).json).toBe(false)
    expect((await get(eve, '?facets=true&status=failed')).json).toMatchObject({
      items: [],
      next_cursor: null,
      facets: {
        total: 4,
        kind: [
          { value: 'cloud', count: 3 },
          { value: 'external', count: 1 },
        ],
        executor: [{ value: 'worker', count: 3 }],
        status: [
          { value: 'queued', count: 3 },
          { value: 'succeeded', count: 1 },
        ],
        robot: [],
        gated: [
          { value: 'true', count: 1 },
          { value: 'false', count: 3 },
        ],
      },
    })
  })

  it.each([
    ['status=done', 'status'],
    ['executor=both', 'executor'],
    ['kind=local', 'kind'],
    ['gated=maybe', 'gated'],
    ['facets=tags', 'facets'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    ['sort=created', 'sort'],
  ])('refuses %s with 422', async (query, name) => {
    const refused = await get(ada, `?${query}`)
    expect([refused.status, places(refused)]).toEqual([422, [['query', name]]])
  })

  it('requires a credential', async () => {
    expect((await get(null, '')).status).toBe(401)
  })
})

describe('claiming', () => {
  it('returns the run, then 409 naming the holder', async () => {
    const id = await put()
    const claimed = await post(key, `${id}/claim`, { worker: 'box' })
    expect([claimed.status, claimed.json]).toMatchObject([
      200,
      { id, status: 'running', claimed_by: 'box', attempt: 1, lease_expires_at: isTime },
    ])
    const second = await post(key, `${id}/claim`, { worker: 'other' })
    expect([second.status, types(second)]).toEqual([409, ['conflict.already_claimed']])
    expect(second.json.errors[0]).toMatchObject({ holder: 'box', since: claimed.json.claimed_at })
    expect(second.json.detail).toContain('box has held it since')
  })

  it('under an Idempotency-Key returns its own claim again', async () => {
    const id = await put()
    const once = { 'idempotency-key': 'claim-1' }
    const [first, again] = [
      await post(key, `${id}/claim`, { worker: 'box' }, once),
      await post(key, `${id}/claim`, { worker: 'box' }, once),
    ]
    expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([200, 'true', first.json])
  })

  it('validates the body', async () => {
    const id = await put()
    for (const [body, place] of [
      [{}, 'worker'],
      [{ worker: '' }, 'worker'],
      [{ worker: 'w'.repeat(129) }, 'worker'],
      [{ worker: 'w\0' }, 'worker'],
      [{ worker: 7 }, 'worker'],
      [{ worker: 'w', resume_step: -1 }, 'resume_step'],
      [{ worker: 'w', resume_step: 1.5 }, 'resume_step'],
      [{ worker: 'w', hosted_call_id: '' }, 'hosted_call_id'],
      [{ worker: 'w', color: 'red' }, 'color'],
    ] as const) {
      const refused = await post(key, `${id}/claim`, body)
      expect([refused.status, places(refused)]).toEqual([422, [['body', place]]])
    }
    expect((await get(key, `/${id}`)).json.status).toBe('queued')
  })

  it('is 404 if the run is invisible, even with an insufficient scope, and 403 if it is visible', async () => {
    const [id, bob] = [await put(), await hub.person()]
    const small = await hub.key(ada, { scope: 'write' })
    const bobs = await hub.key(bob, { scope: 'read' })
    expect((await post(small, `${id}/claim`, { worker: 'w' })).status).toBe(403)
    expect((await post(bobs, `${id}/claim`, { worker: 'w' })).status).toBe(404)
    expect((await post(bob, `${id}/claim`, { worker: 'w' })).status).toBe(404)
    expect((await post(key, `${newId('run')}/claim`, { worker: 'w' })).status).toBe(404)
    expect((await post(null, `${id}/claim`, { worker: 'w' })).status).toBe(401)
  })
})

describe('claiming the next one', () => {
  it('returns the oldest, 204 if there is none, and waits on request', async () => {
    const eve = await hub.person()
    const [first, second] = [await put({ ownerId: eve.id }), await put({ ownerId: eve.id })].sort()
    const next = (body: object) => post(eve, 'claim-next', { worker: 'w', ...body })
    expect((await next({})).json).toMatchObject({ id: first, status: 'running' })
    expect((await next({ wait_s: 30 })).json.id).toBe(second)
    const none = await next({})
    expect([none.status, none.text]).toEqual([204, ''])
    for (const wait_s of [-1, 31, 1.5]) expect((await next({ wait_s })).status).toBe(422)
    const graph = 'mutation { claimNextRun(input: { worker: "w" }) { run { id } } }'
    expect((await hub.graphql(eve, graph)).data).toEqual({ claimNextRun: { run: null } })
  })
})

describe('canceling', () => {
  it('returns 202 with the current run, and 409 when it has ended', async () => {
    const [queued, running] = [await put(), await put({ status: 'running' })]
    const ended = await post(key, `${queued}/cancel`)
    expect([ended.status, ended.json]).toMatchObject([202, { status: 'canceled', finished_at: isTime, cost_usd: 0 }])
    const again = await post(key, `${queued}/cancel`)
    expect([again.status, types(again)]).toEqual([409, ['conflict.terminal']])
    const asked = await post(key, `${running}/cancel`, {})
    expect([asked.status, asked.json]).toMatchObject([202, { status: 'running', cancel_requested_at: isTime }])
    expect((await post(key, `${running}/cancel`)).json.cancel_requested_at).toBe(asked.json.cancel_requested_at)
  })

  it('is 202 also for a run that the hosted backend executes, 404 if invisible, 403 for a read key', async () => {
    const hosted = await post(key, `${await put({ status: 'running', executor: 'hosted' })}/cancel`)
    expect([hosted.status, hosted.json]).toMatchObject([202, { status: 'running', cancel_requested_at: isTime }])
    const id = await put()
    expect((await post(await hub.person(), `${id}/cancel`)).status).toBe(404)
    expect((await post(await hub.key(ada, { scope: 'read' }), `${id}/cancel`)).status).toBe(403)
  })
})
