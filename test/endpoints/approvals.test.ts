/** Contract, "Approvals": people approve, see and revoke; nobody else does. */

import { newId } from '@hub/formats/ids'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { sweepSessions } from '../../src/endpoints/sessions/sweep-sessions.ts'
import { contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'
import { inHours, refusal, sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const world = sessionWorld(hub)
let ada: Person
let bob: Person
let endpoint: string
let device: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  endpoint = await world.endpoint(ada)
  device = await world.device(ada)
})

const approvalFields = 'status revokedAt revokedBy { handle }'
const shown = async (who: Who, id: string): Promise<Json> =>
  (await hub.graphql(who, `{ node(id: "${id}") { ... on Approval { ${approvalFields} } } }`)).data.node

describe('approveEndpointSession', () => {
  it('gives an approval, and its token once: the claims of the row, signed, in whole seconds', async () => {
    const { approval, token } = (await world.mint(ada, endpoint, device, inHours(3))).data.approveEndpointSession
    expect(approval).toEqual({
      id: expect.stringMatching(/^appr_/),
      status: 'ISSUED',
      modelSha256: 'a'.repeat(64),
      expiresAt: expect.stringMatching(/\.000Z$/),
      createdAt: expect.any(String),
      mintedBy: { handle: ada.handle },
      endpoint: { id: endpoint },
      device: { id: device, name: expect.any(String) },
    })
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'svc-approval+jwt', kid: expect.any(String) })
    expect(decodeJwt(token)).toEqual({
      iss: 'hub',
      jti: approval.id,
      sub: device,
      endpoint,
      model_sha256: 'a'.repeat(64),
      iat: Math.floor(Date.parse(approval.createdAt) / 1000),
      exp: Date.parse(approval.expiresAt) / 1000,
    })
    expect((await world.audited(endpoint)).at(-1)).toMatchObject({
      action: 'endpoint.approve',
      actor_id: ada.id,
      after: { approvalId: approval.id, deviceId: device },
    })
  })

  it('is for people only: no key of any scope, nobody without a credential', async () => {
    const asked = [
      await hub.key(ada, { scope: 'train' }),
      await hub.key(ada, { scope: 'train', agent: true }),
      await hub.key(ada),
      null,
    ]
    const found = []
    for (const who of asked) found.push(refusal(await world.mint(who, endpoint, device)))
    expect(found).toEqual(['forbidden.scope', 'forbidden.scope', 'forbidden.scope', 'auth.missing'])
  })

  it('needs a person who sees both the endpoint and the device', async () => {
    const [theirs, arm] = [await world.endpoint(bob), await world.device(bob)]
    expect(refusal(await world.mint(ada, theirs, device))).toBe('not_found')
    expect(refusal(await world.mint(ada, endpoint, arm))).toBe('not_found')
    expect(refusal(await world.mint(ada, newId('ep'), device))).toBe('not_found')
    expect(refusal(await world.mint(ada, 'ep_x', 'dev_x'))).toBe('not_found')
  })

  it.each(['stopped', 'failed'] as const)(
    'is 409 for an endpoint that is %s, and takes a queued one',
    async (status) => {
      expect(refusal(await world.mint(ada, await world.endpoint(ada, { status }), device))).toBe('conflict.terminal')
      expect(refusal(await world.mint(ada, await world.endpoint(ada, { status: 'queued' }), device))).toBeUndefined()
    },
  )

  it.each([
    ['now', () => inHours(0)],
    ['an hour ago', () => inHours(-1)],
    ['over 90 days ahead', () => inHours(90 * 24 + 1)],
  ])('refuses an expiry %s', async (_when, expiresAt) => {
    const before = await hub.sql('select from approvals where endpoint_id = $1', [endpoint])
    const refused = await world.mint(ada, endpoint, device, expiresAt())
    expect(refusal(refused)).toBe('validation.value')
    expect(refused.errors[0].extensions.problem.errors[0].loc).toEqual(['input', 'expiresAt'])
    expect(await hub.sql('select from approvals where endpoint_id = $1', [endpoint])).toEqual(before)
  })

  it.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-00:01', '2027-02-30T00:00:00Z', '2027-01-01T23:59:60Z'])(
    'refuses %s, which is not a time',
    async (expiresAt) => {
      const { errors } = await world.mint(ada, endpoint, device, expiresAt)
      expect([errors.length, errors[0].extensions.code]).toEqual([1, 'UNPROCESSABLE'])
      expect(errors[0].message).toContain('must be an RFC 3339 date-time')
    },
  )

  it('takes one of nearly 90 days', async () => {
    expect(refusal(await world.mint(ada, endpoint, device, inHours(90 * 24 - 1)))).toBeUndefined()
  })
})

