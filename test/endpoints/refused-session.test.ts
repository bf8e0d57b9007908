/** Approvals and endpoints that open no session. */
import { createHmac } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { CompactSign, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { type Json, newName, types } from '../support/hub.ts'
import { approvedDevice } from './support/approved-device.ts'

const lab = approvedDevice()
const { hub, world, APPROVAL_TYP, seconds, open, told } = lab

describe('what opens no session', () => {
  const claims = (change: Json = {}): Json => ({
    iss: 'hub',
    jti: lab.approval.id,
    sub: lab.device,
    endpoint: lab.endpoint,
    model_sha256: 'a'.repeat(64),
    iat: seconds(),
    exp: seconds(1),
    ...change,
  })
  const signed = async (change: Json = {}, header: Json = {}, key?: CryptoKey): Promise<string> => {
    const { kid, privateKey } = await lab.auth.keys.current()
    return new SignJWT(claims(change))
      .setProtectedHeader({ alg: 'EdDSA', typ: APPROVAL_TYP, kid, ...header })
      .sign(key ?? privateKey)
  }
  const encoded = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const macWith = async (secret: (jwk: Json) => string | Buffer): Promise<string> => {
    const [jwk] = await lab.auth.keys.jwks()
    const text = `${encoded({ alg: 'HS256', typ: APPROVAL_TYP, kid: jwk?.kid })}.${encoded(claims())}`
    return `${text}.${createHmac('sha256', secret(jwk)).update(text).digest('base64url')}`
  }
  const stranger = () => generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  /** The token, and the reason that the owner's audit log gives. */
  const attacks: Record<string, readonly [make: () => Promise<string | null>, reason: string]> = {
    'no token': [async () => null, 'missing'],
    'an empty token': [async () => '', 'missing'],
    nonsense: [async () => 'nonsense', 'malformed'],
    'a token of more than 4,096 characters': [async () => `${lab.approval.token}${'A'.repeat(4096)}`, 'malformed'],
    'a token with padding': [async () => `${lab.approval.token}=`, 'malformed'],
    'a token of five parts': [async () => `${lab.approval.token}.a.b`, 'malformed'],
    'an API key': [() => hub.key(lab.ada), 'malformed'],
    'an unsigned token': [async () => new UnsecuredJWT(claims()).encode(), 'header'],
    'an unsigned token with our typ': [
      async () => {
        const { kid } = await lab.auth.keys.current()
        return `${encoded({ alg: 'none', typ: APPROVAL_TYP, kid })}.${encoded(claims())}.`
      },
      'header',
    ],
    'alg none with the real signature': [
      async () => {
        const [, body, signature] = lab.approval.token.split('.')
        return `${encoded({ ...decodeProtectedHeader(lab.approval.token), alg: 'none' })}.${body}.${signature}`
      },
      'header',
    ],
    'HS256 with the public key as its secret': [() => macWith((jwk) => Buffer.from(jwk.x, 'base64url')), 'header'],
    'HS256 with the JWK as its secret': [() => macWith((jwk) => JSON.stringify(jwk)), 'header'],
    'HS256 with an empty secret': [() => macWith(() => ''), 'header'],
    'another typ': [() => signed({}, { typ: 'svc-session+jwt' }), 'header'],
    'no typ': [() => signed({}, { typ: undefined }), 'header'],
    'a typ in other case': [() => signed({}, { typ: 'SVC-Approval+JWT' }), 'header'],
    "a person's session token": [async () => lab.ada.token, 'header'],
    'a session token of this endpoint': [
      async () => (await open(lab.ada, lab.approval.token)).json.session_token,
      'header',
    ],
    'a key that comes along': [
      async () => {
        const { publicKey, privateKey } = await stranger()
        return signed({}, { jwk: await exportJWK(publicKey) }, privateKey)
      },
      'header',
    ],
    'a critical header': [
      async () => {
        const { kid, privateKey } = await lab.auth.keys.current()
        return new CompactSign(Buffer.from(JSON.stringify(claims())))
          .setProtectedHeader({ alg: 'EdDSA', typ: APPROVAL_TYP, kid, crit: ['x'], x: 1 })
          .sign(privateKey, { crit: { x: true } })
      },
      'header',
    ],
    'no kid': [() => signed({}, { kid: undefined }), 'header'],
    'an unknown kid': [() => signed({}, { kid: 'nobody' }), 'unknown_key'],
    "a stranger's key under our kid": [async () => signed({}, {}, (await stranger()).privateKey), 'signature'],
    'a signature cut short': [async () => lab.approval.token.slice(0, -6), 'signature'],
    'other claims under a real signature': [
      async () => {
        const [head, , signature] = lab.approval.token.split('.')
        return `${head}.${encoded(claims({ exp: seconds(9) }))}.${signature}`
      },
      'signature',
    ],
    'another issuer': [() => signed({ iss: 'https://hub.example' }), 'claims'],
    'no issuer': [() => signed({ iss: undefined }), 'claims'],
    'no expiry': [() => signed({ exp: undefined }), 'claims'],
    'an expiry that is not a number': [() => signed({ exp: 1.5 }), 'claims'],
    'a claim too many': [() => signed({ nbf: seconds(1) }), 'claims'],
    'an approval id that is none': [() => signed({ jti: "x' or true --" }), 'claims'],
    'an approval that is not there': [() => signed({ jti: newId('appr') }), 'unknown_approval'],
    'an expiry a second ago': [() => signed({ exp: seconds() - 1 }), 'expired'],
    'an approval for another endpoint': [
      async () => (await world.approve(lab.ada, await world.endpoint(lab.ada), lab.device)).token,
      'other_endpoint',
    ],
    'an approval for another device': [
      async () => (await world.approve(lab.ada, lab.endpoint, await world.device(lab.ada))).token,
      'other_device',
    ],
    "another endpoint's approval that claims this one": [
      async () => signed({ jti: (await world.approve(lab.ada, await world.endpoint(lab.ada), lab.device)).id }),
      'other_endpoint',
    ],
    "another device's approval that claims this one": [
      async () => signed({ jti: (await world.approve(lab.ada, lab.endpoint, await world.device(lab.ada))).id }),
      'other_device',
    ],
    'another model than the row has': [() => signed({ model_sha256: 'b'.repeat(64) }), 'claims'],
  }

  /** Everything that an attempt could have changed. */
  const rows = async () => ({
    endpoint: await world.row('endpoints', lab.endpoint),
    approval: await world.row('approvals', lab.approval.id),
    sessions: await hub.sql<Json>('select * from endpoint_sessions where endpoint_id = $1 order by id', [lab.endpoint]),
  })

  it.each(Object.entries(attacks))('%s: one 403, nothing recorded but the refusal', async (_attack, [make, reason]) => {
    const token = await make()
    const [before, entries] = [await rows(), await world.audited(lab.endpoint)]
    const refused = await open(lab.ada, token)
    expect(told(refused)).toEqual(told(await open(lab.ada, null)))
    expect(refused.status).toBe(403)
    expect(types(refused)).toEqual(['forbidden.approval'])
    expect(await rows()).toEqual(before)
    const added = (await world.audited(lab.endpoint)).slice(entries.length)
    expect(added.map(({ action, after }) => [action, after.reason, after.deviceId])).toEqual([
      ['endpoint.session_refused', reason, lab.device],
      ['endpoint.session_refused', 'missing', lab.device],
    ])
  })

  it('its audit entry holds no token, and belongs to the owner of the endpoint', async () => {
    await open(await hub.key(lab.ada), await signed({ exp: 1 }))
    const { data } = await hub.graphql(
      lab.ada,
      `{ auditLog(account: "${lab.ada.handle}", first: 1) { nodes { action after } } }`,
    )
    expect(data.auditLog.nodes).toEqual([
      {
        action: 'endpoint.session_refused',
        after: { reason: 'expired', deviceId: lab.device, approvalId: lab.approval.id },
      },
    ])
  })

  it.each([
    ['expired', `update approvals set expires_at = now() where id = $1`, 'expired'],
    ['expired and swept', `update approvals set status = 'expired' where id = $1`, 'expired'],
    ['revoked', `update approvals set status = 'revoked', revoked_at = now() where id = $1`, 'revoked'],
  ])('an approval whose row is %s, though its token is good', async (_state, statement, reason) => {
    const own = await world.approve(lab.ada, lab.endpoint, lab.device)
    await hub.sql(statement, [own.id])
    const refused = await open(lab.ada, own.token)
    expect(told(refused)).toEqual(told(await open(lab.ada, null)))
    expect((await world.audited(lab.endpoint)).at(-2)?.after).toMatchObject({ reason, approvalId: own.id })
  })

  it.each(['endpoint', 'device'] as const)('an approval of a person who has left the account of the %s', async (of) => {
    const cat = await hub.person()
    const org = await hub.org([
      { user: lab.ada.handle, role: 'owner' },
      { user: cat.handle, role: 'member' },
    ])
    const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
      org,
    ])
    const at = await world.endpoint(cat, of === 'endpoint' ? { ownerId } : {})
    const arm = await world.device(cat, of === 'device' ? { owner: org } : {})
    const own = await world.approve(cat, at, arm)
    const driver = of === 'device' ? lab.ada : cat
    expect((await open(driver, own.token, at, arm)).status).toBe(201)
    await hub.sql('delete from memberships where user_id = $1', [cat.id])
    expect(told(await open(driver, own.token, at, arm))).toEqual(told(await open(lab.ada, null)))
    expect((await world.audited(at)).at(-1)?.after).toMatchObject({ reason: 'minter_left' })
  })

  it('an approval of a person whom the operator has disabled, until they are enabled', async () => {
    const cat = await hub.person()
    const org = await hub.org([
      { user: lab.ada.handle, role: 'owner' },
      { user: cat.handle, role: 'member' },
    ])
    const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
      org,
    ])
    const at = await world.endpoint(cat, { ownerId })
    const arm = await world.device(lab.ada, { owner: org })
    const own = await world.approve(cat, at, arm)
    expect((await open(lab.ada, own.token, at, arm)).status).toBe(201)
    await hub.sql('update accounts set disabled_at = now() where id = $1', [cat.id])
    expect(told(await open(lab.ada, own.token, at, arm))).toEqual(told(await open(lab.ada, null)))
    expect((await world.audited(at)).at(-1)?.after).toMatchObject({ reason: 'minter_disabled', approvalId: own.id })
    await hub.sql('update accounts set disabled_at = null where id = $1', [cat.id])
    expect((await open(lab.ada, own.token, at, arm)).status).toBe(201)
  })

  it('the token of a key withdrawn a moment ago, which this instance still holds', async () => {
    const { publicKey, privateKey } = await stranger()
    const kid = newName('kid')
    await hub.sql(
      `insert into signing_keys (kid, public_jwk, sealed_private, not_before, retired_at) values ($1, $2::jsonb, '', now() - interval '1 day', now())`,
      [kid, JSON.stringify(await exportJWK(publicKey))],
    )
    const token = await signed({}, { kid }, privateKey)
    await expect.poll(async () => (await open(lab.ada, token)).status, { timeout: 100_000 }).toBe(201)
    await hub.sql('update signing_keys set withdrawn_at = now() where kid = $1', [kid])
    const refused = await open(lab.ada, token)
    expect(told(refused)).toEqual(told(await open(lab.ada, null)))
    expect((await world.audited(lab.endpoint)).at(-2)?.after).toMatchObject({ reason: 'unknown_key' })
  })
})
