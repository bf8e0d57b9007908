import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../../src/accounts/accounts.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { readCookie } from '../../src/auth/cookie.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
const PUBLIC = 'https://hub.test'
const log = pino({ level: 'silent' })
let dataDir: string
let hub: RunningHub
let address: string
let token: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-cookie-'))
  const secret = 'a secret of more than thirty-two characters'
  const settings = {
    PORT: '0',
    DATABASE_URL: database.url,
    HUB_SECRET: secret,
    HUB_DATA_DIR: dataDir,
    PUBLIC_URL: PUBLIC,
  }
  const config = readConfig(settings)
  hub = await startHub(config, log)
  const bound = hub.app.server.address()
  address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`
  const auth = await openAuth({ config, log, db: database.db, secret })
  token = await database.db.withTx(async (tx) => {
    const user = await addUser(tx, noViewer, { handle: 'ada' })
    return (await openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })).token
  })
  await auth.close()
})

afterAll(async () => {
  await hub?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : null
  return { status: response.status, headers: response.headers, text, json }
}

const cookie = () => ({ cookie: `theme=dark; hub_session=${token}` })
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const query = JSON.stringify({ query: '{ viewer { account { handle } } }' })

describe('the session cookie', () => {
  it('is set by POST /auth/session: HttpOnly, SameSite=Lax, and Secure on https', async () => {
    expect((await send('GET', '/auth/session')).text).toContain('<form method="post" action="/auth/session">')
    const body = new URLSearchParams({ token: ` ${token}\n` }).toString()
    const set = await send('POST', '/auth/session', { ...form, origin: PUBLIC }, body)
    expect([set.status, set.headers.get('location')]).toEqual([303, '/'])
    const [line = '', ...rest] = set.headers.getSetCookie()
    expect(rest).toEqual([])
    expect(line).toMatch(/^hub_session=eyJ[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(Number(/Max-Age=(\d+)/.exec(line)?.[1])).toBeLessThanOrEqual(3600)
  })

  it('is set only for sessions, and never for a request from another site', async () => {
    const post = (value: string, origin: string) =>
      send('POST', '/auth/session', { ...json, origin }, JSON.stringify({ token: value }))
    expect((await post(token, 'https://elsewhere.test')).status).toBe(403)
    expect((await send('POST', '/auth/session', json, JSON.stringify({ token }))).status).toBe(403)
    for (const value of ['nonsense', `hub_key_${'0'.repeat(36)}`, '']) {
      const refused = await post(value, PUBLIC)
      expect([value, refused.status, refused.headers.getSetCookie()]).toEqual([value, 401, []])
    }
    expect((await send('POST', '/auth/session', { ...json, origin: PUBLIC }, '{}')).status).toBe(422)
  })

  it('authenticates the caller in both dialects', async () => {
    expect((await send('GET', '/v1/me', cookie())).json).toMatchObject({ kind: 'session', account: { handle: 'ada' } })
    expect(
      (await send('GET', `/graphql?query=${encodeURIComponent('{ viewer { account { handle } } }')}`, cookie())).json,
    ).toEqual({
      data: { viewer: { account: { handle: 'ada' } } },
    })
  })

  it('is ignored beside Authorization, which another site cannot send', async () => {
    const bad = await send('GET', '/v1/me', { ...cookie(), authorization: 'Bearer nonsense' })
    expect([bad.status, bad.headers.getSetCookie()]).toEqual([401, []])
    const both = { ...cookie(), ...json, authorization: `Bearer ${token}`, origin: 'https://elsewhere.test' }
    expect((await send('POST', '/graphql', both, query)).status).toBe(200)
  })

  it('allows no change from a page that came without TLS, under the name of a hub that has it', async () => {
    const post = (headers: Record<string, string>) =>
      hub.app.inject({ method: 'POST', url: '/graphql', headers: { ...cookie(), ...json, ...headers }, payload: query })
    const statuses = async (host: string, ...origins: string[]) =>
      Promise.all(origins.map(async (origin) => (await post({ host, origin })).statusCode))
    expect(await statuses('hub.test', 'https://hub.test', 'http://hub.test')).toEqual([200, 403])
    // Under another name the hub has no TLS of its own; a proxy that ends TLS and does not say so is let through.
    expect(await statuses('inside.test', 'http://inside.test', 'https://inside.test')).toEqual([200, 200])
    // No address of anything.
    expect(await statuses('1.2.3.4.5', 'http://inside.test')).toEqual([403])
    expect(await statuses('inside.test:81', 'http://inside.test', 'http://inside.test:82')).toEqual([403, 403])
  })

  it('is left out of a query that a page of another origin sends, but not where a person follows its link', async () => {
    const asked = `/graphql?query=${encodeURIComponent('{ viewer { account { handle } } }')}`
    const viewer = async (headers: Record<string, string>) =>
      (await send('GET', asked, { ...cookie(), ...headers })).json.data.viewer?.account.handle ?? null
    for (const site of ['cross-site', 'same-site']) {
      for (const use of ['image', 'script', 'iframe', 'empty'])
        expect([site, use, await viewer({ 'sec-fetch-site': site, 'sec-fetch-dest': use })]).toEqual([site, use, null])
      expect(await viewer({ 'sec-fetch-site': site, 'sec-fetch-dest': 'document' })).toBe('ada')
    }
    for (const site of ['same-origin', 'none']) expect(await viewer({ 'sec-fetch-site': site })).toBe('ada')
  })

  it('allows changes only from pages of the hub', async () => {
    const own: Record<string, string>[] = [
      { origin: PUBLIC },
      { origin: PUBLIC, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { origin: address },
    ]
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'https://elsewhere.test' },
      { origin: 'null' },
      { origin: 'http://hub.test' },
      { origin: 'https://hub.test.elsewhere.test' },
      { origin: 'https://hub.test:444' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: PUBLIC, 'sec-fetch-site': 'same-site' },
    ]
    const create = (slug: string) => JSON.stringify({ kind: 'robot', slug })
    for (const [at, headers] of own.entries()) {
      expect([headers, (await send('POST', '/graphql', { ...cookie(), ...json, ...headers }, query)).status]).toEqual([
        headers,
        200,
      ])
      const made = await send('POST', '/v1/repos', { ...cookie(), ...json, ...headers }, create(`own-${at}`))
      expect([headers, made.status]).toEqual([headers, 201])
    }
    for (const [at, headers] of foreign.entries()) {
      const posted = await send('POST', '/graphql', { ...cookie(), ...json, ...headers }, query)
      expect([headers, posted.status, posted.json.errors[0].extensions.problem.type]).toEqual([
        headers,
        403,
        '/problems/forbidden.origin',
      ])
      for (const [method, path] of [
        ['POST', '/v1/repos'],
        ['PATCH', '/v1/repos/ada/own-0'],
        ['DELETE', '/v1/repos/ada/own-0'],
        ['POST', '/auth/logout'],
        ['POST', '/graphql/stream'],
      ] as const) {
        const refused = await send(method, path, { ...cookie(), ...json, ...headers }, create(`foreign-${at}`))
        expect([headers, method, path, refused.status]).toEqual([headers, method, path, 403])
      }
      expect((await send('GET', '/v1/repos/ada/own-0', { ...cookie(), ...headers })).status).toBe(200)
    }
    expect((await send('GET', '/v1/repos?owner=ada', cookie())).json.items).toHaveLength(own.length)
  })

  it('runs no mutation in a GET', async () => {
    const mutation = encodeURIComponent('mutation { createOrg(input: { handle: "by-get" }) { org { handle } } }')
    expect((await send('GET', `/graphql?query=${mutation}`, cookie())).status).toBe(405)
  })

  it('is cleared when it is no longer valid, with the error of any request that sent it', async () => {
    for (const path of ['/v1/me', '/v1/repos', '/v1/devices/signing-key', '/graphql?query=%7B__typename%7D']) {
      for (const value of ['nonsense', `hub_key_${'0'.repeat(36)}`]) {
        const refused = await send('GET', path, { cookie: `hub_session=${value}` })
        expect([path, refused.status, refused.headers.getSetCookie()]).toEqual([
          path,
          401,
          ['hub_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax'],
        ])
      }
    }
    expect((await send('GET', '/v1/repos', { cookie: 'hub_session=' })).status).toBe(200)
  })

  it('is revoked and cleared by logout', async () => {
    const out = await send('POST', '/auth/logout', { ...cookie(), origin: PUBLIC, accept: 'text/html' })
    expect([out.status, out.headers.get('location')]).toEqual([303, '/'])
    expect(out.headers.getSetCookie()).toEqual(['hub_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax'])
    expect((await send('GET', '/v1/me', cookie())).status).toBe(401)
    expect((await send('GET', '/v1/me', { authorization: `Bearer ${token}` })).status).toBe(401)
    const nobody = await send('POST', '/auth/logout')
    expect([nobody.status, nobody.headers.getSetCookie().length]).toEqual([204, 1])
  })

  it('is found among other cookies, by its full name', () => {
    expect(readCookie('a=1; hub_session=x.y; b=2', 'hub_session')).toBe('x.y')
    expect(readCookie('not_hub_session=1', 'hub_session')).toBeNull()
    expect(readCookie('hub_session=', 'hub_session')).toBeNull()
    expect(readCookie('hub_session', 'hub_session')).toBeNull()
    expect(readCookie('hub_session=a=b', 'hub_session')).toBe('a=b')
    expect(readCookie(undefined, 'hub_session')).toBeNull()
  })
})

describe('signing in where no provider is configured', () => {
  it('is 503 and names the settings to set', async () => {
    const refused = await send('GET', '/auth/login')
    expect([refused.status, refused.json.type]).toEqual([503, '/problems/not_configured.oidc'])
    expect((await send('POST', '/auth/handle', { ...json, authorization: 'Bearer x' }, '{"handle":"x"}')).status).toBe(
      401,
    )
  })
})
