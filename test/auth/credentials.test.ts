import { createHmac, randomBytes } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKeyToken } from '../../src/auth/api-key.ts'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { SESSION_TYP } from '../../src/auth/session-token.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let auth: Auth
let ada: Person

beforeAll(async () => {
  const { config, db } = hub.running.deps
  auth = await openAuth({ config, log: pino({ level: 'silent' }), db, secret: config.secret ?? '' })
  ada = await hub.person()
})
afterAll(async () => auth?.close())

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const me = async (token: string) => (await hub.send(token, 'GET', '/v1/me')).status
const sessionIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

interface Forgery {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  readonly key?: Parameters<SignJWT['sign']>[0]
}

/** A session token with the hub's own key and one thing changed. */
async function forge({ header = {}, claims = {}, key }: Forgery = {}): Promise<string> {
  const { kid, privateKey } = await auth.keys.current()
  const body = {
    sid: sessionIdOf(ada.token),
    sub: ada.id,
    iss: 'hub',
    iat: inAnHour() - 3600,
    exp: inAnHour(),
    ...claims,
  }
  return new SignJWT(body)
    .setProtectedHeader({ alg: 'EdDSA', typ: SESSION_TYP, kid, ...header })
    .sign(key ?? privateKey)
}

describe('a credential that is present but bad', () => {
  it('is 401 at every path, even where no credential is needed, with one response for every fault', async () => {
    const revoked = await hub.key(ada)
    await hub.sql('update api_keys set revoked_at = now() where account_id = $1', [ada.id])
    const expired = await hub.key(ada)
    await hub.sql(
      "update api_keys set expires_at = now() - interval '1 second' where account_id = $1 and revoked_at is null",
      [ada.id],
    )
    const [ended, closed] = [await hub.person(), await hub.person()]
    await hub.sql("update sessions set expires_at = now() - interval '1 second' where account_id = $1", [ended.id])
    await hub.sql('update sessions set revoked_at = now() where account_id = $1', [closed.id])
    const bad: Record<string, string> = {
      'an unknown key': `Bearer ${newKeyToken()}`,
      'a key with a typo': `Bearer ${newKeyToken().slice(0, -1)}!`,
      'a revoked key': `Bearer ${revoked}`,
      'an expired key': `Bearer ${expired}`,
      'a session whose row ended': `Bearer ${ended.token}`,
      'a revoked session': `Bearer ${closed.token}`,
      'no token at all': 'Bearer',
      'two tokens': `Bearer ${ada.token} ${ada.token}`,
      'no known scheme': `Token ${ada.token}`,
      'a name and a password': `Basic ${Buffer.from('ada:secret').toString('base64')}`,
      'an empty header': '',
      nonsense: 'Bearer nonsense',
      'three dots': 'Bearer ...',
    }
    const query = { headers: { 'content-type': 'application/json' }, body: '{"query":"{ __typename }"}' }
    const places: [string, string, RequestInit][] = [
      ['GET', '/v1/repos', {}],
      ['GET', '/v1/repos/nobody/nothing', {}],
      ['HEAD', '/v1/repos/nobody/nothing/resolve/a', {}],
      ['GET', '/v1/me', {}],
      ['POST', '/v1/repos', {}],
      ['DELETE', '/v1/repos/nobody/nothing', {}],
      ['GET', '/v1/devices/signing-key', {}],
      ['GET', '/.well-known/jwks.json', {}],
      ['POST', '/graphql', query],
      ['GET', '/graphql?query=%7B__typename%7D', {}],
      ['POST', '/graphql/stream', query],
      ['POST', '/auth/logout', {}],
    ]
    const details = new Set<string>()
    for (const [fault, authorization] of Object.entries(bad)) {
      for (const [method, path, init] of places) {
        const answer = await hub.send(null, method, path, { ...init, headers: { ...init.headers, authorization } })
        expect([fault, method, path, answer.status]).toEqual([fault, method, path, 401])
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
        if (answer.json?.detail) details.add(answer.json.detail)
      }
    }
    expect(details.size).toBe(1)
  })

  it('is not treated as a missing one, which is anonymous', async () => {
    for (const path of ['/v1/repos', '/v1/devices/signing-key', '/.well-known/jwks.json'])
      expect([path, (await hub.send(null, 'GET', path)).status]).toEqual([path, 200])
    const missing = await hub.call(null, 'GET', '/v1/me')
    expect(missing.status).toBe(401)
    expect(missing.headers.get('www-authenticate')).toBe('Bearer')
    expect(missing.json.type).toBe('/problems/auth.missing')
  })
})

