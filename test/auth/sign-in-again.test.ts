/** Contract, "Signing in from a browser": a provider is asked to ask the person again, and says when it did. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { AUDIENCE, openBrowser, startProvider, type TestProvider } from './support/provider.ts'

const database = testDb()
let dataDir: string
let provider: TestProvider
let hub: RunningHub

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-again-'))
  const port = await freePort()
  provider = await startProvider(`http://127.0.0.1:${port}`)
  const settings = {
    PORT: String(port),
    DATABASE_URL: database.url,
    HUB_SECRET: 'a secret of more than thirty-two characters',
    HUB_DATA_DIR: dataDir,
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_CLIENT_ID: 'hub',
    OIDC_CLIENT_SECRET: 'hub secret',
  }
  hub = await startHub(readConfig(settings), pino({ level: 'silent' }))
  provider.people.set('1001', { preferred_username: 'ada' })
})

afterAll(async () => {
  await hub?.stop()
  await provider?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const at = (path: string) => `${hub.url}${path}`
/** Asks for what needs a recent sign-in, and stores nothing. */
const asked = {
  method: 'POST',
  body: JSON.stringify({ query: '{ newPasskey { ceremony } }' }),
} as const
const headers = { 'content-type': 'application/json' }
const refusalIn = (text: string): string | undefined => JSON.parse(text).errors?.[0].extensions.problem.type

describe('signing in again', () => {
  it('goes through the form of the provider once more, and only then', async () => {
    const browser = openBrowser('1001')
    const first = await browser.send(at('/auth/login?return_to=/v1/me'))
    const query = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)
    expect(query(first.headers.get('location'))).not.toHaveProperty('prompt')
    expect((await browser.go(first.headers.get('location') ?? '')).status).toBe(200)
    const again = await browser.send(at('/auth/login?again=1&return_to=/v1/me'))
    expect(query(again.headers.get('location'))).toMatchObject({ prompt: 'login', max_age: '0' })
    // The provider knows the person by its own cookie: without `prompt` it would lead straight back.
    const form = await browser.send(again.headers.get('location') ?? '')
    expect(new URL(form.headers.get('location') ?? '', provider.issuer).pathname).toMatch(/^\/interaction\//)
    const back = await browser.go(again.headers.get('location') ?? '')
    expect([back.status, back.url]).toEqual([200, at('/v1/me')])
    const answer = await browser.send(at('/graphql'), { ...asked, headers: { ...headers, origin: hub.url } })
    expect(refusalIn(answer.text)).toBeUndefined()
  })
})

describe('a token of the provider', () => {
  it('counts from its auth_time, and not from when it was made', async () => {
    const now = Math.floor(Date.now() / 1000)
    const refusalOf = async (authTime: number | undefined, jti: string) => {
      const token = await provider.sign({ sub: '1001', jti, auth_time: authTime, preferred_username: 'ada' })
      const answer = await fetch(at('/graphql'), {
        ...asked,
        headers: { ...headers, authorization: `Bearer ${token}` },
      })
      return refusalIn(await answer.text())
    }
    expect(await refusalOf(now - 16 * 60, 'old')).toBe('/problems/forbidden.old_sign_in')
    expect(await refusalOf(now - 14 * 60, 'recent')).toBeUndefined()
    expect(await refusalOf(undefined, 'made now')).toBeUndefined()
  })
})
