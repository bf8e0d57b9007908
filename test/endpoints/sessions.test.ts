/** Spec, listEndpointSessions and reportEndpointSession, and who can use the operations of sessions. */

import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { lockEndpoint } from '../../src/endpoints/endpoint-row.ts'
import { closeSessions } from '../../src/endpoints/sessions/close-sessions.ts'
import { contractHub, type Json, newName, type Person, places, types, type Who } from '../support/hub.ts'
import { refusal, sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const world = sessionWorld(hub)
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const list = (who: Who, endpoint: string, query = '') =>
  hub.call(who, 'GET', `/v1/endpoints/${endpoint}/sessions${query}`)
const idsOf = ({ json }: { json: Json }): string[] => json.items.map(({ id }: Json) => id)

describe('listEndpointSessions', () => {
  let endpoint: string
  /** Newest first. */
  const ids: string[] = []

  beforeAll(async () => {
    const first = await world.opened(ada)
    endpoint = first.endpointId
    ids.unshift(first.sessionId)
    for (let at = 0; at < 3; at += 1) {
      const body = { device_id: first.deviceId, approval_token: first.approval.token }
      ids.unshift((await world.open(ada, endpoint, body)).json.session.id)
    }
    await world.report(ada, endpoint, ids[2] ?? '', { closed: true, closed_reason: 'stopped' })
  })

  it('lists the sessions of an endpoint, newest first, by status', async () => {
    expect(idsOf(await list(ada, endpoint))).toEqual(ids)
    expect(idsOf(await list(ada, endpoint, '?status=closed'))).toEqual([ids[2]])
    expect(idsOf(await list(ada, endpoint, '?status=open'))).toEqual(ids.filter((_, at) => at !== 2))
  })

  it('pages without a gap or a repeat; a cursor is good for its own endpoint and filter alone', async () => {
    const seen: string[] = []
    let query = '?limit=1'
    for (let cursor = ''; cursor !== null; ) {
      const page = await list(ada, endpoint, query)
      seen.push(...idsOf(page))
      cursor = page.json.next_cursor
      query = `?limit=1&cursor=${cursor}`
    }
    expect(seen).toEqual(ids)
    const { json } = await list(ada, endpoint, '?limit=1')
    for (const other of [
      await list(ada, endpoint, `?status=open&cursor=${json.next_cursor}`),
      await list(ada, await world.endpoint(ada), `?cursor=${json.next_cursor}`),
    ])
      expect([other.status, types(other), places(other)]).toEqual([422, ['validation.cursor'], [['query', 'cursor']]])
  })

  it.each([
    ['status=OPEN', 'status'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
  ])('is 422 for ?%s', async (query, member) => {
    const refused = await list(ada, endpoint, `?${query}`)
    expect([refused.status, places(refused)]).toEqual([422, [['query', member]]])
  })

  it('is 404 for an endpoint that the caller cannot see', async () => {
    for (const id of [endpoint, newId('ep'), 'ep_x']) expect((await list(bob, id)).status).toBe(404)
  })

  it('is also the connection of endpoints, devices and approvals in the graph, with edges back', async () => {
    const fields = 'nodes { id status expiresAt endpoint { id } device { id } approval { id status } }'
    const { data } = await hub.graphql(
      ada,
      `{ endpoint(id: "${endpoint}") { sessions(first: 1) { nodes { device { sessions { ${fields} } } approval { sessions(status: CLOSED) { nodes { id } } } } } } }`,
    )
    const [{ device, approval }] = data.endpoint.sessions.nodes
    expect(device.sessions.nodes.map(({ id }: Json) => id)).toEqual(ids)
    expect(device.sessions.nodes[0]).toMatchObject({ endpoint: { id: endpoint }, approval: { status: 'RUNNING' } })
    expect(approval.sessions.nodes).toEqual([{ id: ids[2] }])
  })

  it('shows a session to viewers of its device, without the endpoint', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const text = `mutation { registerDevice(input: { owner: "${org}", name: "arm" }) { device { id } } }`
    const device = (await hub.graphql(ada, text)).data.registerDevice.device.id
    const { token } = await world.approve(ada, endpoint, device)
    const { id } = (await world.open(bob, endpoint, { device_id: device, approval_token: token })).json.session
    const seen = `{ node(id: "${id}") { ... on EndpointSession { endpointId endpoint { id } device { id } approval { id } } } }`
    expect((await hub.graphql(bob, seen)).data.node).toEqual({
      endpointId: endpoint,
      endpoint: null,
      device: { id: device },
      approval: { id: expect.any(String) },
    })
    for (const who of [await hub.person(), null]) expect((await hub.graphql(who, seen)).data.node).toBeNull()
  })
})

describe('reportEndpointSession', () => {
  const numbers = { chunks_applied: 10, rtt_ms_p50: 20.5, rtt_ms_p95: 40, deadline_misses: 1, degraded_count: 0 }

  it("replaces the device's numbers, and leaves those that a report does not give", async () => {
    const { endpointId, sessionId } = await world.opened(ada)
    const first = await world.report(ada, endpointId, sessionId, numbers)
    expect([first.status, first.json]).toEqual([
      200,
      expect.objectContaining({ ...numbers, id: sessionId, status: 'open', last_report_at: expect.any(String) }),
    ])
    expect(await world.row('endpoints', endpointId)).toMatchObject({ rtt_ms_p95: 40, sessions_open: 1 })
    const { json } = await world.report(ada, endpointId, sessionId, {
      chunks_applied: 12,
      rtt_ms_p95: 30,
      rtt_ms_p50: null,
    })
    expect(json).toMatchObject({ ...numbers, chunks_applied: 12, rtt_ms_p95: 30 })
    expect(await world.row('endpoints', endpointId)).toMatchObject({ rtt_ms_p95: 30 })
  })

  it('closes the session with its reason; a closed one is 409', async () => {
    const { endpointId, sessionId } = await world.opened(ada)
    const { json } = await world.report(ada, endpointId, sessionId, {
      ...numbers,
      closed: true,
      closed_reason: 'link_lost',
    })
    expect(json).toMatchObject({
      status: 'closed',
      closed_reason: 'link_lost',
      closed_at: expect.any(String),
      cost_usd: 0,
    })
    expect(await world.row('endpoints', endpointId)).toMatchObject({
      sessions_open: 0,
      sessions_total: 1,
      rtt_ms_p95: 40,
    })
    const before = await world.row('endpoint_sessions', sessionId)
    for (const body of [{}, numbers, { closed: true, closed_reason: 'again' }]) {
      const refused = await world.report(ada, endpointId, sessionId, body)
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.session_closed']])
    }
    expect(await world.row('endpoint_sessions', sessionId)).toEqual(before)
  })

  it('of two that close a session at once, one does', async () => {
    const { endpointId, sessionId } = await world.opened(ada)
    const close = (closed_reason: string) => world.report(ada, endpointId, sessionId, { closed: true, closed_reason })
    const statuses = (await Promise.all([close('one'), close('two'), close('three')])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409, 409])
    expect(await world.row('endpoints', endpointId)).toMatchObject({ sessions_open: 0, sessions_total: 1 })
  })

  it.each([
    ['chunks_applied', -1],
    ['chunks_applied', 1.5],
    ['deadline_misses', -1],
    ['degraded_count', -1],
    ['rtt_ms_p50', -0.1],
    ['rtt_ms_p95', '3'],
    ['closed', 'yes'],
    ['closed_reason', 'x'.repeat(65)],
  ])('is 422 for %s: %j', async (member, value) => {
    const refused = await world.report(ada, newId('ep'), newId('esess'), { [member]: value })
    expect([refused.status, places(refused)]).toEqual([422, [['body', member]]])
  })

  it('is 404 for a session of another endpoint', async () => {
    const [one, two] = [await world.opened(ada), await world.opened(ada)]
    expect((await world.report(ada, one.endpointId, two.sessionId, {})).status).toBe(404)
    expect((await world.report(ada, one.endpointId, 'esess_x', {})).status).toBe(404)
  })

  it('under its Idempotency-Key is the first answer again', async () => {
    const { endpointId, sessionId } = await world.opened(ada)
    const once = { 'idempotency-key': newName() }
    const first = await world.report(ada, endpointId, sessionId, { closed: true }, once)
    const again = await world.report(ada, endpointId, sessionId, { closed: true }, once)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
  })

  it('on a priced endpoint shows the cost of its GPU time once it is closed', async () => {
    const { endpointId, sessionId, json } = await world.opened(ada, { executor: 'hosted' })
    expect(json.session).toMatchObject({ priced: true, cost_usd: null })
    await hub.sql('update endpoint_sessions set gpu_seconds = 1800.5 where id = $1', [sessionId])
    expect((await world.report(ada, endpointId, sessionId, {})).json.cost_usd).toBeNull()
    // 1800.5 s at 0.7992 USD an hour.
    expect((await world.report(ada, endpointId, sessionId, { closed: true })).json.cost_usd).toBe(0.3997)
  })
})

