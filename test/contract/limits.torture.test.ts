import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, newName, type Person, sha256Of, types } from '../support/hub.ts'

describe('the storage quota of an owner', () => {
  const hub = contractHub({ STORAGE_QUOTA_BYTES: '1000' })
  let ada: Person

  beforeAll(async () => {
    ada = await hub.person()
  })

  const presign = (who: Person, name: string, sizes: readonly number[]) =>
    hub.call(who, 'POST', `/v1/repos/${name}/files/presign-upload`, {
      files: sizes.map((size, at) => ({ path: `f${at}-${size}`, size, sha256: sha256Of(`${at}`) })),
    })

  it('is 413 for uploads over it, counting pending uploads, and accepts an upload that fits exactly', async () => {
    const name = await hub.repo(ada)
    const over = await presign(ada, name, [600, 401])
    expect([over.status, types(over)]).toEqual([413, ['quota.storage']])
    expect((await presign(ada, name, [600, 300])).status).toBe(200)
    expect((await presign(ada, name, [600, 300])).status).toBe(200)
    expect((await presign(ada, name, [101])).status).toBe(413)
    expect((await hub.call(ada, 'GET', '/v1/me')).json.storage).toEqual({
      used_bytes: 0,
      reserved_bytes: 900,
      quota_bytes: 1000,
    })
    expect((await presign(ada, name, [100])).status).toBe(200)
    expect((await presign(ada, name, [1])).status).toBe(413)
  })

  it('is the org’s for its repos, and a delete releases the bytes', async () => {
    const bob = await hub.person()
    const org = await hub.org([{ user: bob.handle, role: 'member' }])
    const name = await hub.repo(bob, { owner: org })
    await hub.upload(bob, name, { a: 'x'.repeat(900) })
    expect((await presign(bob, name, [101])).status).toBe(413)
    expect((await presign(bob, await hub.repo(bob), [101])).status).toBe(200)
    await hub.call(bob, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['a'] })
    expect((await presign(bob, name, [101])).status).toBe(200)
    const huge = await presign(bob, name, [53_687_091_201])
    expect([huge.status, types(huge)]).toEqual([413, ['too_large']])
  })
})

describe('the rate limit', () => {
  const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '20' })

  it('is shown in RateLimit and RateLimit-Policy, a fifth of it for an anonymous address, and is 429 with Retry-After past it', async () => {
    const ada = await hub.person()
    const first = await hub.call(ada, 'GET', '/v1/me')
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"credential";q=20;w=60, "credential-cost";q=20000;w=60$/)
    // The viewer is one object; what stands in it was read with it.
    expect(first.headers.get('ratelimit')).toMatch(/^"credential";r=19;t=\d+, "credential-cost";r=19999;t=\d+$/)
    for (let left = 18; left >= 0; left -= 1)
      expect((await hub.call(ada, 'GET', '/v1/me')).headers.get('ratelimit')).toContain(`;r=${left};`)
    const spent = await hub.call(ada, 'GET', '/v1/me')
    expect([spent.status, types(spent)]).toEqual([429, ['rate.limited']])
    expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(0)
    const key = await hub.key(ada)
    expect((await hub.call(key, 'GET', '/v1/me')).status).toBe(200)
    const anonymous = []
    for (let at = 0; at < 5; at += 1) anonymous.push((await hub.call(null, 'GET', '/v1/repos')).status)
    expect(anonymous).toEqual([200, 200, 200, 200, 429])
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const open = await hub.send(null, 'GET', path)
      expect([path, open.status, open.headers.get('ratelimit')]).toEqual([path, 200, null])
    }
  })

  it('has a second part for the cost of operations, in nodes: a thousand for each request of the first', async () => {
    const cyd = await hub.person()
    const query = '{ repos(first: 100) { nodes { runs(first: 99) { nodes { id } } } } }'
    const ask = () =>
      hub.send(cyd, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
    for (const left of [10_000, 0]) {
      const { json, headers } = await ask()
      expect(json.errors).toBeUndefined()
      expect(headers.get('ratelimit')).toMatch(new RegExp(`, "credential-cost";r=${left};t=\\d+$`))
    }
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(refused.json).not.toHaveProperty('data')
    const [{ limit }] = refused.json.errors[0].extensions.problem.errors
    expect(limit).toEqual({ name: 'credential-cost', maximum: 20_000, actual: 30_000 })
    const list = await hub.call(cyd, 'GET', '/v1/repos')
    expect([list.status, types(list), list.json.errors[0].limit.name]).toEqual([
      429,
      ['rate.limited'],
      'credential-cost',
    ])
  })

  it('does not count signed object URLs, and a 429 is not stored under an Idempotency-Key', async () => {
    const bob = await hub.person()
    const name = await hub.repo(bob)
    const { path, upload_id, parts } = await hub.sendFile(bob, name, 'a', 'bytes')
    await hub.complete(bob, name, [{ path, upload_id, parts }])
    const download = { paths: ['a'] }
    const { url } = (await hub.call(bob, 'POST', `/v1/repos/${name}/files/presign-download`, download)).json.files[0]
    for (let at = 0; at < 25; at += 1) expect((await fetch(url)).status).toBe(200)
    const body = { kind: 'model', slug: newName() }
    const again = () => hub.call(bob, 'POST', '/v1/repos', body, { 'idempotency-key': 'one' })
    for (let status = 200; status !== 429; ) ({ status } = await hub.call(bob, 'GET', '/v1/me'))
    expect((await again()).status).toBe(429)
    expect((await again()).headers.get('idempotent-replayed')).toBeNull()
  })
})

describe('without an object store', () => {
  const hub = contractHub({ OBJECT_STORE: 'none' })

  it('the hub starts, and operations that need the store are 503', async () => {
    const ada = await hub.person()
    const name = await hub.repo(ada)
    const file = { path: 'a', size: 1, sha256: sha256Of('a') }
    const upload = { path: 'a', upload_id: 'x', parts: [{ part_number: 1, etag: 'x' }] }
    const refused = [
      await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: [file] }),
      await hub.call(ada, 'POST', `/v1/repos/${name}/files/complete`, { uploads: [upload] }),
      await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-download`, { paths: ['a'] }),
      await hub.send(ada, 'GET', `/v1/repos/${name}/resolve/a`),
    ]
    for (const answer of refused) expect([answer.status, types(answer)]).toEqual([503, ['not_configured.object_store']])
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}/tree`)).status).toBe(200)
    expect((await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['a'] })).status).toBe(200)
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
  })
})