describe('an approval', () => {
  it('is visible to viewers of the endpoint or of the device, and to no other caller', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
      org,
    ])
    const ofOrg = await world.endpoint(ada, { ownerId })
    const { id } = await world.approve(ada, ofOrg, device)
    for (const who of [ada, bob, await hub.key(org, { scope: 'read' }), await hub.key(ada, { scope: 'read' })])
      expect(await shown(who, id)).toMatchObject({ status: 'ISSUED' })
    for (const who of [await hub.person(), null]) expect(await shown(who, id)).toBeNull()
    const edges = `{ node(id: "${id}") { ... on Approval { endpoint { id } device { id } } } }`
    expect((await hub.graphql(bob, edges)).data.node).toEqual({ endpoint: { id: ofOrg }, device: null })
  })

  it('is listed with its endpoint and its device, newest first, by status', async () => {
    const [at, arm] = [await world.endpoint(ada), await world.device(ada)]
    const made = [
      await world.approve(ada, at, arm),
      await world.approve(ada, at, arm),
      await world.approve(ada, at, arm),
    ]
    const [three, two, one] = made.map(({ id }) => id).toReversed()
    await world.revoke(ada, two ?? '')
    await hub.sql(`update approvals set expires_at = now() where id = $1`, [one])
    const page = 'nodes { id status } pageInfo { hasNextPage endCursor }'
    const list = async (args: string) =>
      (await hub.graphql(ada, `{ endpoint(id: "${at}") { approvals(${args}) { ${page} } } }`)).data.endpoint.approvals
    expect((await list('first: 5')).nodes).toEqual([
      { id: three, status: 'ISSUED' },
      { id: two, status: 'REVOKED' },
      { id: one, status: 'EXPIRED' },
    ])
    expect((await list('status: EXPIRED')).nodes).toEqual([{ id: one, status: 'EXPIRED' }])
    expect((await list('status: ISSUED')).nodes).toEqual([{ id: three, status: 'ISSUED' }])
    const { pageInfo } = await list('first: 1')
    const rest = await list(`first: 5, after: "${pageInfo.endCursor}"`)
    expect(rest.nodes.map(({ id }: Json) => id)).toEqual([two, one])
    const ofDevice = await hub.graphql(ada, `{ node(id: "${arm}") { ... on Device { approvals { nodes { id } } } } }`)
    expect(ofDevice.data.node.approvals.nodes.map(({ id }: Json) => id)).toEqual([three, two, one])
    const elsewhere = `{ endpoint(id: "${endpoint}") { approvals(after: "${pageInfo.endCursor}") { nodes { id } } } }`
    expect(refusal(await hub.graphql(ada, elsewhere))).toBe('validation.cursor')
  })
})

