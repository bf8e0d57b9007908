/** Spec, "POST /v1/endpoints/{endpoint_id}/sessions": only a person's signed approval opens a session, and its refusal says nothing. */
import { createHmac } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import {
  CompactSign,
  createRemoteJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { type Answer, contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'
import { inHours, sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const world = sessionWorld(hub)
const APPROVAL_TYP = 'svc-approval+jwt'
let auth: Auth
let ada: Person
let bob: Person
/** Of ada, running. */
let endpoint: string
let device: string
let approval: { id: string; token: string }

beforeAll(async () => {
  const { config, db } = hub.running.deps
  auth = await openAuth({ config, log: pino({ level: 'silent' }), db, secret: config.secret ?? '' })
  ada = await hub.person()
  bob = await hub.person()
  endpoint = await world.endpoint(ada)
  device = await world.device(ada)
  approval = await world.approve(ada, endpoint, device)
})
afterAll(async () => auth?.close())

const seconds = (hours = 0) => Math.floor(Date.now() / 1000) + hours * 3600
const open = (who: Who, token: string | null, at = endpoint, of = device) =>
  world.open(who, at, { device_id: of, approval_token: token })
/** What a refusal tells: all but what names the request. */
const told = ({ status, json }: Answer) => {
  const { instance, request_id, ...rest } = json
  return { status, ...rest }
}

describe('a session', () => {
  it('is opened by a write key that sees the device, and has a token that a server verifies with the published keys', async () => {
    const key = await hub.key(ada)
    const { status, json } = await open(key, approval.token)
    expect(status).toBe(201)
    expect(json).toEqual({
      session: {
        id: expect.stringMatching(/^esess_/),
        endpoint_id: endpoint,
        device_id: device,
        approval_id: approval.id,
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
    })
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', hub.running.url))
    const { payload, protectedHeader } = await jwtVerify(json.session_token, keys, {
      typ: 'svc-session+jwt',
      algorithms: ['EdDSA'],
      issuer: 'hub',
      audience: endpoint,
    })
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'svc-session+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: 'hub',
      aud: endpoint,
      jti: json.session.id,
      sub: device,
      endpoint,
      model_sha256: 'a'.repeat(64),
      approval: approval.id,
      iat: Math.floor(Date.parse(json.session.opened_at) / 1000),
      exp: Date.parse(json.expires_at) / 1000,
    })
    expect((await world.row('approvals', approval.id)).status).toBe('running')
    expect(await world.row('endpoints', endpoint)).toMatchObject({ sessions_open: 1, sessions_total: 1 })
    expect((await world.audited(endpoint)).at(-1)).toMatchObject({
      action: 'endpoint.session_open',
      after: { sessionId: json.session.id, deviceId: device, approvalId: approval.id },
    })
  })

  it('ends with its approval or after ENDPOINT_SESSION_TTL_S, whichever is sooner', async () => {
    const lifetime = async (expiresAt: string) => {
      const { token } = (await world.mint(ada, endpoint, device, expiresAt)).data.approveEndpointSession
      const { json } = await open(ada, token)
      return [Date.parse(json.expires_at) - Date.parse(json.session.opened_at), json.expires_at] as const
    }
    const soon = inHours(0.5)
    expect((await lifetime(soon))[1]).toBe(`${soon.slice(0, 19)}.000Z`)
    const [ms] = await lifetime(inHours(5))
    expect(ms).toBeGreaterThan(3_598_000)
    expect(ms).toBeLessThanOrEqual(3_600_000)
  })

  it('never outlives the row of its approval, whatever the token says', async () => {
    const { id, token } = await world.approve(ada, endpoint, device)
    await hub.sql(
      `update approvals set expires_at = date_trunc('second', now()) + interval '60 seconds' where id = $1`,
      [id],
    )
    const { json } = await open(ada, token)
    expect(Date.parse(json.expires_at) - Date.parse(json.session.opened_at)).toBeLessThanOrEqual(60_000)
  })

  it('may be opened again and again under one approval, each with its own token', async () => {
    const [one, two] = [await open(ada, approval.token), await open(ada, approval.token)]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.json.session_token).not.toBe(two.json.session_token)
  })

  it("needs no more sight of the endpoint than an approval: the driver's key may be limited to the robot", async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    const arm = await world.device(ada, { robotRepo: robot })
    const { token } = await world.approve(ada, endpoint, arm)
    const driver = await hub.key(ada, { repos: [robot] })
    expect((await hub.call(driver, 'GET', `/v1/endpoints/${endpoint}`)).status).toBe(404)
    expect((await open(driver, token, endpoint, arm)).status).toBe(201)
    expect((await open(driver, null, endpoint, arm)).status).toBe(404)
    expect((await open(driver, token, await world.endpoint(ada), arm)).status).toBe(404)
  })
})

