/** Spec, "POST /v1/endpoints/{endpoint_id}/sessions": only a person's signed approval opens a session, and its refusal says nothing. */
import { newId } from '@hub/formats/ids'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { type Json, newName, types } from '../support/hub.ts'
import { inHours } from '../support/sessions.ts'
import { approvedDevice } from './support/approved-device.ts'

const lab = approvedDevice()
const { hub, world, open } = lab

describe('a session', () => {
  it('is opened by a write key that sees the device, and has a token that a server verifies with the published keys', async () => {
    const key = await hub.key(lab.ada)
    const { status, json } = await open(key, lab.approval.token)
    expect(status).toBe(201)
    expect(json).toEqual({
      session: {
        id: expect.stringMatching(/^esess_/),
        endpoint_id: lab.endpoint,
        device_id: lab.device,
        approval_id: lab.approval.id,
        status: 'open',
        opened_at: expect.any(String),
        expires_at: json.expires_at,
        closed_at: null,
        closed_reason: null,
        last_report_at: null,
        chunks_served: 0,
        gpu_seconds: 0,
        service_ms_p50: null,
        service_ms_p95: null,
        chunks_applied: null,
        rtt_ms_p50: null,
        rtt_ms_p95: null,
        deadline_misses: null,
        degraded_count: null,
        cost_usd: 0,
        priced: false,
        created_at: expect.any(String),
      },
      url: 'wss://robot.example/policy',
      session_token: expect.any(String),
      expires_at: expect.stringMatching(/\.000Z$/),
      model_sha256: 'a'.repeat(64),
      contract_fingerprint: null,
      joint_map: null,
    })
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', hub.running.url))
    const { payload, protectedHeader } = await jwtVerify(json.session_token, keys, {
      typ: 'svc-session+jwt',
      algorithms: ['EdDSA'],
      issuer: 'hub',
      audience: lab.endpoint,
    })
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'svc-session+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: 'hub',
      aud: lab.endpoint,
      jti: json.session.id,
      sub: lab.device,
      endpoint: lab.endpoint,
      model_sha256: 'a'.repeat(64),
      approval: lab.approval.id,
      iat: Math.floor(Date.parse(json.session.opened_at) / 1000),
      exp: Date.parse(json.expires_at) / 1000,
    })
    expect((await world.row('approvals', lab.approval.id)).status).toBe('running')
    expect(await world.row('endpoints', lab.endpoint)).toMatchObject({ sessions_open: 1, sessions_total: 1 })
    expect((await world.audited(lab.endpoint)).at(-1)).toMatchObject({
      action: 'endpoint.session_open',
      after: { sessionId: json.session.id, deviceId: lab.device, approvalId: lab.approval.id },
    })
  })

  it('ends with its approval or after ENDPOINT_SESSION_TTL_S, whichever is sooner', async () => {
    const lifetime = async (expiresAt: string) => {
      const { token } = (await world.mint(lab.ada, lab.endpoint, lab.device, expiresAt)).data.approveEndpointSession
      const { json } = await open(lab.ada, token)
      return [Date.parse(json.expires_at) - Date.parse(json.session.opened_at), json.expires_at] as const
    }
    const soon = inHours(0.5)
    expect((await lifetime(soon))[1]).toBe(`${soon.slice(0, 19)}.000Z`)
    const [ms] = await lifetime(inHours(5))
    expect(ms).toBeGreaterThan(3_598_000)
    expect(ms).toBeLessThanOrEqual(3_600_000)
  })

  it('never outlives the row of its approval, whatever the token says', async () => {
    const { id, token } = await world.approve(lab.ada, lab.endpoint, lab.device)
    await hub.sql(
      `update approvals set expires_at = date_trunc('second', now()) + interval '60 seconds' where id = $1`,
      [id],
    )
    const { json } = await open(lab.ada, token)
    expect(Date.parse(json.expires_at) - Date.parse(json.session.opened_at)).toBeLessThanOrEqual(60_000)
  })

  it('may be opened again and again under one approval, each with its own token', async () => {
    const [one, two] = [await open(lab.ada, lab.approval.token), await open(lab.ada, lab.approval.token)]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.json.session_token).not.toBe(two.json.session_token)
  })

  it("needs no more sight of the endpoint than an approval: the driver's key may be limited to the robot", async () => {
    const robot = await hub.repo(lab.ada, { kind: 'robot' })
    const arm = await world.device(lab.ada, { robotRepo: robot })
    const { token } = await world.approve(lab.ada, lab.endpoint, arm)
    const driver = await hub.key(lab.ada, { repos: [robot] })
    expect((await hub.call(driver, 'GET', `/v1/endpoints/${lab.endpoint}`)).status).toBe(404)
    expect((await open(driver, token, lab.endpoint, arm)).status).toBe(201)
    expect((await open(driver, null, lab.endpoint, arm)).status).toBe(404)
    expect((await open(driver, token, await world.endpoint(lab.ada), arm)).status).toBe(404)
  })
})