describe('revokeApproval', () => {
  it('ends the approval and its open sessions at once, and no others', async () => {
    const at = await world.endpoint(ada)
    const [revoked, kept] = [await world.approve(ada, at, device), await world.approve(ada, at, device)]
    const sessionOf = async ({ token }: { token: string }): Promise<string> =>
      (await world.open(ada, at, { device_id: device, approval_token: token })).json.session.id
    const [first, second, other] = [await sessionOf(revoked), await sessionOf(revoked), await sessionOf(kept)]
    const { data } = await world.revoke(ada, revoked.id)
    expect(data.revokeApproval.approval).toEqual({
      id: revoked.id,
      status: 'REVOKED',
      revokedAt: expect.any(String),
      revokedBy: { handle: ada.handle },
    })
    for (const id of [first, second])
      expect(await world.row('endpoint_sessions', id)).toMatchObject({ status: 'closed', closed_reason: 'revoked' })
    expect((await world.row('endpoint_sessions', other)).status).toBe('open')
    expect(await world.row('endpoints', at)).toMatchObject({ sessions_open: 1, sessions_total: 3 })
    expect((await world.audited(at)).at(-1)).toMatchObject({
      action: 'endpoint.approval_revoke',
      after: { approvalId: revoked.id, closedSessions: expect.arrayContaining([first, second]) },
    })
    expect(types(await world.open(ada, at, { device_id: device, approval_token: revoked.token }))).toEqual([
      'forbidden.approval',
    ])
  })

  it('is idempotent, and audited once', async () => {
    const at = await world.endpoint(ada)
    const { id } = await world.approve(ada, at, device)
    const first = await world.revoke(ada, id)
    expect(await world.revoke(ada, id)).toEqual(first)
    expect((await world.audited(at)).filter(({ action }) => action === 'endpoint.approval_revoke')).toHaveLength(1)
  })

  it('is 409 for one that has expired, and 404 for one that the person cannot see', async () => {
    const { id } = await world.approve(ada, endpoint, device)
    expect(refusal(await world.revoke(bob, id))).toBe('not_found')
    expect(refusal(await world.revoke(ada, newId('appr')))).toBe('not_found')
    await hub.sql('update approvals set expires_at = now() where id = $1', [id])
    expect(refusal(await world.revoke(ada, id))).toBe('conflict.terminal')
  })

  it('is for people only', async () => {
    const { id } = await world.approve(ada, endpoint, device)
    const found = []
    for (const who of [await hub.key(ada, { scope: 'train' }), null]) found.push(refusal(await world.revoke(who, id)))
    expect(found).toEqual(['forbidden.scope', 'auth.missing'])
    expect(await shown(ada, id)).toMatchObject({ status: 'ISSUED' })
  })

  it.each(Array.from({ length: 6 }, (_, at) => at))('races with an opening: no session stays open (%i)', async () => {
    const at = await world.endpoint(ada)
    const { id, token } = await world.approve(ada, at, device)
    const body = { device_id: device, approval_token: token }
    const [one, revoked, two] = await Promise.all([
      world.open(ada, at, body),
      world.revoke(ada, id),
      world.open(ada, at, body),
    ])
    expect(revoked.errors).toBeUndefined()
    const opened = [one, two].filter(({ status }) => status === 201).length
    expect([one, two].filter(({ status }) => status === 403)).toHaveLength(2 - opened)
    expect(await world.row('endpoints', at)).toMatchObject({ sessions_open: 0, sessions_total: opened })
    expect(await hub.sql(`select from endpoint_sessions where endpoint_id = $1 and status = 'open'`, [at])).toEqual([])
  })
})

describe('the sweep', () => {
  it('expires approvals, and closes the sessions of what is over, with the reason', async () => {
    const at = await world.endpoint(ada)
    const over = await world.approve(ada, at, device)
    const live = await world.approve(ada, at, device)
    const open = async ({ token }: { token: string }): Promise<string> =>
      (await world.open(ada, at, { device_id: device, approval_token: token })).json.session.id
    const [ofOver, late, kept] = [await open(over), await open(live), await open(live)]
    await hub.sql('update approvals set expires_at = now() where id = $1', [over.id])
    expect(await shown(ada, over.id)).toMatchObject({ status: 'EXPIRED' })
    await hub.sql('update endpoint_sessions set expires_at = now() where id = $1', [late])
    await sweepSessions(hub.running.deps)
    // The hub's own timer may have come first.
    expect((await world.row('approvals', over.id)).status).toBe('expired')
    expect((await world.row('approvals', live.id)).status).toBe('running')
    for (const id of [ofOver, late])
      expect(await world.row('endpoint_sessions', id)).toMatchObject({ status: 'closed', closed_reason: 'expired' })
    expect((await world.row('endpoint_sessions', kept)).status).toBe('open')
    expect(await world.row('endpoints', at)).toMatchObject({ sessions_open: 1, sessions_total: 3 })
    expect(await sweepSessions(hub.running.deps)).toBe(0)
  })

  it('closes what a revoked approval left open, as revoked', async () => {
    const { endpointId, approval, sessionId } = await world.opened(ada)
    await hub.sql(`update approvals set status = 'revoked', revoked_at = now() where id = $1`, [approval.id])
    await sweepSessions(hub.running.deps)
    expect(await world.row('endpoint_sessions', sessionId)).toMatchObject({
      status: 'closed',
      closed_reason: 'revoked',
    })
    expect(await world.row('endpoints', endpointId)).toMatchObject({ sessions_open: 0 })
  })

  it('of two hubs at once closes each session once', async () => {
    const { endpointId, sessionId } = await world.opened(ada)
    await hub.sql('update endpoint_sessions set expires_at = now() where id = $1', [sessionId])
    await Promise.all([sweepSessions(hub.running.deps), sweepSessions(hub.running.deps)])
    await expect
      .poll(async () => (await world.row('endpoint_sessions', sessionId)).status, { timeout: 100_000 })
      .toBe('closed')
    expect(await world.row('endpoints', endpointId)).toMatchObject({ sessions_open: 0, sessions_total: 1 })
  })
})