describe('a session', () => {
  it('is an EdDSA JWT of typ hub-session+jwt by the key that the hub publishes', async () => {
    const [header] = ada.token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    const { keys } = (await hub.send(null, 'GET', '/.well-known/jwks.json')).json
    expect(JSON.parse(header ?? '')).toEqual({ alg: 'EdDSA', typ: SESSION_TYP, kid: keys[0].kid })
    expect(keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String),
      kid: keys[0].kid,
      alg: 'EdDSA',
      use: 'sig',
    })
    expect((await hub.send(null, 'GET', '/v1/devices/signing-key')).json).toEqual(keys[0])
    const asked = await hub.send(null, 'GET', '/v1/devices/signing-key?kid=x')
    expect([asked.status, asked.json.errors[0].loc]).toEqual([422, ['query', 'kid']])
    expect((await hub.send(null, 'GET', '/.well-known/jwks.json?kid=x')).status).toBe(200)
    expect(await me(await forge())).toBe(200)
  })

  it('is rejected with any other header, claim or key', async () => {
    const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
    const bob = await hub.person()
    const { kid } = await auth.keys.current()
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: SESSION_TYP, kid })).toString('base64url')
    const [, claims = ''] = (await forge()).split('.')
    const [published] = await auth.keys.jwks()
    const mac = createHmac('sha256', Buffer.from(published?.x ?? '', 'base64url')).update(`${head}.${claims}`)
    const forged: Record<string, string> = {
      'another typ': await forge({ header: { typ: 'svc-approval+jwt' } }),
      'no typ': await forge({ header: { typ: undefined } }),
      'an unknown kid': await forge({ header: { kid: 'nobody' } }),
      'no kid': await forge({ header: { kid: undefined } }),
      "a stranger's key": await forge({ key: stranger.privateKey }),
      'a key that comes along': await forge({
        key: stranger.privateKey,
        header: { jwk: await exportJWK(stranger.publicKey) },
      }),
      'no signature': new UnsecuredJWT({ sid: sessionIdOf(ada.token), sub: ada.id }).encode(),
      'the public key as a shared secret': `${head}.${claims}.${mac.digest('base64url')}`,
      'an end in the past': await forge({ claims: { exp: Math.floor(Date.now() / 1000) - 1 } }),
      'no end': await forge({ claims: { exp: undefined } }),
      'another issuer': await forge({ claims: { iss: 'elsewhere' } }),
      'another subject': await forge({ claims: { sub: bob.id } }),
      'a row that is not there': await forge({ claims: { sid: newId('sess') } }),
      'a row id that is none': await forge({ claims: { sid: "x' or true --" } }),
      'a cut signature': ada.token.slice(0, -4),
    }
    for (const [fault, token] of Object.entries(forged)) expect([fault, await me(token)]).toEqual([fault, 401])
    expect(await me(ada.token)).toBe(200)
  })

  it('is over at once when its row is revoked or has ended', async () => {
    const person = await hub.person()
    expect(await me(person.token)).toBe(200)
    await hub.sql('update sessions set expires_at = now() where account_id = $1', [person.id])
    expect(await me(person.token)).toBe(401)
    await hub.sql("update sessions set expires_at = now() + interval '1 hour' where account_id = $1", [person.id])
    expect(await me(person.token)).toBe(200)
    await hub.sql('update sessions set revoked_at = now() where account_id = $1', [person.id])
    expect(await me(person.token)).toBe(401)
  })

  it('outlives a change of signing key, and every instance uses the new one', async () => {
    const before = await hub.person()
    const old = (await auth.keys.current()).kid
    const made = await auth.keys.rotate()
    expect(made).not.toBe(old)
    const after = await forge()
    await expect.poll(() => me(after), { interval: 100 }).toBe(200)
    expect(await me(before.token)).toBe(200)
    expect((await auth.keys.jwks()).map(({ kid }) => kid)).toEqual([made, old])
  })

  it('alone has the scope session', async () => {
    const key = await hub.key(ada, { scope: 'train' })
    const create = 'mutation ($handle: String!) { createOrg(input: { handle: $handle }) { org { handle } } }'
    const refused = await hub.graphql(key, create, { handle: newName() })
    expect(refused.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', status: 403 })
    const nobody = await hub.graphql(null, create, { handle: newName() })
    expect(nobody.errors[0].extensions).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 })
  })
})