it.each(Array.from({ length: 4 }, (_, at) => at))(
  'an opening that races with the end of its endpoint leaves no session open (%i)',
  async () => {
    const { endpointId, deviceId, approval } = await world.opened(ada)
    const end = hub.running.deps.db.withTx(async (tx) => {
      await lockEndpoint(tx, endpointId)
      await closeSessions(tx, { endpointId, reason: null })
      await tx.query({ name: '', text: `update endpoints set status = 'stopped', finished_at = now() where id = $1` }, [
        endpointId,
      ])
    })
    const body = { device_id: deviceId, approval_token: approval.token }
    const [opened] = await Promise.all([world.open(ada, endpointId, body), end])
    expect([201, 409]).toContain(opened.status)
    expect(await world.row('endpoints', endpointId)).toMatchObject({
      sessions_open: 0,
      sessions_total: opened.status === 201 ? 2 : 1,
    })
    expect(types(await world.open(ada, endpointId, body))).toEqual(['conflict.terminal'])
  },
)

describe('an operation of sessions', () => {
  type Operation = (who: Who, given: Awaited<ReturnType<typeof world.opened>>) => Promise<{ status: number }>
  const operations: Record<string, Operation> = {
    listEndpointSessions: (who, { endpointId }) => list(who, endpointId),
    openEndpointSession: (who, { endpointId, deviceId, approval }) =>
      world.open(who, endpointId, { device_id: deviceId, approval_token: approval.token }),
    reportEndpointSession: (who, { endpointId, sessionId }) => world.report(who, endpointId, sessionId, {}),
  }
  const statuses = async (who: Who, given?: Awaited<ReturnType<typeof world.opened>>) => {
    const found: Record<string, number> = {}
    const target = given ?? (await world.opened(ada))
    for (const [name, operation] of Object.entries(operations)) found[name] = (await operation(who, target)).status
    return found
  }
  const all = (listed: number, opened: number, reported: number) => ({
    listEndpointSessions: listed,
    openEndpointSession: opened,
    reportEndpointSession: reported,
  })

  it('needs its scope: key:read to list, key:write to open and report', async () => {
    expect(await statuses(null)).toEqual(all(401, 401, 401))
    expect(await statuses(await hub.key(ada, { scope: 'read' }))).toEqual(all(200, 403, 403))
    for (const who of [ada, await hub.key(ada), await hub.key(ada, { scope: 'train', agent: true })])
      expect(await statuses(who)).toEqual(all(200, 201, 200))
  })

  it('is 401 with a key that has ended', async () => {
    const name = newName()
    const key = await hub.key(ada, { name })
    await hub.sql('update api_keys set revoked_at = now() where name = $1', [name])
    expect(await statuses(key)).toEqual(all(401, 401, 401))
  })

  it('is 404 for others, whatever the scope', async () => {
    for (const who of [bob, await hub.key(bob, { scope: 'train' }), await hub.key(bob, { scope: 'read' })])
      expect(await statuses(who)).toEqual(all(404, 404, 404))
  })

  it('is 404 for a key limited to other repos; the list of repos decides about endpoint and device', async () => {
    expect(await statuses(await hub.key(ada, { repos: [await hub.repo(ada)] }))).toEqual(all(404, 404, 404))
  })

  it('is 404 for the key of a hosted job, which moves no robot', async () => {
    const [name, given] = [newName(), await world.opened(ada)]
    const key = await hub.key(ada, { scope: 'train', name })
    const run = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    await hub.sql('update api_keys set job_id = $1 where name = $2', [run, name])
    expect(await statuses(key, given)).toEqual(all(404, 404, 404))
  })

  it('is for sessions of people and keys, in the graph as in /v1', async () => {
    const { endpointId, deviceId } = await world.opened(ada)
    const text = `mutation { openEndpointSession(input: { endpointId: "${endpointId}", deviceId: "${deviceId}" }) { sessionToken } }`
    expect(refusal(await hub.graphql(ada, text))).toBe('forbidden.approval')
    expect(refusal(await hub.graphql(null, text))).toBe('auth.missing')
  })
})
