/** Attack: a client forges X-Forwarded-For to get a new rate limit bucket per request and fake addresses in the log. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
const PER_MINUTE = 3

/** A hub with a captured log. The test acts as the proxy, from 127.0.0.1. */
function hubBehind(trustProxy: string) {
  const lines: { path?: string; address?: string }[] = []
  const kept = new Writable({
    write(chunk, _, done) {
      for (const line of String(chunk).split('\n').filter(Boolean)) lines.push(JSON.parse(line))
      done()
    },
  })
  let hub: RunningHub
  beforeAll(async () => {
    const settings = { PORT: '0', DATABASE_URL: database.url, OBJECT_STORE: 'none', HUB_SECRET: 's'.repeat(32) }
    const rate = { RATE_LIMIT_PER_MINUTE: String(5 * PER_MINUTE), TRUST_PROXY: trustProxy }
    hub = await startHub(readConfig({ ...settings, ...rate }), pino({}, kept))
  })
  afterAll(() => hub?.stop())
  return {
    /** The cookie that the sign-in sets for a browser whose proxy says that it uses https. */
    async cookieByHttps() {
      const headers = { 'x-forwarded-proto': 'https' }
      return (await fetch(`${hub.url}/auth/callback`, { headers })).headers.get('set-cookie')
    },
    /** The error of a sign-in without a token, from a page of this origin. */
    async signInError(origin: string, forwarded: Record<string, string>) {
      const headers = { 'content-type': 'application/json', origin, ...forwarded }
      const answer = await fetch(`${hub.url}/auth/session`, { method: 'POST', headers, body: '{"token":"x"}' })
      return /problems\/([\w.]+)/.exec(await answer.text())?.[1]
    },
    /** How many of these requests, one per header, were allowed, and their logged addresses. */
    async ask(path: string, forwarded: readonly string[]) {
      const statuses = []
      for (const header of forwarded)
        statuses.push((await fetch(`${hub.url}${path}`, { headers: { 'x-forwarded-for': header } })).status)
      await expect.poll(() => lines.filter((line) => line.path === path).length).toBe(forwarded.length)
      const addresses = lines.filter((line) => line.path === path).map(({ address }) => address)
      return { refused: statuses.filter((status) => status === 429).length, addresses: [...new Set(addresses)] }
    },
  }
}

const forged = Array.from({ length: 2 * PER_MINUTE }, (_, n) => `203.0.113.${n}`)

describe('a hub without a proxy', () => {
  const hub = hubBehind('0')
  it('ignores the header', async () => {
    expect(await hub.ask('/v1/repos', forged)).toEqual({ refused: PER_MINUTE, addresses: ['127.0.0.1'] })
  })
})

describe('a hub behind one proxy', () => {
  const hub = hubBehind('1')
  it('counts from the right: forged entries change neither the rate limit nor the log', async () => {
    const headers = forged.map((address, n) => `${address}, 198.51.100.${n}, 192.0.2.7`)
    expect(await hub.ask('/v1/repos', headers)).toEqual({ refused: PER_MINUTE, addresses: ['192.0.2.7'] })
  })

  it('has cookies for https alone where that proxy has it, without a PUBLIC_URL too', async () => {
    expect(await hub.cookieByHttps()).toMatch(/^hub_login=; .*Secure/)
  })

  it('takes a form from a page of the scheme and host that the proxy names, and of no other', async () => {
    const named = (n: number) => ({
      'x-forwarded-for': `192.0.2.2${n}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'hub.example',
    })
    expect(await hub.signInError('https://hub.example', named(1))).toBe('auth.invalid')
    expect(await hub.signInError('http://hub.example', named(2))).toBe('forbidden.origin')
    expect(await hub.signInError('https://hub.example:444', named(3))).toBe('forbidden.origin')
  })

  it('distinguishes two clients of that proxy', async () => {
    const { refused, addresses } = await hub.ask('/docs', ['192.0.2.8', '203.0.113.9, 192.0.2.9'])
    expect({ refused, addresses }).toEqual({ refused: 0, addresses: ['192.0.2.8', '192.0.2.9'] })
  })
})

describe('a hub behind two proxies', () => {
  const hub = hubBehind('2')
  it('uses the second address from the right', async () => {
    const headers = forged.map((address) => `${address}, 192.0.2.7, 10.0.0.1`)
    expect(await hub.ask('/v1/repos', headers)).toEqual({ refused: PER_MINUTE, addresses: ['192.0.2.7'] })
  })
})

describe('a hub behind proxies of known addresses', () => {
  const hub = hubBehind('127.0.0.0/8, 10.0.0.0/8')
  it('uses the first untrusted address from the right', async () => {
    const headers = forged.map((address) => `${address}, 192.0.2.7, 10.1.2.3`)
    expect(await hub.ask('/v1/repos', headers)).toEqual({ refused: PER_MINUTE, addresses: ['192.0.2.7'] })
  })
})

describe('a hub that trusts another proxy', () => {
  const hub = hubBehind('10.0.0.0/8')
  it('ignores the header', async () => {
    expect(await hub.ask('/v1/repos', forged)).toEqual({ refused: PER_MINUTE, addresses: ['127.0.0.1'] })
  })
})
