import { beforeEach, describe, expect, it } from 'vitest'
import { testDb } from '../support/database.ts'
import { testServer } from './support/test-server.ts'

const database = testDb()
let server: ReturnType<typeof testServer>

beforeEach(() => {
  server = testServer({ db: database.db })
})

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ method: 'GET', url, headers })
const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  })
const uniqueName = () => `thing-${Math.random().toString(36).slice(2)}`

describe('a read', () => {
  it('returns the result under its aliases, including null members', async () => {
    const response = await get('/v1/things/x')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ id: 'x', full_name: 'test/x', made_at: null })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('has a strong ETag and supports 304', async () => {
    const { etag } = (await get('/v1/things/x')).headers
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const header of [String(etag), `"other", W/${etag}`, '*']) {
      const again = await get('/v1/things/x', { 'if-none-match': header })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await get('/v1/things/y', { 'if-none-match': String(etag) })).statusCode).toBe(200)
  })

  it('supports HEAD', async () => {
    const response = await server.app.inject({ method: 'HEAD', url: '/v1/things/x' })
    expect([response.statusCode, response.body]).toEqual([200, ''])
    expect(response.headers.etag).toMatch(/^"/)
  })

  it('of a listing has items, next_cursor and a Link', async () => {
    const first = await get('/v1/things?limit=1')
    expect(first.json()).toEqual({ items: [{ id: 'a', full_name: 'test/a', made_at: null }], next_cursor: 'next' })
    expect(first.headers.link).toBe('</v1/things?limit=1&cursor=next>; rel="next"')
    const last = await get('/v1/things?cursor=next')
    expect(last.json().next_cursor).toBeNull()
    expect(last.headers.link).toBeUndefined()
  })

  it('of a missing resource is a 404 Problem that names it', async () => {
    const response = await get('/v1/things/gone', { 'x-request-id': 'mine-1' })
    expect(response.statusCode).toBe(404)
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.json()).toMatchObject({
      type: '/problems/not_found',
      status: 404,
      detail: 'The thing gone does not exist or is not visible to you.',
      instance: '/requests/mine-1',
      request_id: 'mine-1',
    })
  })

  it('that fails reveals no internals', async () => {
    const response = await get('/v1/things/broken')
    expect(response.statusCode).toBe(500)
    expect(response.body).not.toContain('secret')
    expect(response.json().request_id).toBe(response.headers['x-request-id'])
  })
})

