import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { contractHub, newName, type Person, sha256Of, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let name: string

beforeAll(async () => {
  ada = await hub.person()
  name = await hub.repo(ada, { visibility: 'public' })
  await hub.upload(ada, name, { a: 'a' })
})

afterEach(() => {
  vi.useRealTimers()
})

const fresh = () => ({ kind: 'model', slug: newName() })

describe('Idempotency-Key on a POST', () => {
  const keyed = (body: unknown, key: string, who = ada, path = '/v1/repos') =>
    hub.call(who, 'POST', path, body, { 'idempotency-key': key })

  it('replays the original body and status with Idempotent-Replayed: true', async () => {
    const [key, body] = [newName(), fresh()]
    const first = await keyed(body, key)
    const again = await keyed(body, key)
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([201, 'true', first.json])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
  })

  it('executes concurrent requests with the same key only once', async () => {
    const [key, body] = [newName(), fresh()]
    const twins = await Promise.all(Array.from({ length: 5 }, () => keyed(body, key)))
    expect(twins.map((twin) => twin.status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(twins.map((twin) => twin.json.id)).size).toBe(1)
    expect(twins.filter((twin) => twin.headers.get('idempotent-replayed') === null)).toHaveLength(1)
  })

  it('is 422 with another body, and another request for another credential or path', async () => {
    const [key, body] = [newName(), fresh()]
    const first = await keyed(body, key)
    const other = await keyed({ ...body, tags: ['x'] }, key)
    expect([other.status, types(other)]).toEqual([422, ['idempotency.mismatch']])
    expect((await keyed(body, key)).json.id).toBe(first.json.id)
    const bob = await hub.person()
    expect((await keyed(body, key, bob)).json.owner.handle).toBe(bob.handle)
    expect((await keyed({ paths: ['none'] }, key, ada, `/v1/repos/${name}/files/delete`)).json).toEqual({
      deleted: [],
      missing: ['none'],
    })
  })

  it('treats two spellings of one JSON as the same body, and two numbers with the same double as different', async () => {
    const send = (key: string, path: string, text: string) =>
      hub.send(ada, 'POST', path, {
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: text,
      })
    const [key, slug] = [newName(), newName()]
    const first = await send(key, '/v1/repos', `{"kind":"model","slug":"${slug}","tags":["a\\u0062"]}`)
    const again = await send(key, '/v1/repos', ` {"tags": ["ab"],\n"slug": "${slug}", "kind": "model"}`)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.json).toEqual(first.json)
    const seeded = (seed: string) => `{"recipe":{"template":"act","hyperparams":{"seed":${seed}}}}`
    const made = await send(key, '/v1/runs', seeded('9007199254740993'))
    expect((await send(key, '/v1/runs', seeded('9007199254740993'))).json.id).toBe(made.json.id)
    expect(types(await send(key, '/v1/runs', seeded('9007199254740992')))).toEqual(['idempotency.mismatch'])
    const [one, nested] = [newName(), `${'['.repeat(60_000)}${']'.repeat(60_000)}`]
    for (const deep of [await send(one, '/v1/runs', seeded(nested)), await send(one, '/v1/runs', seeded(nested))])
      expect(deep.status).toBe(422)
  })

  it('stores errors: a repeated request gets the same 4xx', async () => {
    const [key, slug] = [newName(), newName()]
    const body = { kind: 'model', slug }
    await hub.call(ada, 'POST', '/v1/repos', body)
    const refused = await keyed(body, key)
    await hub.call(ada, 'DELETE', `/v1/repos/${ada.handle}/${slug}`)
    const again = await keyed(body, key)
    expect([refused.status, again.status, again.json]).toEqual([409, 409, refused.json])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await keyed(body, newName())).status).toBe(201)
  })

  it('signs URLs anew on a replay, for the same upload', async () => {
    const repo = await hub.repo(ada)
    const body = { files: [{ path: 'a', size: 5, sha256: sha256Of('bytes') }] }
    const path = `/v1/repos/${repo}/files/presign-upload`
    const key = newName()
    const first = await keyed(body, key, ada, path)
    // More than ten seconds: ids would else go on from the later time, since a clock may be set back a little.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    const again = await keyed(body, key, ada, path)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.json.uploads[0].upload_id).toBe(first.json.uploads[0].upload_id)
    expect(again.json.uploads[0].parts[0].url).not.toBe(first.json.uploads[0].parts[0].url)
    expect(again.json.expires_at > first.json.expires_at).toBe(true)
    const put = await hub.put(again.json.uploads[0].parts[0].url, 'bytes')
    const uploads = [
      {
        path: 'a',
        upload_id: first.json.uploads[0].upload_id,
        parts: [{ part_number: 1, etag: put.headers.get('etag') }],
      },
    ]
    const completeKey = newName()
    const done = await keyed({ uploads }, completeKey, ada, `/v1/repos/${repo}/files/complete`)
    const replayed = await keyed({ uploads }, completeKey, ada, `/v1/repos/${repo}/files/complete`)
    expect([done.status, replayed.status, replayed.json]).toEqual([200, 200, done.json])
  })

  it('must be 1 to 255 visible characters', async () => {
    expect((await keyed(fresh(), 'k'.repeat(255))).status).toBe(201)
    for (const key of ['', 'k'.repeat(256), 'a b'])
      expect([key, (await keyed(fresh(), key)).status]).toEqual([key, 422])
  })
})
