import { createHash, randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openCredentialUsage } from '../../src/auth/credential-usage.ts'
import { keySetUrl, openOidc } from '../../src/auth/oidc.ts'
import { APP_REDIRECT, AUDIENCE, openBrowser } from './support/provider.ts'
import { providerHub } from './support/provider-hub.ts'

const own = providerHub()
const { at } = own
const signIn = (browser: ReturnType<typeof openBrowser>, returnTo = '/v1/me') =>
  browser.go(at(`/auth/login?return_to=${encodeURIComponent(returnTo)}`))

async function me(token: string) {
  const response = await fetch(at('/v1/me'), { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) }
}

describe('signing in with a browser', () => {
  it('goes to the provider and back with code and PKCE, and creates the account that the provider proposes', async () => {
    const browser = openBrowser('1001')
    const sent = await browser.send(at('/auth/login?return_to=/v1/me'))
    const query = new URL(sent.headers.get('location') ?? '').searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      client_id: 'hub',
      code_challenge_method: 'S256',
      redirect_uri: at('/auth/callback'),
      state: expect.any(String),
      nonce: expect.any(String),
    })
    const callback = await browser.go(sent.headers.get('location') ?? '', at('/auth/callback'))
    const back = await browser.send(callback.url)
    expect([back.status, back.headers.get('location')]).toEqual([303, '/v1/me'])
    const set = back.headers.getSetCookie()
    expect(set.map((line) => line.split('=')[0])).toEqual(['hub_login', 'hub_pending', 'hub_session'])
    expect(set[0]).toMatch(/^hub_login=; Max-Age=0; Path=\/auth; HttpOnly; SameSite=Lax$/)
    expect(set[2]).toMatch(/^hub_session=eyJ[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(JSON.parse((await browser.send(at('/v1/me'))).text)).toMatchObject({
      kind: 'session',
      account: { handle: 'ada', name: 'Ada Lovelace', kind: 'user' },
      scope: 'train',
    })
  })

  it('keeps the first 256 characters of the browser that signed in, for the list of sessions', async () => {
    const browser = openBrowser('1001')
    const callback = await browser.go(at('/auth/login'), at('/auth/callback'))
    await browser.send(callback.url, { headers: { 'user-agent': `Mozilla/5.0 ${'x'.repeat(300)}` } })
    const document = '{ sessions(first: 1) { nodes { current userAgent } } }'
    const page = await browser.send(at('/graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(own.hub.url).origin },
      body: JSON.stringify({ query: document }),
    })
    const [session] = JSON.parse(page.text).data.sessions.nodes
    expect(session).toEqual({ current: true, userAgent: `Mozilla/5.0 ${'x'.repeat(300)}`.slice(0, 256) })
  })

  it('identifies the user by issuer and subject, whatever their current name', async () => {
    const first = JSON.parse((await signIn(openBrowser('1001'))).text)
    own.provider.people.set('1001', { preferred_username: 'countess', name: 'Countess' })
    const second = JSON.parse((await signIn(openBrowser('1001'))).text)
    expect(second.account).toEqual(first.account)
    expect(second.credential_id).not.toBe(first.credential_id)
    own.provider.people.set('1001', { preferred_username: 'ada' })
  })

  it('asks for a handle where the proposed one is taken, ill-formed, reserved or absent', async () => {
    for (const [login, proposal] of [
      ['2001', 'ada'],
      ['2002', 'Not A Handle'],
      ['2003', 'graphql'],
      ['2004', undefined],
      ['2005', 'x'.repeat(65)],
    ] as const) {
      own.provider.people.set(login, proposal === undefined ? {} : { preferred_username: proposal })
      const browser = openBrowser(login)
      const page = await signIn(browser)
      expect([login, page.status]).toEqual([login, 409])
      expect(page.text).toContain('<form method="post" action="/auth/handle">')
      expect(browser.cookies(own.hub.url).has('hub_session')).toBe(false)
      const choose = (handle: string, origin = own.hub.url) =>
        browser.send(at('/auth/handle'), { method: 'POST', headers: { origin }, body: new URLSearchParams({ handle }) })
      expect((await choose(`person-${login}`, 'https://elsewhere.test')).status).toBe(403)
      const again = await choose('ada')
      expect([again.status, again.text.includes('ada is taken')]).toEqual([409, true])
      const done = await choose(`person-${login}`)
      expect([done.status, done.headers.get('location')]).toEqual([303, '/v1/me'])
      expect(JSON.parse((await browser.send(at('/v1/me'))).text).account.handle).toBe(`person-${login}`)
      expect((await choose('another')).status).toBe(401)
    }
  })

  it('shows what the provider proposes as text, never as markup', async () => {
    own.provider.people.set('2006', { preferred_username: '<script>alert(1)</script>' })
    const page = await signIn(openBrowser('2006'))
    expect(page.text).not.toContain('<script>alert')
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  })

  it('is offered in the graph with the issuer, to the anonymous too', async () => {
    const query = '{ identityProvider { issuer name } }'
    const answer = await fetch(at('/graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { issuer } = own.provider
    expect(await answer.json()).toEqual({ data: { identityProvider: { issuer, name: new URL(issuer).host } } })
  })

  it('never redirects to another site', async () => {
    for (const place of [
      'https://elsewhere.test/',
      '//elsewhere.test',
      '/\\elsewhere.test',
      '/x/..//elsewhere.test',
      'javascript:alert(1)',
      '/\t/elsewhere.test',
    ]) {
      const browser = openBrowser('1001')
      const callback = await browser.go(at(`/auth/login?return_to=${encodeURIComponent(place)}`), at('/auth/callback'))
      const { headers } = await browser.send(callback.url)
      expect([place, new URL(headers.get('location') ?? '', own.hub.url).origin]).toEqual([place, own.hub.url])
    }
  })

  it('accepts only the response to its own request, once', async () => {
    const browser = openBrowser('1001')
    const callback = await browser.go(at('/auth/login'), at('/auth/callback'))
    const stranger = openBrowser('1001')
    expect((await stranger.send(callback.url)).status).toBe(401)
    await stranger.send(at('/auth/login'))
    expect((await stranger.send(callback.url)).status).toBe(401)
    expect((await browser.send(callback.url)).status).toBe(303)
    expect((await browser.send(callback.url)).status).toBe(401)
    const denied = openBrowser('1001')
    const state = new URL((await denied.send(at('/auth/login'))).headers.get('location') ?? '').searchParams.get(
      'state',
    )
    expect(
      (await denied.send(at(`/auth/callback?error=access_denied&state=${state}&iss=${own.provider.issuer}`))).status,
    ).toBe(401)
    expect(denied.cookies(own.hub.url).size).toBe(0)
  })
})

describe("a bearer token of the provider's", () => {
  it('is a JWT access token that an app obtained for the hub', async () => {
    const browser = openBrowser('1001')
    const verifier = randomBytes(32).toString('base64url')
    const question = new URLSearchParams({
      client_id: 'app',
      response_type: 'code',
      redirect_uri: APP_REDIRECT,
      scope: 'openid use',
      resource: AUDIENCE,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const { url } = await browser.go(`${own.provider.issuer}/auth?${question}`, APP_REDIRECT)
    const exchange = {
      grant_type: 'authorization_code',
      client_id: 'app',
      redirect_uri: APP_REDIRECT,
      code_verifier: verifier,
      resource: AUDIENCE,
    }
    const answer = await fetch(`${own.provider.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...exchange, code: new URL(url).searchParams.get('code') ?? '' }),
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    expect(decodeProtectedHeader(access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
    const first = await me(access_token)
    expect([first.status, first.json.kind, first.json.account.handle]).toEqual([200, 'session', 'ada'])
    expect((await me(access_token)).json.credential_id).toBe(first.json.credential_id)
  })

  it('creates the account of its user at the first request, and only one for concurrent requests', async () => {
    const token = await own.provider.sign({ sub: '3001', preferred_username: 'grace' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => me(token)))
    expect(new Set(answers.map(({ status, json }) => `${status} ${json.account.id} ${json.credential_id}`)).size).toBe(
      1,
    )
    expect(answers[0]?.json.account.handle).toBe('grace')
    const renamed = await me(await own.provider.sign({ sub: '3001', preferred_username: 'ada' }))
    expect(renamed.json.account.handle).toBe('grace')
    const elsewhere = await me(await own.provider.sign({ sub: '3001', preferred_username: 'grace' }))
    expect(elsewhere.json.account.id).toBe(answers[0]?.json.account.id)
  })

  it('is 409 and says how to choose a handle if the proposed one cannot be used', async () => {
    const token = await own.provider.sign({ sub: '3002', preferred_username: 'ada' })
    const refused = await me(token)
    expect([refused.status, refused.json.type]).toEqual([409, '/problems/auth.handle_taken'])
    expect(refused.json.detail).toContain('POST /auth/handle')
    const choose = (handle: string) =>
      fetch(at('/auth/handle'), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ handle }),
      })
    expect((await choose('ada')).status).toBe(409)
    expect(await (await choose('lovelace')).json()).toMatchObject({ account: { handle: 'lovelace' } })
    expect((await me(token)).json.account.handle).toBe('lovelace')
  })

  it('is 401 with any other audience, issuer, time, key, algorithm or form, and never 503', async () => {
    const now = Math.floor(Date.now() / 1000)
    const person = { sub: '1001', preferred_username: 'ada' }
    const good = await own.provider.sign(person)
    const [head = '', body = '', signature = ''] = good.split('.')
    const bad: Record<string, string> = {
      'another audience': await own.provider.sign({ ...person, aud: 'https://elsewhere.test' }),
      'no audience': await own.provider.sign({ ...person, aud: undefined }),
      'another issuer': await own.provider.sign({ ...person, iss: 'https://elsewhere.test' }),
      'an issuer that only looks the same': await own.provider.sign({ ...person, iss: `${own.provider.issuer}/` }),
      'an end in the past': await own.provider.sign({ ...person, exp: now - 60 }),
      'no end': await own.provider.sign({ ...person, exp: undefined }),
      'a start in the future': await own.provider.sign({ ...person, nbf: now + 60 }),
      nobody: await own.provider.sign({ preferred_username: 'ada' }),
      'an unknown kid': await own.provider.sign(person, { kid: 'nobody' }),
      'a logout token': await own.provider.sign(person, { typ: 'logout+jwt' }),
      'no algorithm': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      'a shared secret': `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${body}.${signature}`,
      'another algorithm': `${Buffer.from('{"alg":"ES256","kid":"key-1"}').toString('base64url')}.${body}.${signature}`,
      'a changed body': `${head}.${Buffer.from(JSON.stringify({ iss: own.provider.issuer, aud: AUDIENCE, sub: '1', exp: now + 60 })).toString('base64url')}.${signature}`,
      'a signature that is none': `${head}.${body}.!!!!`,
      'no signature': `${head}.${body}`,
      'a body that is not JSON': `${head}.bm9uZQ.${signature}`,
      'five parts': 'a.b.c.d.e',
    }
    for (const [fault, token] of Object.entries(bad)) expect([fault, (await me(token)).status]).toEqual([fault, 401])
    expect((await me(good)).status).toBe(200)
  })

  it('ends with its session row, which logout revokes', async () => {
    const token = await own.provider.sign({ sub: '1001', jti: 'to be ended' })
    expect((await me(token)).status).toBe(200)
    const out = await fetch(at('/auth/logout'), { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(out.status).toBe(204)
    expect((await me(token)).status).toBe(401)
  })
})

describe('an attack: a revoked bearer token, spelled differently', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  /** Other texts that decode to the same bytes: the last character of 256 bytes has four unused bits; padding and the other alphabet. */
  const spellings = (token: string) => {
    const last = alphabet.indexOf(token.at(-1) ?? '')
    const others = Array.from({ length: 16 }, (_, bits) => alphabet[(last & 0b110000) | bits] ?? '')
    const lastCharacters = others.map((character) => token.slice(0, -1) + character)
    const [head = '', body = '', signature = ''] = token.split('.')
    const plain = `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`
    return [...lastCharacters, `${token}==`, plain, `${plain}==`].filter((text) => text !== token)
  }

  it.each([
    ['with a jti', { jti: 'one of a kind' }],
    ['without a jti', {}],
    ['with a jti that is empty', { jti: '' }],
  ])('stays 401: a token %s', async (_, claims) => {
    const token = await own.provider.sign({ sub: '1001', nonce: randomBytes(6).toString('hex'), ...claims })
    const first = await me(token)
    expect(first.status).toBe(200)
    for (const text of spellings(token))
      expect([text.slice(-4), (await me(text)).status]).toEqual([text.slice(-4), 401])
    await fetch(at('/auth/logout'), { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    for (const text of [token, ...spellings(token)])
      expect([text.slice(-4), (await me(text)).status]).toEqual([text.slice(-4), 401])
  })

  it('stays 401: a token signed again with the same issuer and jti', async () => {
    const claims = { sub: '1001', jti: randomBytes(6).toString('hex') }
    const token = await own.provider.sign(claims)
    expect((await me(token)).status).toBe(200)
    await fetch(at('/auth/logout'), { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    const again = await own.provider.sign({ ...claims, at: 'another moment' })
    expect(again).not.toBe(token)
    expect((await me(again)).status).toBe(401)
  })

  it('gives no user the session of another whose token has the same jti', async () => {
    const jti = 'of an issuer that counts badly'
    const ada = await me(await own.provider.sign({ sub: '1001', jti }))
    const eve = await me(await own.provider.sign({ sub: '3009', jti, preferred_username: 'eve' }))
    expect([ada.json.account.handle, eve.json.account.handle]).toEqual(['ada', 'eve'])
  })

  it("does not work on the hub's own sessions either: one text, one session", async () => {
    const browser = openBrowser('1001')
    await signIn(browser)
    const token = browser.cookies(own.hub.url).get('hub_session') ?? ''
    expect((await me(token)).status).toBe(200)
    for (const text of spellings(token))
      expect([text.slice(-4), (await me(text)).status]).toEqual([text.slice(-4), 401])
  })
})

describe("the provider's keys", () => {
  const verifier = (cooldownMs = 0) => {
    const settings = own.hub.deps.config.oidc
    if (settings === null) throw new Error('OIDC is configured in this file.')
    return openOidc(
      own.database.db,
      openCredentialUsage(own.database.db, pino({ level: 'silent' })),
      settings,
      cooldownMs,
    )
  }

  it('are fetched again when a token names an unknown key', async () => {
    const oidc = verifier()
    const before = await own.provider.sign({ sub: '1001', jti: 'before' })
    expect((await oidc.personOf(before))?.person.subject).toBe('1001')
    await own.provider.rotate()
    const after = await own.provider.sign({ sub: '1001', jti: 'after' })
    expect((await oidc.personOf(after))?.person.subject).toBe('1001')
    expect(await oidc.personOf(before)).toBeNull()
  })

  it('are 503 while the provider is down, but only for tokens that need them', async () => {
    const known = verifier()
    const unknown = verifier()
    const token = await own.provider.sign({ sub: '1001', jti: 'down' })
    expect((await known.personOf(token))?.person.subject).toBe('1001')
    const foreign = await own.provider.sign({ sub: '1001', iss: 'https://elsewhere.test' })
    const strange = await own.provider.sign({ sub: '1001' }, { kid: 'never seen' })
    const browser = openBrowser('1001')
    const callback = await browser.go(at('/auth/login'), at('/auth/callback'))
    await own.provider.stop()
    expect((await known.personOf(token))?.person.subject).toBe('1001')
    await expect(known.personOf(strange)).rejects.toMatchObject({ type: 'unavailable', status: 503 })
    await expect(unknown.personOf(token)).rejects.toMatchObject({ type: 'unavailable', status: 503 })
    for (const text of ['nonsense', 'a.b.c', foreign])
      expect([text, await unknown.personOf(text)]).toEqual([text, null])
    expect((await browser.send(callback.url)).status).toBe(503)
  })
})

it('the keys of an issuer with TLS are fetched with TLS, on whatever host they are', () => {
  expect(keySetUrl('https://id.example', 'https://keys.example/jwks').href).toBe('https://keys.example/jwks')
  expect(keySetUrl('http://id.test', 'http://id.test/jwks').href).toBe('http://id.test/jwks')
  expect(() => keySetUrl('https://id.example', 'http://id.example/jwks')).toThrow('without TLS')
})