describe('an invalid request', () => {
  it.each([
    ['an unknown path', 'GET', '/v1/nothing', undefined, undefined, 404],
    ['another method', 'PUT', '/v1/things/x', undefined, undefined, 405],
    ['broken JSON', 'POST', '/v1/things', '{"name": ', 'application/json', 400],
    ['no UTF-8', 'POST', '/v1/things', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400],
    ['another content type', 'POST', '/v1/things', 'name=x', 'application/x-www-form-urlencoded', 415],
    ['no content type', 'POST', '/v1/things', '{}', undefined, 415],
    ['no body', 'POST', '/v1/things', undefined, undefined, 422],
    ['an unknown member', 'POST', '/v1/things', '{"name": "x", "size": 1}', 'application/json', 422],
    ['an unknown query parameter', 'GET', '/v1/things?page=1', undefined, undefined, 422],
    ['a body over its limit', 'POST', '/v1/things', `{"name": "${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413],
  ] as const)('%s is a Problem', async (_what, method, url, payload, type, status) => {
    const headers = { authorization: 'Bearer ann', ...(type ? { 'content-type': type } : {}) }
    const response = await server.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.json()).toMatchObject({ status, request_id: response.headers['x-request-id'] })
    if (status === 405) expect(response.headers.allow).toBe('GET, HEAD')
  })

  it('without a required credential is 401 with a challenge, before its body is validated', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/v1/things',
      headers: { 'content-type': 'application/json' },
      payload: '{"x":1}',
    })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(response.json().type).toBe('/problems/auth.missing')
  })

  it('with an invalid credential is 401 even if none is required', async () => {
    expect((await get('/v1/things/x', { authorization: 'Bearer bad' })).statusCode).toBe(401)
  })

  it('reports locations with the names of /v1', async () => {
    expect((await get('/v1/things?limit=101')).json()).toMatchObject({
      detail: 'query.limit: at most 100',
      errors: [{ type: 'validation.value', loc: ['query', 'limit'] }],
    })
    expect((await post('/v1/things', { name: 'x', fail: 'taken' })).json().errors).toEqual([
      { type: 'conflict.taken', detail: 'Taken.', loc: ['body', 'name'] },
    ])
  })

  it('gets a new request id if the sent one is invalid', async () => {
    const response = await get('/v1/things/x', { 'x-request-id': 'a b\u00e9'.padEnd(80, 'x') })
    expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/)
  })
})

describe('a write', () => {
  it('returns its own status and headers', async () => {
    const name = uniqueName()
    const response = await post('/v1/things', { name })
    expect([response.statusCode, response.headers.location]).toEqual([201, `/v1/things/${name}`])
    expect(response.headers.etag).toBeUndefined()
  })
})

describe('an Idempotency-Key', () => {
  const rows = () =>
    database.db.query<{ count: number }>({ name: '', text: 'select count(*)::int as count from idempotency_keys' })

  it('returns the first response to a repeat, with new signed URLs, and runs the verb once', async () => {
    const name = uniqueName()
    const first = await post('/v1/things', { name }, { 'idempotency-key': name })
    const again = await post('/v1/things', { name }, { 'idempotency-key': name })
    expect([again.statusCode, again.json().id, again.headers['idempotent-replayed']]).toEqual([201, name, 'true'])
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again.json().url).not.toBe(first.json().url)
    expect(server.counters.made).toBe(1)
  })

  it('is rejected with another body, and independent for another credential or path', async () => {
    const key = uniqueName()
    await post('/v1/things', { name: uniqueName() }, { 'idempotency-key': key })
    const other = await post('/v1/things', { name: uniqueName() }, { 'idempotency-key': key })
    expect([other.statusCode, other.json().type]).toEqual([422, '/problems/idempotency.mismatch'])
    const stranger = await post(
      '/v1/things',
      { name: uniqueName() },
      { 'idempotency-key': key, authorization: 'Bearer bob' },
    )
    expect([stranger.statusCode, stranger.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect((await post('/v1/things/check', { name: 'x' }, { 'idempotency-key': key })).statusCode).toBe(200)
  })

  it('merges concurrent duplicates into one request', async () => {
    let open: () => void = () => undefined
    server.gate.wait = new Promise((resolve) => (open = resolve))
    const name = uniqueName()
    const twins = [1, 2, 3].map(() => post('/v1/things', { name }, { 'idempotency-key': name }))
    await expect.poll(async () => (await rows())[0]?.count).toBeGreaterThan(0)
    open()
    const answers = await Promise.all(twins)
    expect(answers.map((answer) => answer.statusCode)).toEqual([201, 201, 201])
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true')).toHaveLength(2)
    expect(server.counters.made).toBe(1)
  })

  it('stores errors of the verb but not failures of the hub', async () => {
    const [kept, dropped] = [uniqueName(), uniqueName()]
    const refused = await post('/v1/things', { name: 'x', fail: 'taken' }, { 'idempotency-key': kept })
    const again = await post('/v1/things', { name: 'x', fail: 'taken' }, { 'idempotency-key': kept })
    expect([again.statusCode, again.json(), again.headers['idempotent-replayed']]).toEqual([
      409,
      refused.json(),
      'true',
    ])
    expect(server.counters.made).toBe(1)
    expect((await post('/v1/things', { name: 'x', fail: 'crash' }, { 'idempotency-key': dropped })).statusCode).toBe(
      500,
    )
    expect(
      (await post('/v1/things', { name: 'x', fail: 'crash' }, { 'idempotency-key': dropped })).headers[
        'idempotent-replayed'
      ],
    ).toBeUndefined()
    expect(server.counters.made).toBe(3)
  })

  it('reruns a read-only operation', async () => {
    const key = uniqueName()
    await post('/v1/things/check', { name: 'x' }, { 'idempotency-key': key })
    const again = await post('/v1/things/check', { name: 'x' }, { 'idempotency-key': key })
    expect([again.statusCode, again.headers['idempotent-replayed'], server.counters.checked]).toEqual([200, 'true', 2])
  })

  it('of a dead process is taken over, and the old process can no longer commit', async () => {
    let open: () => void = () => undefined
    server.gate.wait = new Promise((resolve) => (open = resolve))
    const name = uniqueName()
    const stale = post('/v1/things', { name }, { 'idempotency-key': name })
    const age = {
      name: '',
      text: "update idempotency_keys set started_at = now() - interval '61 seconds' where key = $1 returning key",
    }
    await expect.poll(async () => (await database.db.query(age, [name])).length).toBe(1)
    await expect.poll(() => server.counters.made).toBe(1)
    const takeover = testServer({ db: database.db })
    const fresh = await takeover.app.inject({
      method: 'POST',
      url: '/v1/things',
      headers: { authorization: 'Bearer ann', 'content-type': 'application/json', 'idempotency-key': name },
      payload: JSON.stringify({ name: `${name}` }),
    })
    expect(fresh.statusCode).toBe(201)
    await database.db.query({ name: '', text: 'delete from deleted_repos where repo_id = $1' }, [name])
    open()
    expect((await stale).statusCode).toBe(409)
    expect(
      await database.db.query({ name: '', text: 'select 1 from deleted_repos where repo_id = $1' }, [name]),
    ).toEqual([])
  })

  it('expires after a day', async () => {
    const name = uniqueName()
    await post('/v1/things', { name }, { 'idempotency-key': name })
    await database.db.query(
      { name: '', text: "update idempotency_keys set created_at = now() - interval '25 hours' where key = $1" },
      [name],
    )
    const later = await post('/v1/things', { name: uniqueName() }, { 'idempotency-key': name })
    expect([later.statusCode, later.headers['idempotent-replayed']]).toEqual([201, undefined])
  })

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('that is invalid (%j) is 422', async (key) => {
    const response = await post('/v1/things', { name: uniqueName() }, { 'idempotency-key': key })
    expect([response.statusCode, response.json().errors[0].loc]).toEqual([422, ['header', 'idempotency-key']])
  })
})
