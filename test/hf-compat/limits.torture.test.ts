import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { contractHub, type Who } from '../support/hub.ts'
import { hfClient, refusal } from './support/hf-client.ts'

const QUOTA_BYTES = 200_000
const hub = contractHub({ STORAGE_QUOTA_BYTES: `${QUOTA_BYTES}` })
const hf = hfClient(hub)
const limited = contractHub({ RATE_LIMIT_PER_MINUTE: '10' })

const line = (key: string, value: object) => `${JSON.stringify({ key, value })}\n`
const header = line('header', { summary: 'a change' })
/** A file of 60,000 bytes, which no other file is like. */
const file = (path: string) =>
  line('file', { path, encoding: 'base64', content: Buffer.alloc(60_000, path).toString('base64') })

const shaOf = async (who: Who, name: string) => (await hf.get(who, `/api/datasets/${name}?expand=sha`)).json.sha

describe('a commit', () => {
  it('that passes the quota in its middle is refused as a whole', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'a.txt': 'a' })
    const before = await shaOf(person, name)
    const send = (paths: readonly string[]) =>
      hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, {
        headers: { 'content-type': 'application/x-ndjson' },
        body: header + paths.map(file).join(''),
      })
    const over = await send(['1', '2', '3', '4', '5'])
    expect(refusal(over)).toEqual([413, 'QuotaStorage'])
    expect(await shaOf(person, name)).toBe(before)
    const batch = await hf.json(person, 'POST', `/datasets/${name}.git/info/lfs/objects/batch`, {
      operation: 'upload',
      objects: [{ oid: 'a'.repeat(64), size: QUOTA_BYTES + 1 }],
    })
    expect(refusal(batch)).toEqual([413, 'QuotaStorage'])
    expect((await send(['1', '2', '3'])).status).toBe(200)
  })

  it('that is refused early is read to its end, since clients read the answer when they have sent all', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'a.txt': 'a' })
    const url = new URL(`/api/datasets/${name}/commit/main`, hub.running.url)
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/x-ndjson' }
    const taken = await new Promise<string>((resolve) => {
      const sent = request(url, { method: 'POST', headers })
      sent.on('error', (error) => resolve(error.message))
      const lines = Array.from({ length: 1500 }, (_, index) => file(`${index}`))
      sent.end(header + lines.join(''), () => resolve('all of it'))
    })
    expect(taken).toBe('all of it')
  })

  it('of a client that is killed leaves nothing in the repo', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'a.txt': 'a' })
    const before = await shaOf(person, name)
    const cut = new Promise<void>((resolve) => {
      const url = new URL(`/api/datasets/${name}/commit/main`, hub.running.url)
      const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/x-ndjson' }
      const sent = request(url, { method: 'POST', headers })
      sent.on('error', () => resolve())
      sent.write(header + file('1') + file('2'), () => setTimeout(() => sent.destroy(), 50))
      sent.on('close', () => resolve())
    })
    await cut
    expect(await shaOf(person, name)).toBe(before)
    expect((await hf.get(person, `/api/datasets/${name}`)).json.siblings).toEqual([{ rfilename: 'a.txt' }])
  })
})

describe('the rate of requests', () => {
  it('counts a method that a path does not have against its address, in both dialects', async () => {
    const client = hfClient(limited)
    const statuses = []
    for (const path of ['/api/models', '/v1/repos', '/v1/repos/a/b/resolve/c'])
      for (let sent = 1; sent <= 4; sent += 1) statuses.push((await client.request(null, 'OPTIONS', path)).status)
    expect(statuses[0]).toBe(405)
    expect(statuses.slice(-2)).toEqual([429, 429])
  })

  it('is that of the whole hub, and is told as clients read it', async () => {
    const person = await limited.person()
    const client = hfClient(limited)
    let answer = await client.get(person, '/api/whoami-v2')
    for (let sent = 1; sent <= 10 && answer.status === 200; sent += 1)
      answer = await client.get(person, '/api/whoami-v2')
    expect(refusal(answer)).toEqual([429, 'RateLimited'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    // What parse_ratelimit_headers of huggingface_hub looks for.
    expect(answer.headers.get('ratelimit')).toMatch(/"\w+"\s*;\s*r\s*=\s*0\s*;\s*t\s*=\s*\d+/)
  })
})