describe('what opens no session', () => {
  const claims = (change: Json = {}): Json => ({
    iss: 'hub',
    jti: approval.id,
    sub: device,
    endpoint,
    model_sha256: 'a'.repeat(64),
    iat: seconds(),
    exp: seconds(1),
    ...change,
  })
  const signed = async (change: Json = {}, header: Json = {}, key?: CryptoKey): Promise<string> => {
    const { kid, privateKey } = await auth.keys.current()
    return new SignJWT(claims(change))
      .setProtectedHeader({ alg: 'EdDSA', typ: APPROVAL_TYP, kid, ...header })
      .sign(key ?? privateKey)
  }
  const encoded = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const macWith = async (secret: (jwk: Json) => string | Buffer): Promise<string> => {
    const [jwk] = await auth.keys.jwks()
    const text = `${encoded({ alg: 'HS256', typ: APPROVAL_TYP, kid: jwk?.kid })}.${encoded(claims())}`
    return `${text}.${createHmac('sha256', secret(jwk)).update(text).digest('base64url')}`
  }
  const stranger = () => generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  /** The token, and the reason that the owner's audit log gives. */
  const attacks: Record<string, readonly [make: () => Promise<string | null>, reason: string]> = {
    'no token': [async () => null, 'missing'],
    'an empty token': [async () => '', 'missing'],
    nonsense: [async () => 'nonsense', 'malformed'],
    'a token of more than 4,096 characters': [async () => `${approval.token}${'A'.repeat(4096)}`, 'malformed'],
    'a token with padding': [async () => `${approval.token}=`, 'malformed'],
    'a token of five parts': [async () => `${approval.token}.a.b`, 'malformed'],
    'an API key': [() => hub.key(ada), 'malformed'],
    'an unsigned token': [async () => new UnsecuredJWT(claims()).encode(), 'header'],
    'an unsigned token with our typ': [
      async () => {
        const { kid } = await auth.keys.current()
        return `${encoded({ alg: 'none', typ: APPROVAL_TYP, kid })}.${encoded(claims())}.`
      },
      'header',
    ],
    'alg none with the real signature': [
      async () => {
        const [, body, signature] = approval.token.split('.')
        return `${encoded({ ...decodeProtectedHeader(approval.token), alg: 'none' })}.${body}.${signature}`
      },
      'header',
    ],
    'HS256 with the public key as its secret': [() => macWith((jwk) => Buffer.from(jwk.x, 'base64url')), 'header'],
    'HS256 with the JWK as its secret': [() => macWith((jwk) => JSON.stringify(jwk)), 'header'],
    'HS256 with an empty secret': [() => macWith(() => ''), 'header'],
    'another typ': [() => signed({}, { typ: 'svc-session+jwt' }), 'header'],
    'no typ': [() => signed({}, { typ: undefined }), 'header'],
    'a typ in other case': [() => signed({}, { typ: 'SVC-Approval+JWT' }), 'header'],
    "a person's session token": [async () => ada.token, 'header'],
    'a session token of this endpoint': [async () => (await open(ada, approval.token)).json.session_token, 'header'],
    'a key that comes along': [
      async () => {
        const { publicKey, privateKey } = await stranger()
        return signed({}, { jwk: await exportJWK(publicKey) }, privateKey)
      },
      'header',
    ],
    'a critical header': [
      async () => {
        const { kid, privateKey } = await auth.keys.current()
        return new CompactSign(Buffer.from(JSON.stringify(claims())))
          .setProtectedHeader({ alg: 'EdDSA', typ: APPROVAL_TYP, kid, crit: ['x'], x: 1 })
          .sign(privateKey, { crit: { x: true } })
      },
      'header',
    ],
    'no kid': [() => signed({}, { kid: undefined }), 'header'],
    'an unknown kid': [() => signed({}, { kid: 'nobody' }), 'unknown_key'],
    "a stranger's key under our kid": [async () => signed({}, {}, (await stranger()).privateKey), 'signature'],
    'a signature cut short': [async () => approval.token.slice(0, -6), 'signature'],
    'other claims under a real signature': [
      async () => {
        const [head, , signature] = approval.token.split('.')
        return `${head}.${encoded(claims({ exp: seconds(9) }))}.${signature}`
      },
      'signature',
    ],
    'another issuer': [() => signed({ iss: 'https://hub.example' }), 'claims'],
    'no issuer': [() => signed({ iss: undefined }), 'claims'],
    'no expiry': [() => signed({ exp: undefined }), 'claims'],
    'an expiry that is no number': [() => signed({ exp: 1.5 }), 'claims'],
    'a claim too many': [() => signed({ nbf: seconds(1) }), 'claims'],
    'an approval id that is none': [() => signed({ jti: "x' or true --" }), 'claims'],
    'an approval that is not there': [() => signed({ jti: newId('appr') }), 'unknown_approval'],
    'an expiry a second ago': [() => signed({ exp: seconds() - 1 }), 'expired'],
    'an approval for another endpoint': [
      async () => (await world.approve(ada, await world.endpoint(ada), device)).token,
      'other_endpoint',
    ],
    'an approval for another device': [
      async () => (await world.approve(ada, endpoint, await world.device(ada))).token,
      'other_device',
    ],
    "another endpoint's approval that claims this one": [
      async () => signed({ jti: (await world.approve(ada, await world.endpoint(ada), device)).id }),
      'other_endpoint',
    ],
    "another device's approval that claims this one": [
      async () => signed({ jti: (await world.approve(ada, endpoint, await world.device(ada))).id }),
      'other_device',
    ],
    'another model than the row has': [() => signed({ model_sha256: 'b'.repeat(64) }), 'claims'],
  }

  /** Everything that an attempt could have changed. */
  const rows = async () => ({
    endpoint: await world.row('endpoints', endpoint),
    approval: await world.row('approvals', approval.id),
    sessions: await hub.sql<Json>('select * from endpoint_sessions where endpoint_id = $1 order by id', [endpoint]),
  })

  it.each(Object.entries(attacks))('%s: one 403, nothing recorded but the refusal', async (_attack, [make, reason]) => {
    const token = await make()
    const [before, entries] = [await rows(), await world.audited(endpoint)]
    const refused = await open(ada, token)
    expect(told(refused)).toEqual(told(await open(ada, null)))
    expect(refused.status).toBe(403)
    expect(types(refused)).toEqual(['forbidden.approval'])
    expect(await rows()).toEqual(before)
    const added = (await world.audited(endpoint)).slice(entries.length)
    expect(added.map(({ action, after }) => [action, after.reason, after.deviceId])).toEqual([
      ['endpoint.session_refused', reason, device],
      ['endpoint.session_refused', 'missing', device],
    ])
  })

  it('its audit entry holds no token, and belongs to the owner of the endpoint', async () => {
    await open(await hub.key(ada), await signed({ exp: 1 }))
    const { data } = await hub.graphql(
      ada,
      `{ auditLog(account: "${ada.handle}", first: 1) { nodes { action after } } }`,
    )
    expect(data.auditLog.nodes).toEqual([
      {
        action: 'endpoint.session_refused',
        after: { reason: 'expired', deviceId: device, approvalId: approval.id },
      },
    ])
  })

  it.each([
    ['expired', `update approvals set expires_at = now() where id = $1`, 'expired'],
    ['expired and swept', `update approvals set status = 'expired' where id = $1`, 'expired'],
    ['revoked', `update approvals set status = 'revoked', revoked_at = now() where id = $1`, 'revoked'],
  ])('an approval whose row is %s, though its token is good', async (_state, statement, reason) => {
    const own = await world.approve(ada, endpoint, device)
    await hub.sql(statement, [own.id])
    const refused = await open(ada, own.token)
    expect(told(refused)).toEqual(told(await open(ada, null)))
    expect((await world.audited(endpoint)).at(-2)?.after).toMatchObject({ reason, approvalId: own.id })
  })

  it.each(['endpoint', 'device'] as const)('an approval of a person who has left the account of the %s', async (of) => {
    const cat = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: cat.handle, role: 'member' },
    ])
    const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
      org,
    ])
    const at = await world.endpoint(cat, of === 'endpoint' ? { ownerId } : {})
    const arm = await world.device(cat, of === 'device' ? { owner: org } : {})
    const own = await world.approve(cat, at, arm)
    const driver = of === 'device' ? ada : cat
    expect((await open(driver, own.token, at, arm)).status).toBe(201)
    await hub.sql('delete from memberships where user_id = $1', [cat.id])
    expect(told(await open(driver, own.token, at, arm))).toEqual(told(await open(ada, null)))
    expect((await world.audited(at)).at(-1)?.after).toMatchObject({ reason: 'minter_left' })
  })

  it('the token of a key withdrawn a moment ago, which this instance still holds', async () => {
    const { publicKey, privateKey } = await stranger()
    const kid = newName('kid')
    await hub.sql(
      `insert into signing_keys (kid, public_jwk, sealed_private, not_before, retired_at) values ($1, $2::jsonb, '', now() - interval '1 day', now())`,
      [kid, JSON.stringify(await exportJWK(publicKey))],
    )
    const token = await signed({}, { kid }, privateKey)
    await expect.poll(async () => (await open(ada, token)).status, { timeout: 100_000 }).toBe(201)
    await hub.sql('update signing_keys set withdrawn_at = now() where kid = $1', [kid])
    const refused = await open(ada, token)
    expect(told(refused)).toEqual(told(await open(ada, null)))
    expect((await world.audited(endpoint)).at(-2)?.after).toMatchObject({ reason: 'unknown_key' })
  })
})

