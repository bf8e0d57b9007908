import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
let dataDir: string
let token: string | null = null
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-asked-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

function hubWith(settings: Record<string, string>) {
  let hub: RunningHub
  beforeAll(async () => {
    const own = { PORT: '0', DATABASE_URL: database.url, HUB_SECRET: 's'.repeat(32), HUB_DATA_DIR: dataDir }
    hub = await startHub(readConfig({ ...own, ...settings }), pino({ level: 'silent' }))
    token ??= hub.operatorToken
  })
  afterAll(() => hub?.stop())
  const port = () => hub.deps.config.port

  /** A POST with any `Host` header, which fetch does not allow. */
  async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const sent = request(
      {
        host: '127.0.0.1',
        port: port(),
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks).toString()))
      },
    )
    sent.on('error', reject).end(JSON.stringify(body))
    return JSON.parse(await promise)
  }

  let repos = 0
  return {
    port,
    post,
    /** The origin of the part URL of a presigned file. */
    async partOrigin(headers: Record<string, string> = {}): Promise<string> {
      repos += 1
      const slug = `asked-${port()}-${repos}`
      await post('/v1/repos', { kind: 'dataset', slug, visibility: 'public' })
      const file = { path: 'a.txt', size: 1, sha256: 'a'.repeat(64) }
      const answer = await post(`/v1/repos/hub/${slug}/files/presign-upload`, { files: [file] }, headers)
      return new URL(/https?:[^"]+\/objects\/[^"]+/.exec(JSON.stringify(answer))?.[0] ?? 'none:').origin
    },
  }
}

describe('a hub that listens on every address without a PUBLIC_URL', () => {
  const hub = hubWith({ HOST: '0.0.0.0' })

  it('returns links with the requested host', async () => {
    expect(await hub.partOrigin({ host: `hub.lan:${hub.port()}` })).toBe(`http://hub.lan:${hub.port()}`)
    expect(await hub.partOrigin({ host: '192.168.1.5:4000' })).toBe('http://192.168.1.5:4000')
    expect(await hub.partOrigin({ host: '[fe80::1]:4000' })).toBe('http://[fe80::1]:4000')
  })

  it('uses the connection address if Host is invalid, and ignores forwarded hosts without TRUST_PROXY', async () => {
    const own = `http://127.0.0.1:${hub.port()}`
    expect(await hub.partOrigin({ host: 'a/b@c' })).toBe(own)
    expect(await hub.partOrigin({ 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })).toBe(own)
  })

  it('does so in GraphQL, after a body, and for two concurrent requests', async () => {
    await hub.post('/v1/repos', { kind: 'dataset', slug: 'asked-graph', visibility: 'public' })
    const query = `mutation { presignUpload(input: { owner: "hub", repo: "asked-graph", files: [{ path: "a", size: 1, sha256: "${'b'.repeat(64)}" }] }) { uploads { parts { url } } } }`
    const hosts = ['one.lan', 'two.lan', 'three.lan']
    const answers = await Promise.all(hosts.map((host) => hub.post('/graphql', { query }, { host })))
    for (const [at, host] of hosts.entries()) expect(JSON.stringify(answers[at])).toContain(`http://${host}/objects/`)
  })
})

describe('a hub on loopback', () => {
  const hub = hubWith({ HOST: '127.0.0.1' })
  it.each(['localhost', '127.0.0.1', '[::1]'])(
    'returns links with the name %s of it that was asked for',
    async (name) => {
      const origin = `http://${name}:${hub.port()}`
      expect(await hub.partOrigin({ host: `${name}:${hub.port()}` })).toBe(origin)
      const { verification_uri } = await hub.post(
        '/v1/auth/device',
        { name: 'a program' },
        { host: `${name}:${hub.port()}` },
      )
      expect(new URL(verification_uri).origin).toBe(origin)
    },
  )

  it('returns links with its own address to a request for any other name', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.1.5:4000'])
      expect(await hub.partOrigin({ host })).toBe(`http://127.0.0.1:${hub.port()}`)
  })
})

describe('a hub behind a proxy, without PUBLIC_URL', () => {
  const hub = hubWith({ HOST: '0.0.0.0', TRUST_PROXY: '1' })
  it('returns links with the host that the proxy forwards, not one from the client', async () => {
    const headers = { 'x-forwarded-host': 'evil.example, hub.example', 'x-forwarded-proto': 'http, https' }
    expect(await hub.partOrigin(headers)).toBe('https://hub.example')
  })
})

describe('a hub with PUBLIC_URL', () => {
  const hub = hubWith({ HOST: '0.0.0.0', PUBLIC_URL: 'https://hub.example' })
  it('always returns links with that URL', async () => {
    expect(await hub.partOrigin({ host: 'other.lan' })).toBe('https://hub.example')
  })
})