describe('an API key', () => {
  const repoStatus = async (who: string, name: string) => (await hub.call(who, 'GET', `/v1/repos/${name}`)).status
  const describeStatus = async (who: string, name: string) =>
    (await hub.call(who, 'PATCH', `/v1/repos/${name}`, { description: randomBytes(4).toString('hex') })).status

  it('has a level that includes those before it', async () => {
    const name = await hub.repo(ada)
    const token = {
      read: await hub.key(ada, { scope: 'read' }),
      write: await hub.key(ada),
      train: await hub.key(ada, { scope: 'train' }),
    }
    expect([await repoStatus(token.read, name), await describeStatus(token.read, name)]).toEqual([200, 403])
    expect([await repoStatus(token.write, name), await describeStatus(token.write, name)]).toEqual([200, 200])
    expect([await repoStatus(token.train, name), await describeStatus(token.train, name)]).toEqual([200, 200])
  })

  it("of a user reaches that user's orgs until the membership ends", async () => {
    const [boss, worker] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: worker.handle, role: 'member' },
    ])
    const name = await hub.repo(boss, { owner: org })
    const key = await hub.key(worker)
    expect([await repoStatus(key, name), await describeStatus(key, name)]).toEqual([200, 200])
    const remove =
      'mutation ($org: String!, $user: String!) { removeOrgMember(input: { org: $org, user: $user }) { user { handle } } }'
    expect((await hub.graphql(boss, remove, { org, user: worker.handle })).errors).toBeUndefined()
    expect([await repoStatus(key, name), await describeStatus(key, name)]).toEqual([404, 404])
    expect(await repoStatus(worker.token, name)).toBe(404)
  })

  it('of an org reaches only the org', async () => {
    const boss = await hub.person()
    const org = await hub.org([{ user: boss.handle, role: 'owner' }])
    const [ofOrg, ofBoss] = [await hub.repo(boss, { owner: org }), await hub.repo(boss)]
    const key = await hub.key(org)
    expect([await describeStatus(key, ofOrg), await repoStatus(key, ofBoss)]).toEqual([200, 404])
    const made = await hub.call(key, 'POST', '/v1/repos', { kind: 'dataset', slug: newName() })
    expect(made.json.owner).toMatchObject({ handle: org, kind: 'org' })
    expect(
      (await hub.call(key, 'POST', '/v1/repos', { kind: 'dataset', slug: newName(), owner: boss.handle })).status,
    ).toBe(403)
    expect((await hub.call(key, 'GET', '/v1/me')).json).toMatchObject({
      kind: 'key',
      account: { handle: org },
      person: null,
      session: false,
    })
  })

  it('limited to repos sees these and public repos, and writes only these', async () => {
    const [listed, secret, open] = [
      await hub.repo(ada),
      await hub.repo(ada),
      await hub.repo(ada, { visibility: 'public' }),
    ]
    const key = await hub.key(ada, { repos: [listed], scope: 'train' })
    expect([await repoStatus(key, listed), await repoStatus(key, secret), await repoStatus(key, open)]).toEqual([
      200, 404, 200,
    ])
    expect([
      await describeStatus(key, listed),
      await describeStatus(key, secret),
      await describeStatus(key, open),
    ]).toEqual([200, 404, 403])
    expect((await hub.call(key, 'POST', '/v1/repos', { kind: 'robot', slug: newName() })).status).toBe(403)
    const seen = (await hub.call(key, 'GET', `/v1/repos?owner=${ada.handle}&limit=100`)).json.items
    const names = seen.map((repo: { full_name: string }) => repo.full_name)
    expect(names).toEqual(expect.arrayContaining([listed, open]))
    expect(names).not.toContain(secret)
    expect((await hub.call(key, 'GET', '/v1/me')).json.repos).toEqual([listed])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${listed}`)).status).toBe(204)
    await hub.repo(ada, { slug: listed.split('/')[1] })
    expect(await repoStatus(key, listed)).toBe(404)
  })

  it('of an agent may not delete a repo or make one public', async () => {
    const name = await hub.repo(ada)
    const agent = await hub.key(ada, { agent: true, scope: 'train' })
    expect(await describeStatus(agent, name)).toBe(200)
    const refused = [
      await hub.call(agent, 'DELETE', `/v1/repos/${name}`),
      await hub.call(agent, 'PATCH', `/v1/repos/${name}`, { visibility: 'public' }),
      await hub.call(agent, 'POST', '/v1/repos', { kind: 'robot', slug: newName(), visibility: 'public' }),
    ]
    for (const answer of refused) expect([answer.status, answer.json.type]).toEqual([403, '/problems/forbidden.agent'])
    expect((await hub.call(agent, 'POST', '/v1/repos', { kind: 'robot', slug: newName() })).status).toBe(201)
  })

  it('shows when it was last used', async () => {
    const person = await hub.person()
    const key = await hub.key(person)
    expect(await me(key)).toBe(200)
    const used = () =>
      hub.sql<{ at: string | null }>('select last_used_at as at from api_keys where account_id = $1', [person.id])
    await expect.poll(async () => (await used())[0]?.at, { timeout: 100_000, interval: 200 }).toMatch(/^\d{4}-.*Z$/)
  })

  it('shows when a session was last used; one that no browser made names none', async () => {
    const person = await hub.person()
    const ask = async () => {
      const { data } = await hub.graphql(person, '{ sessions(first: 1) { nodes { current lastUsedAt userAgent } } }')
      return data.sessions.nodes[0]
    }
    expect(await ask()).toEqual({ current: true, lastUsedAt: null, userAgent: null })
    await expect.poll(ask, { timeout: 100_000, interval: 200 }).toMatchObject({
      lastUsedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })
})