describe('the order of refusals', () => {
  it('is 404 for a device that the caller cannot see, before anything is said of the approval', async () => {
    const hidden = await world.device(lab.bob)
    for (const id of [hidden, newId('dev'), 'dev_x', lab.endpoint])
      for (const token of [lab.approval.token, null, 'nonsense']) {
        const refused = await open(lab.ada, token, lab.endpoint, id)
        expect([refused.status, types(refused)]).toEqual([404, ['not_found']])
      }
  })

  it('is 404 for an endpoint that the caller cannot see, with any token but one for both', async () => {
    const hidden = await world.endpoint(lab.bob)
    for (const id of [hidden, newId('ep'), 'ep_x'])
      for (const token of [lab.approval.token, null, 'nonsense'])
        expect((await open(lab.ada, token, id)).status).toBe(404)
  })

  it('is 401 without a credential, 404 before 403 for a key without the scope', async () => {
    expect((await open(null, lab.approval.token)).status).toBe(401)
    const read = await hub.key(lab.ada, { scope: 'read' })
    const refused = await open(read, lab.approval.token)
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.scope']])
    expect((await open(await hub.key(lab.bob, { scope: 'read' }), lab.approval.token)).status).toBe(404)
  })

  it.each([
    ['serves other bytes', `model_sha256 = repeat('b', 64)`, 'conflict.model_changed'],
    ['was asked to stop', 'cancel_requested_at = now()', 'conflict.stopping'],
    ['has ended', `status = 'stopped', finished_at = now()`, 'conflict.terminal'],
    ['has 200 open sessions', 'sessions_open = 200, sessions_total = 200', 'conflict.sessions_full'],
  ])('is 403 first, then 409 where the endpoint %s', async (_state, change, type) => {
    const at = await world.endpoint(lab.ada)
    const { id, token } = await world.approve(lab.ada, at, lab.device)
    await hub.sql(`update endpoints set ${change} where id = $1`, [at])
    expect(types(await open(lab.ada, null, at))).toEqual(['forbidden.approval'])
    const refused = await open(lab.ada, token, at)
    expect([refused.status, types(refused)]).toEqual([409, [type]])
    expect((await world.row('approvals', id)).status).toBe('issued')
    expect(await hub.sql('select from endpoint_sessions where endpoint_id = $1', [at])).toEqual([])
  })

  it('is 409 while the endpoint is queued, and after its model changed: first the model', async () => {
    const at = await world.endpoint(lab.ada, { status: 'queued' })
    const { token } = await world.approve(lab.ada, at, lab.device)
    expect(types(await open(lab.ada, token, at))).toEqual(['conflict.not_claimed'])
    await hub.sql(`update endpoints set model_sha256 = repeat('b', 64) where id = $1`, [at])
    expect(types(await open(lab.ada, token, at))).toEqual(['conflict.model_changed'])
  })
})

describe('a request that is repeated under its Idempotency-Key', () => {
  it('opens one session and prints the same token, which is not stored', async () => {
    const { token } = await world.approve(lab.ada, lab.endpoint, lab.device)
    const once = { 'idempotency-key': newName() }
    const body = { device_id: lab.device, approval_token: token }
    const first = await world.open(lab.ada, lab.endpoint, body, once)
    const again = await world.open(lab.ada, lab.endpoint, body, once)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.text).toBe(first.text)
    const [, , signature = ''] = first.json.session_token.split('.')
    const kept = await hub.sql<Json>('select result::text as result from idempotency_keys where key = $1', [
      once['idempotency-key'],
    ])
    expect(kept).toHaveLength(1)
    expect(kept[0].result).not.toContain(signature)
    expect(kept[0].result).not.toContain(token.split('.')[2] ?? '')
  })

  it('is refused once the approval is revoked, and 409 once the session is closed', async () => {
    const tries = async (after: (approvalId: string, sessionId: string) => Promise<unknown>) => {
      const own = await world.approve(lab.ada, lab.endpoint, lab.device)
      const once = { 'idempotency-key': newName() }
      const body = { device_id: lab.device, approval_token: own.token }
      const { json } = await world.open(lab.ada, lab.endpoint, body, once)
      await after(own.id, json.session.id)
      return types(await world.open(lab.ada, lab.endpoint, body, once))
    }
    expect(await tries((id) => world.revoke(lab.ada, id))).toEqual(['forbidden.approval'])
    expect(await tries((_id, session) => world.report(lab.ada, lab.endpoint, session, { closed: true }))).toEqual([
      'conflict.session_closed',
    ])
  })
})