describe('the order of refusals', () => {
  it('is 404 for a device that the caller cannot see, before anything is said of the approval', async () => {
    const hidden = await world.device(bob)
    for (const id of [hidden, newId('dev'), 'dev_x', endpoint])
      for (const token of [approval.token, null, 'nonsense']) {
        const refused = await open(ada, token, endpoint, id)
        expect([refused.status, types(refused)]).toEqual([404, ['not_found']])
      }
  })

  it('is 404 for an endpoint that the caller cannot see, with any token but one for both', async () => {
    const hidden = await world.endpoint(bob)
    for (const id of [hidden, newId('ep'), 'ep_x'])
      for (const token of [approval.token, null, 'nonsense']) expect((await open(ada, token, id)).status).toBe(404)
  })

  it('is 401 without a credential, 404 before 403 for a key without the scope', async () => {
    expect((await open(null, approval.token)).status).toBe(401)
    const read = await hub.key(ada, { scope: 'read' })
    const refused = await open(read, approval.token)
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.scope']])
    expect((await open(await hub.key(bob, { scope: 'read' }), approval.token)).status).toBe(404)
  })

  it.each([
    ['serves other bytes', `model_sha256 = repeat('b', 64)`, 'conflict.model_changed'],
    ['was asked to stop', 'cancel_requested_at = now()', 'conflict.stopping'],
    ['has ended', `status = 'stopped', finished_at = now()`, 'conflict.terminal'],
    ['has 200 open sessions', 'sessions_open = 200, sessions_total = 200', 'conflict.sessions_full'],
  ])('is 403 first, then 409 where the endpoint %s', async (_state, change, type) => {
    const at = await world.endpoint(ada)
    const { id, token } = await world.approve(ada, at, device)
    await hub.sql(`update endpoints set ${change} where id = $1`, [at])
    expect(types(await open(ada, null, at))).toEqual(['forbidden.approval'])
    const refused = await open(ada, token, at)
    expect([refused.status, types(refused)]).toEqual([409, [type]])
    expect((await world.row('approvals', id)).status).toBe('issued')
    expect(await hub.sql('select from endpoint_sessions where endpoint_id = $1', [at])).toEqual([])
  })

  it('is 409 while the endpoint is queued, and after its model changed: first the model', async () => {
    const at = await world.endpoint(ada, { status: 'queued' })
    const { token } = await world.approve(ada, at, device)
    expect(types(await open(ada, token, at))).toEqual(['conflict.not_claimed'])
    await hub.sql(`update endpoints set model_sha256 = repeat('b', 64) where id = $1`, [at])
    expect(types(await open(ada, token, at))).toEqual(['conflict.model_changed'])
  })
})

describe('a request that is repeated under its Idempotency-Key', () => {
  it('opens one session and prints the same token, which is not stored', async () => {
    const { token } = await world.approve(ada, endpoint, device)
    const once = { 'idempotency-key': newName() }
    const body = { device_id: device, approval_token: token }
    const first = await world.open(ada, endpoint, body, once)
    const again = await world.open(ada, endpoint, body, once)
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
      const own = await world.approve(ada, endpoint, device)
      const once = { 'idempotency-key': newName() }
      const body = { device_id: device, approval_token: own.token }
      const { json } = await world.open(ada, endpoint, body, once)
      await after(own.id, json.session.id)
      return types(await world.open(ada, endpoint, body, once))
    }
    expect(await tries((id) => world.revoke(ada, id))).toEqual(['forbidden.approval'])
    expect(await tries((_id, session) => world.report(ada, endpoint, session, { closed: true }))).toEqual([
      'conflict.session_closed',
    ])
  })
})
