/** Simultaneous requests on one endpoint: each pair ends as if one came after the other. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sweepEndpoints } from '../../src/endpoints/end/sweep-endpoints.ts'
import { contractHub, type Json, newName, type Person, types } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
const { ok } = endpoints
let ada: Person
let server: string
let model: string

beforeAll(async () => {
  ada = await hub.person()
  server = await hub.key(ada, { scope: 'train' })
  model = await endpoints.model(ada)
})

const statusesOf = async (asked: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(asked)).map(({ status }) => status).toSorted()

describe('of simultaneous requests', () => {
  it('exactly one claim of eight takes the endpoint', async () => {
    const { id } = await endpoints.queued(ada, model)
    const keys = await Promise.all(Array.from({ length: 8 }, () => hub.key(ada, { scope: 'train' })))
    const claims = await Promise.all(keys.map((key, at) => endpoints.claim(key, id, { worker: `box ${at}` })))
    expect(claims.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    const won = claims.findIndex(({ status }) => status === 200)
    expect((await endpoints.read(ada, id)).claimed_by).toBe(`box ${won}`)
    expect((await endpoints.audits(id)).filter((action) => action === 'endpoint.claim')).toHaveLength(1)
  })

  it('a stop and a claim leave an endpoint that has ended unclaimed, or one that runs and is asked to stop', async () => {
    for (let at = 0; at < 6; at += 1) {
      const { id } = await endpoints.queued(ada, model)
      const [stopped, claimed] = await Promise.all([endpoints.stop(ada, id), endpoints.claim(server, id)])
      const now = await endpoints.read(ada, id)
      expect(stopped.status).toBe(202)
      if (claimed.status === 200)
        expect(now).toMatchObject({ status: 'running', stop_requested_at: expect.any(String) })
      else expect([types(claimed), now.status, now.url]).toEqual([['conflict.terminal'], 'stopped', null])
    }
  })

  it('a report and the sweep end an endpoint once, with one ledger row a session', async () => {
    for (let at = 0; at < 4; at += 1) {
      const id = await endpoints.claimed(server, model, { max_hours: 0.01 })
      const sessions = [await endpoints.session(id), await endpoints.session(id)]
      await endpoints.age(id, 100)
      await sweepEndpoints(hub.running.deps)
      await endpoints.age(id, 100)
      const body = { status: 'stopped', sessions: sessions.map((session_id) => ({ session_id, gpu_seconds: 1 })) }
      const [answer] = await Promise.all([endpoints.report(server, id, body), sweepEndpoints(hub.running.deps)])
      const now = await endpoints.read(ada, id)
      expect([answer.status, now.status]).toEqual(answer.status === 200 ? [200, 'stopped'] : [409, 'failed'])
      expect((await endpoints.ledgerOf(id)).map(({ job_id }) => job_id)).toEqual(sessions)
      expect((await endpoints.audits(id)).filter((action) => action === 'endpoint.finish')).toHaveLength(1)
    }
  })

  it('reports of one server never store more GPU time together than has passed', async () => {
    const id = await endpoints.claimed(server, model)
    const sessions = await Promise.all(Array.from({ length: 4 }, () => endpoints.session(id)))
    await endpoints.age(id, 20)
    const report = (session_id: string) =>
      endpoints.report(server, id, { sessions: [{ session_id, gpu_seconds: 15, chunks_served: 2 }] })
    expect(await statusesOf(sessions.map(report))).toEqual([200, 200, 200, 200])
    const [sum] = await hub.sql<Json>(
      'select sum(gpu_seconds)::text as seconds, sum(chunks_served)::int as chunks from endpoint_sessions where endpoint_id = $1',
      [id],
    )
    const now = await endpoints.read(ada, id)
    expect([now.gpu_seconds, now.chunks_served]).toEqual([Number(sum?.seconds), sum?.chunks])
    expect(now.gpu_seconds).toBeGreaterThanOrEqual(20)
    expect(now.gpu_seconds).toBeLessThan(40)
  })

  it('a create and a deletion of its model leave an endpoint whose model is there, or neither', async () => {
    for (let at = 0; at < 4; at += 1) {
      const name = await endpoints.model(ada, { 'policy.onnx': newName() })
      const [made, gone] = await Promise.all([
        endpoints.create(ada, name),
        hub.call(ada, 'DELETE', `/v1/repos/${name}`),
      ])
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, gone.status])
    }
  })

  it('a create and an upload pin what was there before, or what came: never a mixture', async () => {
    for (let at = 0; at < 4; at += 1) {
      const [before, after] = [newName(), newName()]
      const name = await endpoints.model(ada, { 'policy.onnx': before })
      const [made] = await Promise.all([endpoints.create(ada, name), hub.upload(ada, name, { 'policy.onnx': after })])
      if (made.status === 409) expect(types(made)).toEqual(['conflict.in_progress'])
      else await ok(Promise.resolve(made), 201)
    }
  })

  it('a retried report that ended the endpoint is a conflict that says so, and the same answer under one key', async () => {
    const id = await endpoints.claimed(server, model)
    const once = () =>
      hub.call(server, 'POST', `/v1/endpoints/${id}/report`, { status: 'stopped' }, { 'idempotency-key': id })
    const [first, again] = [await once(), await once()]
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect(types(await endpoints.report(server, id, { status: 'stopped' }))).toEqual(['conflict.terminal'])
  })
})
