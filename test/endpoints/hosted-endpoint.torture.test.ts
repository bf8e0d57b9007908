// @module-tag processes
/** Hosted endpoints: who can have one, what it reserves and costs to the ten-thousandth, and how the hub itself ends it. Contract, "Endpoint cost". */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { renewReservations } from '../../src/endpoints/end/renew-reservations.ts'
import { sweepEndpoints } from '../../src/endpoints/end/sweep-endpoints.ts'
import { endpointFunction } from '../support/endpoint-function.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { endpointsOf, onnxSha256 } from '../support/hub-endpoints.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = endpointFunction()
afterAll(() => program.remove())
const settings = { HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', HOSTED_MAX_PROCESSES: '50' }
const hub = contractHub({ ...settings, ...reachingCheckout, HOSTED_COMMAND: program.command })
const endpoints = endpointsOf(hub)
const { ok } = endpoints
let ada: Person
let model: string

beforeAll(async () => {
  ada = await hub.person()
  model = await endpoints.model(ada)
})

const hosted = (change: Json = {}) => endpoints.queued(ada, model, { executor: 'hosted', max_hours: 1, ...change })
const reservationOf = async (id: string): Promise<Json> =>
  (
    await hub.sql<Json>('select amount_usd::text, covers_to, job_kind from spend_reservations where job_id = $1', [id])
  )[0] ?? null

/** The key that its function was given; the function itself does nothing with it. */
async function keyOf(id: string): Promise<string> {
  const token = async () =>
    program.tokenOf((await endpoints.read(ada, id)).hosted_call_id) ??
    Promise.reject(new Error('The function has not started yet.'))
  return vi.waitFor(token, { timeout: 100_000, interval: 50 })
}

/** A hosted endpoint that its function has claimed, and the function's key. */
async function serving(change: Json = {}): Promise<{ id: string; key: string }> {
  const { id } = await hosted(change)
  const key = await keyOf(id)
  await ok(endpoints.claim(key, id), 200)
  return { id, key }
}

describe('a hosted endpoint', () => {
  it('is held for an agent, who gives it an end, until a person approves it as that key; an estimate is priced for everyone', async () => {
    const agent = await hub.key(ada, { agent: true, scope: 'train' })
    const asked = { executor: 'hosted', max_hours: 1 }
    const endless = await endpoints.create(agent, model, { executor: 'hosted' })
    expect([endless.status, places(endless)]).toEqual([422, [['body', 'max_hours']]])
    const endlessEstimate = await endpoints.estimate(agent, model, { executor: 'hosted' })
    expect([endlessEstimate.status, places(endlessEstimate)]).toEqual([422, [['body', 'hours']]])
    expect((await endpoints.estimate(agent, model, { executor: 'hosted', hours: 1 })).json).toMatchObject({
      priced: true,
      cost_usd_max: 0.7992,
      tier: 'l4',
    })
    const { id, ...hold } = await ok(endpoints.create(agent, model, { ...asked, budget_usd: 0.5, name: 'arm' }), 202)
    const request = {
      model_repo: model,
      executor: 'hosted',
      name: 'arm',
      params: 1_000_000,
      max_hours: 1,
      budget_usd: 0.5,
    }
    expect(hold).toMatchObject({ status: 'pending', kind: 'endpoint', request, reserve_usd: 0.5, allowance_usd: 0 })
    expect(hold.summary).toContain(`Serve ${model} (policy.onnx) for ${ada.handle} on a hosted l4`)
    expect((await hub.call(ada, 'GET', '/v1/endpoints?status=queued')).json.items).toEqual([])
    const { result_id } = await ok(hub.call(ada, 'POST', `/v1/spend/holds/${id}/approve`), 200)
    const query = `{ spendHold(id: "${id}") { result { __typename ... on Endpoint { id } } } }`
    expect((await hub.graphql(agent, query)).data.spendHold.result).toEqual({ __typename: 'Endpoint', id: result_id })
    expect(await endpoints.read(agent, result_id)).toMatchObject({ name: 'arm', budget_usd: 0.5, executor: 'hosted' })
    expect(await reservationOf(result_id)).toMatchObject({ amount_usd: '0.5000' })
  })

  it('is 429 for everyone where a cap in STOP mode has no room for it', async () => {
    const asked = { executor: 'hosted', max_hours: 1 }
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    await hub.sql(`update accounts set spend_cap_usd = 0.5, spend_cap_mode = 'STOP' where handle = $1`, [org])
    const capped = await endpoints.create(ada, model, { ...asked, owner: org })
    expect([capped.status, types(capped), Number(capped.headers.get('retry-after')) > 0]).toEqual([
      429,
      ['quota.spend_cap'],
      true,
    ])
    expect((await hub.call(ada, 'GET', `/v1/endpoints?owner=${org}`)).json.items).toEqual([])
    expect((await endpoints.queued(ada, model, { ...asked, owner: org, budget_usd: 0.5 })).priced).toBe(true)
  })

  it('reserves the rate for its hours, or its budget where that is less; without either the rest of the month', async () => {
    const reserved = async (change: Json) => reservationOf((await hosted(change)).id)
    expect(await reserved({ max_hours: 2 })).toEqual({ amount_usd: '1.5984', covers_to: null, job_kind: 'endpoint' })
    expect(await reserved({ max_hours: 2, budget_usd: 1 })).toMatchObject({ amount_usd: '1.0000', covers_to: null })
    expect(await reserved({ max_hours: null, budget_usd: 3.5 })).toMatchObject({
      amount_usd: '3.5000',
      covers_to: null,
    })
    const open = await reserved({ max_hours: null })
    const [{ ends }] = (await hub.sql<Json>(
      `select date_trunc('month', now(), 'UTC') + interval '1 month' as ends`,
    )) as [Json]
    expect(open.covers_to).toBe(ends)
    expect(Number(open.amount_usd)).toBeGreaterThan(0)
    expect(await endpoints.estimate(ada, model, { executor: 'hosted', hours: 10, budget_usd: 5 })).toMatchObject({
      json: { rate_usd_per_hour: 0.7992, cost_usd_max: 5, capped_by_budget: true, priced: true },
    })
  })

  it('is estimated with what creating it reserves, which of one without an end is the rest of the month', async () => {
    const [{ ends, seconds }] = (await hub.sql<Json>(
      `select date_trunc('month', now(), 'UTC') + interval '1 month' as ends,
        extract(epoch from date_trunc('month', now(), 'UTC') + interval '1 month' - now())::float8 as seconds`,
    )) as [Json]
    const estimated = async (change: Json) =>
      (await ok(endpoints.estimate(ada, model, { executor: 'hosted', ...change }), 200)).reservation
    for (const { hours, ...rest } of [{ hours: 2 }, { hours: 2, budget_usd: 1 }, { budget_usd: 3.5 }] as Json[]) {
      const { amount_usd, covers_to } = await estimated({ hours, ...rest })
      const made = await reservationOf((await hosted({ max_hours: hours ?? null, ...rest })).id)
      expect([amount_usd, covers_to]).toEqual([Number(made.amount_usd), null])
    }
    const open = await estimated({})
    expect(open.covers_to).toBe(ends)
    expect(Math.abs(open.amount_usd - (0.7992 * seconds) / 3600)).toBeLessThan(0.1)
    expect((await endpoints.estimate(ada, model)).json).not.toHaveProperty('reservation')
    const query = `mutation { estimateEndpoint(input: { modelRepo: "${model}", params: 1, executor: HOSTED }) { hours reservation { coversTo } } }`
    const { data } = await hub.graphql(ada, query)
    expect(data.estimateEndpoint).toEqual({ hours: 1, reservation: { coversTo: ends } })
  })

  it('is claimed by its own call alone, over wss, with a key that is good for this endpoint and dead with it', async () => {
    const { id } = await hosted()
    const key = await keyOf(id)
    const server = await hub.key(ada, { scope: 'train' })
    expect(types(await endpoints.claim(server, id))).toEqual(['conflict.wrong_kind'])
    expect(types(await endpoints.claim(server, id, { url: 'ws://box:1' }))).toEqual(['conflict.wrong_kind'])
    expect(places(await endpoints.claim(key, id, { url: 'ws://box:1' }))).toEqual([['body', 'url']])
    const other = await endpoints.queued(ada, model)
    const elsewhere = await endpoints.model(ada)
    await ok(endpoints.claim(key, id), 200)
    const status = async (method: string, path: string, body?: Json) => (await hub.call(key, method, path, body)).status
    const of = (name: string) => `/v1/repos/${name}/files/presign-download`
    expect({
      own: await status('GET', `/v1/endpoints/${id}`),
      me: await status('GET', '/v1/me'),
      model: await status('POST', of(model), { paths: ['policy.onnx'] }),
      elsewhere: await status('POST', of(elsewhere), { paths: ['policy.onnx'] }),
      other: await status('GET', `/v1/endpoints/${other.id}`),
      claim: await status('POST', `/v1/endpoints/${other.id}/claim`, {
        worker: 'w',
        url: 'wss://x',
        model_sha256: onnxSha256,
      }),
      list: await status('GET', '/v1/endpoints'),
      stop: await status('DELETE', `/v1/endpoints/${id}`),
      create: await status('POST', '/v1/endpoints', { model_repo: model }),
      estimate: await status('POST', '/v1/endpoints/estimate', { model_repo: model }),
      write: await status('PATCH', `/v1/repos/${model}`, { description: 'mine' }),
      run: await status('POST', '/v1/runs', { recipe: { template: 'act' } }),
    }).toEqual({
      own: 200,
      me: 200,
      model: 200,
      elsewhere: 404,
      other: 404,
      claim: 404,
      list: 403,
      stop: 403,
      create: 403,
      estimate: 403,
      write: 403,
      run: 403,
    })
    await ok(endpoints.report(key, id, { status: 'stopped' }), 200)
    expect(await status('GET', `/v1/endpoints/${id}`)).toBe(401)
  })

  it('bills each session at its rate, shows the same sum while it runs, and releases what it reserved', async () => {
    const { id, key } = await serving()
    const [a, b] = [await endpoints.session(id), await endpoints.session(id)]
    await endpoints.age(id, 3000)
    const sessions = [
      { session_id: a, gpu_seconds: 1000.5 },
      { session_id: b, gpu_seconds: 0.225, state: 'closed' },
    ]
    const running = await ok(endpoints.report(key, id, { sessions }), 200)
    // 0.7992 x 1000.5 / 3600 = 0.2221…; 0.7992 x 0.225 / 3600 = 0.00004995.
    expect([running.cost_usd, running.rate_usd_per_hour]).toEqual([0.2221, 0.7992])
    expect(await ok(endpoints.report(key, id, { status: 'stopped' }), 200)).toMatchObject({ cost_usd: 0.2221 })
    const row = { job_kind: 'endpoint_session', attempt: 1, kind: 'gpu', tier: 'l4' }
    expect(await endpoints.ledgerOf(id)).toEqual([
      { ...row, job_id: a, seconds: '1000.500', amount_usd: '0.2221' },
      { ...row, job_id: b, seconds: '0.225', amount_usd: '0.0000' },
    ])
    const shown = async (page: string) => {
      const query = `{ endpoint(id: "${id}") { ledger(${page}) { nodes { jobId amountUsd } pageInfo { endCursor hasNextPage } } } }`
      return (await hub.graphql(ada, query)).data.endpoint.ledger
    }
    const newest = await shown('first: 1')
    expect([newest.nodes, newest.pageInfo.hasNextPage]).toEqual([[{ jobId: b, amountUsd: 0 }], true])
    const rest = await shown(`first: 1, after: "${newest.pageInfo.endCursor}"`)
    expect([rest.nodes, rest.pageInfo.hasNextPage]).toEqual([[{ jobId: a, amountUsd: 0.2221 }], false])
    expect(await reservationOf(id)).toBeNull()
  })

  it('never bills more than its budget: the hub asks it to stop when that is spent, and ends it a minute later', async () => {
    const { id, key } = await serving({ budget_usd: 0.1 })
    const [a, b] = [await endpoints.session(id), await endpoints.session(id)]
    await endpoints.age(id, 2000)
    const sessions = [
      { session_id: b, gpu_seconds: 300 },
      { session_id: a, gpu_seconds: 400 },
    ]
    expect((await ok(endpoints.report(key, id, { sessions }), 200)).cost_usd).toBe(0.1)
    await sweepEndpoints(hub.running.deps)
    const asked = await endpoints.read(ada, id)
    expect(asked).toMatchObject({ status: 'running', stop_reason: 'budget', stop_requested_at: expect.any(String) })
    await sweepEndpoints(hub.running.deps)
    expect((await endpoints.read(ada, id)).status).toBe('running')
    await endpoints.age(id, 61)
    await sweepEndpoints(hub.running.deps)
    const ended = await endpoints.read(ada, id)
    expect(ended).toMatchObject({ status: 'failed', stop_reason: 'budget', cost_usd: 0.1, sessions_open: 0 })
    expect(ended.error).toContain('spent its budget of 0.1000 USD')
    expect((await endpoints.ledgerOf(id)).map(({ amount_usd }) => amount_usd)).toEqual(['0.0888', '0.0112'])
    expect((await endpoints.report(key, id)).status).toBe(401)
    expect(await endpoints.audits(id)).toEqual(['endpoint.create', 'endpoint.claim', 'endpoint.finish'])
  })

  it('is ended past max_hours by the hub’s own clock, and bills no second beyond', async () => {
    const { id, key } = await serving({ max_hours: 0.5 })
    const a = await endpoints.session(id)
    await endpoints.age(id, 1799)
    await sweepEndpoints(hub.running.deps)
    expect((await endpoints.read(ada, id)).stop_requested_at).toBeNull()
    await endpoints.age(id, 1000)
    await ok(endpoints.report(key, id, { sessions: [{ session_id: a, gpu_seconds: 2790 }] }), 200)
    await sweepEndpoints(hub.running.deps)
    expect(await endpoints.read(ada, id)).toMatchObject({
      status: 'running',
      stop_reason: 'max_hours',
      cost_usd: 0.3996,
    })
    await endpoints.age(id, 61)
    await sweepEndpoints(hub.running.deps)
    expect(await endpoints.read(ada, id)).toMatchObject({
      status: 'failed',
      stop_reason: 'max_hours',
      error: 'The endpoint used up its max_hours of 0.5, and the hub ended it.',
      cost_usd: 0.3996,
    })
  })

  it('is ended by the hub a minute after a person stopped it, though its server goes on reporting', async () => {
    const { id, key } = await serving()
    await ok(endpoints.stop(ada, id), 202)
    // It has reported just now: only the request gets older.
    const asked = (seconds: number) =>
      hub.sql(
        `update endpoints set cancel_requested_at = cancel_requested_at - make_interval(secs => $2) where id = $1`,
        [id, seconds],
      )
    await asked(20)
    await ok(endpoints.report(key, id), 200)
    await sweepEndpoints(hub.running.deps)
    expect((await endpoints.read(ada, id)).status).toBe('running')
    await asked(40)
    const swept = async () => {
      await sweepEndpoints(hub.running.deps)
      return (await endpoints.read(ada, id)).status
    }
    await expect.poll(swept, { timeout: 100_000 }).toBe('failed')
    expect(await endpoints.read(ada, id)).toMatchObject({
      stop_reason: 'cancel',
      error: 'The endpoint was asked to stop, its server did not stop, and the hub ended it.',
    })
    expect((await endpoints.report(key, id)).status).toBe(401)
    expect(await reservationOf(id)).toBeNull()
  })

  it('bills no GPU time later than a minute after it was asked to stop', async () => {
    const { id, key } = await serving({ max_hours: null })
    const a = await endpoints.session(id)
    await endpoints.age(id, 30)
    await ok(endpoints.stop(ada, id), 202)
    await endpoints.age(id, 3000)
    // Claimed for 3030 s and more, and asked to stop after 30 of them: 90 s are billed.
    const ended = await ok(
      endpoints.report(key, id, { status: 'stopped', sessions: [{ session_id: a, gpu_seconds: 3000 }] }),
      200,
    )
    expect(ended.cost_usd).toBeGreaterThanOrEqual(0.02)
    expect(ended.cost_usd).toBeLessThan(0.0205)
  })

  it('without a limit reserves another month when one ends, or is asked to stop where a cap has no room', async () => {
    const { id } = await serving({ max_hours: null })
    const past = () =>
      hub.sql(`update spend_reservations set covers_to = now() - interval '1 s', amount_usd = 0.01 where job_id = $1`, [
        id,
      ])
    await past()
    await renewReservations(hub.running.deps)
    const renewed = await reservationOf(id)
    expect(Date.parse(renewed.covers_to)).toBeGreaterThan(Date.now())
    expect(Number(renewed.amount_usd)).toBeGreaterThan(0)
    await past()
    await hub.sql(`update accounts set spend_cap_usd = 0.001, spend_cap_mode = 'STOP' where id = $1`, [ada.id])
    await renewReservations(hub.running.deps)
    await hub.sql('update accounts set spend_cap_usd = null, spend_cap_mode = null where id = $1', [ada.id])
    expect(await endpoints.read(ada, id)).toMatchObject({ status: 'running', stop_reason: 'spend_cap' })
    await renewReservations(hub.running.deps)
    expect((await reservationOf(id)).amount_usd).toBe('0.0100')
    await endpoints.age(id, 61)
    await sweepEndpoints(hub.running.deps)
    expect(await endpoints.read(ada, id)).toMatchObject({ status: 'failed', stop_reason: 'spend_cap' })
    expect(await reservationOf(id)).toBeNull()
  })

  it('whose function ends without a report has failed, and what it served is billed', async () => {
    const { id, key } = await serving()
    const a = await endpoints.session(id)
    await endpoints.age(id, 600)
    await ok(endpoints.report(key, id, { sessions: [{ session_id: a, gpu_seconds: 500 }] }), 200)
    program.end((await endpoints.read(ada, id)).hosted_call_id)
    await expect
      .poll(async () => (await endpoints.read(ada, id)).status, { timeout: 100_000, interval: 50 })
      .toBe('failed')
    const failed = await endpoints.read(ada, id)
    expect(failed).toMatchObject({ cost_usd: 0.111, stop_reason: 'dispatch', sessions_open: 0 })
    expect(failed.error).toMatch(/^The hosted function ended without a report/)
    expect((await endpoints.ledgerOf(id)).map(({ amount_usd }) => amount_usd)).toEqual(['0.1110'])
    expect(await reservationOf(id)).toBeNull()
  })

  it('that is stopped before it is claimed costs nothing and releases everything', async () => {
    const { id } = await hosted()
    const key = await keyOf(id)
    expect(await ok(endpoints.stop(ada, id), 202)).toMatchObject({ status: 'stopped', cost_usd: 0 })
    expect(await reservationOf(id)).toBeNull()
    expect((await endpoints.claim(key, id)).status).toBe(401)
  })
})
