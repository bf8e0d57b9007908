/** Spec, "claim", "report" and "stopEndpoint": one server takes an endpoint, reports its sessions, and ends it with a bill for each. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sweepEndpoints } from '../../src/endpoints/end/sweep-endpoints.ts'
import { contractHub, type Json, type Person, places, sha256Of, types } from '../support/hub.ts'
import { endpointsOf, onnxBytes } from '../support/hub-endpoints.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
const { ok } = endpoints
let ada: Person
let server: string
let rival: string
let model: string

beforeAll(async () => {
  ada = await hub.person()
  server = await hub.key(ada, { scope: 'train' })
  rival = await hub.key(ada, { scope: 'train' })
  model = await endpoints.model(ada)
})

const reported = async (id: string, body: Json = {}) => ok(endpoints.report(server, id, body), 200)
const sessionsOf = async (id: string) =>
  hub.sql<Json>(
    `select id, status, closed_reason, chunks_served, gpu_seconds::text, service_ms_p95, cost_usd::text from endpoint_sessions
      where endpoint_id = $1 order by id`,
    [id],
  )

describe('claimEndpoint', () => {
  it('takes a queued endpoint: who holds it, since when, and where', async () => {
    const { id } = await endpoints.queued(ada, model)
    const claimed = await ok(endpoints.claim(server, id), 200)
    expect(claimed).toMatchObject({ id, status: 'running', claimed_by: 'box', url: endpoints.url, cost_usd: 0 })
    expect(claimed.started_at).toBe(claimed.claimed_at)
    expect(claimed.heartbeat_at).toBe(claimed.claimed_at)
    expect(await endpoints.audits(id)).toEqual(['endpoint.create', 'endpoint.claim'])
  })

  it('is 409 for one that is claimed, naming the holder, also to the holder; for one that has ended, and for a hosted one', async () => {
    const id = await endpoints.claimed(server, model)
    for (const who of [rival, server]) {
      const again = await endpoints.claim(who, id)
      expect([again.status, again.json.errors[0]]).toMatchObject([
        409,
        { type: 'conflict.already_claimed', holder: 'box' },
      ])
    }
    const { id: gone } = await endpoints.queued(ada, model)
    await ok(endpoints.stop(ada, gone), 202)
    expect(types(await endpoints.claim(server, gone))).toEqual(['conflict.terminal'])
    const { id: hosted } = await endpoints.queued(ada, model)
    await hub.sql(
      `update endpoints set executor = 'hosted', priced = true, rate_usd_per_hour = 1, dispatched_at = now() where id = $1`,
      [hosted],
    )
    expect(types(await endpoints.claim(server, hosted))).toEqual(['conflict.wrong_kind'])
  })

  it('is 422 for other bytes than those that are pinned, whatever the repo holds by now', async () => {
    const name = await endpoints.model(ada)
    const { id } = await endpoints.queued(ada, name)
    await hub.upload(ada, name, { 'policy.onnx': 'newer' })
    const refused = await endpoints.claim(server, id, { model_sha256: sha256Of('newer') })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'model_sha256']]])
    expect((await endpoints.read(ada, id)).status).toBe('queued')
    expect((await ok(endpoints.claim(server, id), 200)).model_sha256).toBe(sha256Of(onnxBytes))
  })

  it.each([
    ['url', 'http://box'],
    ['url', 'ws://?x'],
    ['url', 'wss://'],
    ['url', 'wss://user:secret@box/x'],
    ['url', 'wss://box/#x'],
    ['url', 'wss://box/a b'],
    ['url', `wss://${'a'.repeat(510)}`],
    ['url', null],
    ['worker', ''],
    ['worker', 'a'.repeat(129)],
    ['model_sha256', 'A'.repeat(64)],
    ['model_sha256', undefined],
  ])('is 422 at %s: %j', async (member, given) => {
    const { id } = await endpoints.queued(ada, model)
    const refused = await endpoints.claim(server, id, { [member]: given })
    expect([refused.status, places(refused)]).toEqual([422, [['body', member]]])
  })

  it('under one key is the same claim again, and 409 once the endpoint has ended', async () => {
    const { id } = await endpoints.queued(ada, model)
    const body = { worker: 'box', url: 'ws://box:1', model_sha256: sha256Of(onnxBytes) }
    const once = () => hub.call(server, 'POST', `/v1/endpoints/${id}/claim`, body, { 'idempotency-key': `claim-${id}` })
    const [first, again] = [await once(), await once()]
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    await reported(id, { status: 'stopped' })
    expect(types(await once())).toEqual(['conflict.terminal'])
  })
})

describe('reportEndpoint', () => {
  it('replaces the numbers of sessions, sums them on the endpoint, and refreshes the heartbeat', async () => {
    const id = await endpoints.claimed(server, model)
    const [a, b] = [await endpoints.session(id), await endpoints.session(id)]
    await endpoints.age(id, 100)
    const first = await reported(id, {
      sessions: [
        { session_id: a, chunks_served: 10, gpu_seconds: 1.5, service_ms_p50: 20, service_ms_p95: 40 },
        { session_id: b, chunks_served: 4, gpu_seconds: 0.25, service_ms_p95: 55.5 },
      ],
      log_chunk: 'ready\n',
    })
    expect(first).toMatchObject({
      sessions_open: 2,
      sessions_total: 2,
      chunks_served: 14,
      gpu_seconds: 1.75,
      service_ms_p95: 55.5,
      closed_sessions: [],
    })
    expect(Date.parse(first.heartbeat_at)).toBeGreaterThan(Date.parse(first.claimed_at))
    const second = await reported(id, { sessions: [{ session_id: a, chunks_served: 3, gpu_seconds: 2 }] })
    expect(second).toMatchObject({ chunks_served: 7, gpu_seconds: 2.25, service_ms_p95: 55.5, status: 'running' })
    const [{ last_log_chunk }] = (await hub.sql<Json>('select last_log_chunk from endpoints where id = $1', [id])) as [
      Json,
    ]
    expect(last_log_chunk).toBeNull()
  })

  it('never stores more GPU time than the hub counts since the claim, and refuses no server for its clock', async () => {
    const id = await endpoints.claimed(server, model)
    const [a, b] = [await endpoints.session(id), await endpoints.session(id)]
    await endpoints.age(id, 10)
    const { gpu_seconds } = await reported(id, {
      sessions: [
        { session_id: b, gpu_seconds: 8 },
        { session_id: a, gpu_seconds: 9 },
      ],
    })
    const [first, second] = await sessionsOf(id)
    expect(first.gpu_seconds).toBe('9.000')
    expect(Number(second.gpu_seconds)).toBeLessThan(8)
    expect(gpu_seconds).toBeCloseTo(9 + Number(second.gpu_seconds), 6)
    expect(gpu_seconds).toBeGreaterThanOrEqual(10)
  })

  it('closes a session that it says is closed, takes its last numbers, and lists it until its token expires', async () => {
    const id = await endpoints.claimed(server, model)
    const [a, b, old] = [
      await endpoints.session(id),
      await endpoints.session(id),
      await endpoints.session(id, { expiresIn: -1 }),
    ]
    await endpoints.age(id, 60)
    const closed = { state: 'closed', closed_reason: 'link_lost' }
    const answer = await reported(id, {
      sessions: [
        { session_id: a, ...closed, service_ms_p95: 9 },
        { session_id: old, ...closed },
      ],
    })
    expect(answer).toMatchObject({ closed_sessions: [a], sessions_open: 1, sessions_total: 3 })
    const later = await reported(id, { sessions: [{ session_id: a, gpu_seconds: 4, closed_reason: 'other' }] })
    expect(later).toMatchObject({ closed_sessions: [a], sessions_open: 1, gpu_seconds: 4 })
    expect((await sessionsOf(id)).map(({ status, closed_reason }) => [status, closed_reason])).toEqual([
      ['closed', 'link_lost'],
      ['open', null],
      ['closed', 'link_lost'],
    ])
    expect((await reported(id, { sessions: [{ session_id: b, state: 'closed' }] })).closed_sessions).toEqual([b, a])
  })

  it('ends the endpoint: open sessions are closed, each has a ledger row of 0 on a worker, and the repo is free', async () => {
    const name = await endpoints.model(ada)
    const id = await endpoints.claimed(server, name)
    const [a, b] = [await endpoints.session(id), await endpoints.session(id)]
    await endpoints.age(id, 60)
    await reported(id, { sessions: [{ session_id: a, state: 'closed', gpu_seconds: 5 }] })
    const ended = await reported(id, { status: 'stopped', sessions: [{ session_id: b, gpu_seconds: 7.125 }] })
    expect(ended).toMatchObject({ status: 'stopped', cost_usd: 0, sessions_open: 0, gpu_seconds: 12.125, error: null })
    expect(Date.parse(ended.finished_at)).toBe(Date.parse(ended.heartbeat_at))
    expect((await sessionsOf(id)).map(({ closed_reason, cost_usd }) => [closed_reason, cost_usd])).toEqual([
      [null, '0.0000'],
      ['endpoint_stopped', '0.0000'],
    ])
    const row = { job_kind: 'endpoint_session', attempt: 1, kind: 'gpu', tier: null, amount_usd: '0.0000' }
    expect(await endpoints.ledgerOf(id)).toEqual([
      { ...row, job_id: a, seconds: '5.000' },
      { ...row, job_id: b, seconds: '7.125' },
    ])
    expect(await endpoints.audits(id)).toEqual(['endpoint.create', 'endpoint.claim', 'endpoint.finish'])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    for (const verb of [endpoints.report(server, id), endpoints.stop(ada, id), endpoints.claim(server, id)])
      expect(types(await verb)).toEqual(['conflict.terminal'])
  })

  it('of a failure says why', async () => {
    const id = await endpoints.claimed(server, model)
    await reported(id, { error: 'one camera is dark' })
    expect(await reported(id, { status: 'running' })).toMatchObject({ status: 'running', error: 'one camera is dark' })
    expect(await reported(id, { status: 'failed', error: 'out of memory' })).toMatchObject({
      status: 'failed',
      error: 'out of memory',
    })
  })

  it('is 409 for every credential but that of the claimer, and before a claim', async () => {
    const { id } = await endpoints.queued(ada, model)
    expect(types(await endpoints.report(server, id))).toEqual(['conflict.not_claimer'])
    await ok(endpoints.claim(server, id), 200)
    for (const who of [rival, ada]) {
      const refused = await endpoints.report(who, id, { status: 'failed' })
      expect([refused.status, refused.json.errors[0]]).toMatchObject([
        409,
        { type: 'conflict.not_claimer', holder: 'box' },
      ])
    }
    expect((await endpoints.read(ada, id)).status).toBe('running')
  })

  it('is 422 for a session of another endpoint, one that is not there and one that is named twice; nothing is stored', async () => {
    const [id, other] = [await endpoints.claimed(server, model), await endpoints.claimed(server, model)]
    const [own, foreign] = [await endpoints.session(id), await endpoints.session(other)]
    const sessions = [own, foreign, own, 'esess_x'].map((session_id) => ({ session_id, chunks_served: 5 }))
    const refused = await endpoints.report(server, id, { status: 'stopped', sessions })
    expect([refused.status, types(refused), places(refused)]).toEqual([
      422,
      ['validation.value', 'validation.duplicate', 'validation.value'],
      [1, 2, 3].map((place) => ['body', 'sessions', place, 'session_id']),
    ])
    expect(await endpoints.read(ada, id)).toMatchObject({ status: 'running', chunks_served: 0 })
  })

  it.each([
    ['status', 'queued'],
    ['status', 'STOPPED'],
    ['error', 'a'.repeat(4001)],
    ['log_chunk', 'a'.repeat(65_537)],
    ['sessions', Array.from({ length: 201 }, () => ({ session_id: 'x' }))],
  ])('is 422 for a bad %s', async (member, given) => {
    const id = await endpoints.claimed(server, model)
    const refused = await endpoints.report(server, id, { [member]: given })
    expect([refused.status, places(refused)[0].slice(0, 2)]).toEqual([422, ['body', member]])
  })

  it.each([
    ['session_id', null],
    ['state', 'gone'],
    ['chunks_served', -1],
    ['chunks_served', 1.5],
    ['gpu_seconds', -0.1],
    ['service_ms_p50', -1],
    ['service_ms_p95', '5'],
    ['closed_reason', 'a'.repeat(65)],
    ['rtt_ms_p95', 1],
  ])('is 422 for a session with a bad %s', async (member, given) => {
    const id = await endpoints.claimed(server, model)
    const session = { session_id: await endpoints.session(id), [member]: given }
    const refused = await endpoints.report(server, id, { sessions: [session] })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'sessions', 0, member]]])
  })
})

describe('stopEndpoint', () => {
  it('stops a queued endpoint at once: nothing ran, and nothing is billed', async () => {
    const name = await endpoints.model(ada)
    const { id } = await endpoints.queued(ada, name)
    expect(await ok(endpoints.stop(ada, id), 202)).toMatchObject({ status: 'stopped', cost_usd: 0, claimed_at: null })
    expect(await endpoints.audits(id)).toEqual(['endpoint.create', 'endpoint.stop'])
    expect(types(await endpoints.stop(ada, id))).toEqual(['conflict.terminal'])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
  })

  it('asks a running one to stop, once, and its server reads that in its next report', async () => {
    const id = await endpoints.claimed(server, model)
    const first = await ok(endpoints.stop(ada, id), 202)
    expect(first).toMatchObject({ status: 'running', stop_requested_at: expect.any(String), stop_reason: 'cancel' })
    expect((await ok(endpoints.stop(rival, id), 202)).stop_requested_at).toBe(first.stop_requested_at)
    expect(await reported(id)).toMatchObject({ status: 'running', stop_requested_at: first.stop_requested_at })
    expect(await reported(id, { status: 'stopped' })).toMatchObject({ status: 'stopped' })
    expect(await endpoints.audits(id)).toEqual([
      'endpoint.create',
      'endpoint.claim',
      'endpoint.stop',
      'endpoint.finish',
    ])
  })

  it('waits for a server that reports, and ends the endpoint of one that has been silent for a minute', async () => {
    const id = await endpoints.claimed(server, model)
    await ok(endpoints.stop(ada, id), 202)
    await endpoints.age(id, 61)
    await reported(id)
    await sweepEndpoints(hub.running.deps)
    expect((await endpoints.read(ada, id)).status).toBe('running')
    await endpoints.age(id, 59)
    await sweepEndpoints(hub.running.deps)
    expect((await endpoints.read(ada, id)).status).toBe('running')
    await endpoints.age(id, 2)
    await sweepEndpoints(hub.running.deps)
    expect(await endpoints.read(ada, id)).toMatchObject({
      status: 'failed',
      stop_reason: 'cancel',
      error: 'The endpoint was asked to stop, its server has not reported since, and the hub ended it.',
    })
    expect(types(await endpoints.report(server, id))).toEqual(['conflict.terminal'])
  })
})

describe('endpointUpdated', () => {
  it('yields the endpoint at once and after each change, and ends with it', async () => {
    const { id } = await endpoints.queued(ada, model)
    const reader = await readSubscription(
      hub.running.url,
      ada.token,
      `endpointUpdated(endpointId: "${id}") { status sessionsOpen }`,
    )
    await reader.until(1)
    await ok(endpoints.claim(server, id), 200)
    await reader.until(2)
    await reported(id, { status: 'stopped' })
    await reader.ended
    const statuses = reader.events.map(({ endpointUpdated }) => endpointUpdated.status)
    expect(statuses).toEqual(['QUEUED', 'RUNNING', 'STOPPED'])
  })
})
