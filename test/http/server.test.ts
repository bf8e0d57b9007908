// @module-tag own-graph
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

/** An unreachable database: these tests need no rows, and some need it to be down. */
const nowhere = 'postgres://nobody@127.0.0.1:9/none'
let db: Db = openDb({ url: nowhere, poolMax: 2 })
const running: ReturnType<typeof testServer>[] = []

function start(options: Partial<Parameters<typeof testServer>[0]> = {}) {
  const server = testServer({ db, ...options })
  running.push(server)
  return server
}

afterEach(async () => {
  for (const { app } of running.splice(0)) await app.close()
  await db.close()
  db = openDb({ url: nowhere, poolMax: 2 })
})

const ask = (
  server: ReturnType<typeof testServer>,
  query: string,
  variables?: object,
  headers: Record<string, string> = {},
) =>
  server.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ query, variables }),
  })

describe('/graphql', () => {
  it('answers queries by POST and by GET', async () => {
    const server = start()
    expect((await ask(server, '{ thing(name: "x") { fullName } }')).json()).toEqual({
      data: { thing: { fullName: 'test/x' } },
    })
    const got = await server.app.inject({
      method: 'GET',
      url: `/graphql?query=${encodeURIComponent('{ thing(name: "y") { id } }')}`,
    })
    expect(got.json()).toEqual({ data: { thing: { id: 'y' } } })
    // It is the caller's alone, and without this a cache might keep what it got for a cookie.
    expect(got.headers['cache-control']).toBe('private, no-store')
  })

  it('passes the caller to resolvers', async () => {
    const server = start()
    expect((await ask(server, '{ who }')).json()).toEqual({ data: { who: 'anonymous' } })
    expect((await ask(server, '{ who }', {}, { authorization: 'Bearer ann' })).json()).toEqual({
      data: { who: 'key_ann' },
    })
  })

  it('names the GET parameter that is not JSON', async () => {
    for (const name of ['variables', 'extensions']) {
      const url = `/graphql?query=${encodeURIComponent('{ who }')}&${name}=%7Bx`
      const response = await start().app.inject({ method: 'GET', url, headers: { accept: 'application/json' } })
      expect([response.statusCode, response.json().errors[0].extensions.problem.type]).toEqual([
        400,
        '/problems/validation.json',
      ])
    }
  })

  it('streams a subscription to clients that accept events', async () => {
    const response = await start().app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      payload: JSON.stringify({ query: 'subscription { ticks(count: 3) }' }),
    })
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    expect([...response.body.matchAll(/"ticks":(\d)/g)].map((match) => match[1])).toEqual(['0', '1', '2'])
  })

  it('rejects mutations by GET and form posts', async () => {
    const server = start()
    const mutation = 'mutation { checkThing(input: { name: "x" }) { id } }'
    const got = await server.app.inject({ method: 'GET', url: `/graphql?query=${encodeURIComponent(mutation)}` })
    expect(got.statusCode).toBe(405)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const form = await server.app.inject({
        method: 'POST',
        url: '/graphql',
        headers: { 'content-type': type },
        payload: `query=${mutation}`,
      })
      expect(form.statusCode).toBe(415)
    }
    expect(server.counters.checked).toBe(0)
  })

  it('has the facts of a Problem under extensions, and no internals', async () => {
    const server = start()
    const refused = await ask(server, 'query q { things(first: 101) { nodes { id } } }', {}, { 'x-request-id': 'r-1' })
    expect(refused.json().errors[0]).toMatchObject({
      message: 'first: at most 100',
      path: ['things'],
      extensions: {
        code: 'UNPROCESSABLE',
        status: 422,
        problem: { type: '/problems/validation.failed', request_id: 'r-1', errors: [{ loc: ['first'] }] },
      },
    })
    const failed = await ask(server, '{ thing(name: "broken") { id } }', {}, { 'x-request-id': 'r-2' })
    expect(failed.body).not.toContain('secret')
    expect(failed.json().errors[0].extensions).toMatchObject({
      code: 'INTERNAL',
      status: 500,
      problem: { request_id: 'r-2' },
    })
    for (const query of ['{ nope }', '{', 'query ($a: Int!) { things(first: $a) { nodes { id } } }']) {
      expect((await ask(server, query)).json().errors[0].extensions).toMatchObject({
        status: 400,
        problem: { status: 400 },
      })
    }
  })

  it('is 401 with a GraphQL body for an invalid credential', async () => {
    const response = await ask(start(), '{ __typename }', {}, { authorization: 'Bearer bad' })
    expect([
      response.statusCode,
      response.headers['www-authenticate'],
      response.json().errors[0].extensions.code,
    ]).toEqual([401, 'Bearer', 'UNAUTHENTICATED'])
  })

  it('rejects operations that are too deep, too wide, too long or batched', async () => {
    const server = start()
    const deep = `{ ${'nested { '.repeat(20)} name ${'}'.repeat(20)} }`
    const wide = '{ nested { things(first: 100) { nodes { id } } } a: things(first: 100) { nodes { id } } }'
    const huge = (first: string, head = '') => `query ${head} { things(first: ${first}) { nodes { id } } }`
    expect((await ask(server, deep)).json().errors[0].message).toContain('levels deep')
    expect((await ask(server, wide)).json().errors).toBeUndefined()
    expect((await ask(server, huge('20000'))).json().errors[0].message).toContain('objects')
    expect((await ask(server, huge('$n', '($n: Int = 1)'), { n: 20000 })).json().errors[0].message).toContain('objects')
    expect((await ask(server, `{ ${'__typename '.repeat(6000)} }`)).json().errors[0].message).toMatch(/token/i)
    const batch = await server.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json' },
      payload: '[{"query":"{__typename}"}]',
    })
    expect(batch.statusCode).toBe(400)
  })

  it('supports introspection', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    expect((await ask(start(), getIntrospectionQuery())).json().errors).toBeUndefined()
  })

  it('serves a self-contained GraphiQL to browsers, with a policy that lists its scripts', async () => {
    const response = await start().app.inject({ method: 'GET', url: '/graphql', headers: { accept: 'text/html,*/*' } })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-security-policy']).toMatch(/script-src (?:'sha256-[\w+/=]+' ?){2};/)
    expect(response.body).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
  })
})

describe('/graphql/stream', () => {
  const subscription = JSON.stringify({ query: 'subscription { ticks(count: 3) }' })

  it.each([
    ['text/event-stream', { accept: 'text/event-stream' }],
    ['any media type, as curl does', { accept: '*/*' }],
    ['nothing in particular', {}],
  ])('streams a subscription in distinct connection mode to a client that asks for %s', async (_what, accept) => {
    const server = start()
    const response = await server.app.inject({
      method: 'POST',
      url: '/graphql/stream',
      headers: { 'content-type': 'application/json', ...accept },
      payload: subscription,
    })
    expect(response.headers['content-type']).toContain('text/event-stream')
    expect(response.headers['x-accel-buffering']).toBe('no')
    expect([...response.body.matchAll(/"ticks":(\d)/g)].map((match) => match[1])).toEqual(['0', '1', '2'])
    expect(response.body).toContain('event: complete')
  })

  it('supports single connection mode', async () => {
    const server = start()
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(server.app.server.address() as { port: number }).port}/graphql/stream`
    const token = await (await fetch(url, { method: 'PUT' })).text()
    const headers = { 'x-graphql-event-stream-token': token, 'content-type': 'application/json' }
    const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })
    const operation = JSON.stringify({ query: 'subscription { ticks(count: 2) }', extensions: { operationId: 'one' } })
    expect((await fetch(url, { method: 'POST', headers, body: operation })).status).toBe(202)
    let text = ''
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('event: complete')) break
    }
    expect(text).toContain('"id":"one"')
  })

  it('adds operations of the stream’s own caller alone: a link with the token of another sends nobody’s answers there', async () => {
    const server = start()
    const inject = (method: 'PUT' | 'GET' | 'DELETE', headers: Record<string, string>, query = '') =>
      server.app.inject({ method, url: `/graphql/stream${query}`, headers })
    for (const [mine, other] of [
      [{ authorization: 'Bearer mallory' }, { authorization: 'Bearer ann' }],
      [{}, { authorization: 'Bearer ann' }],
    ] as Record<string, string>[][]) {
      const token = (await inject('PUT', mine ?? {})).body
      const link = `?token=${token}&query={who}&extensions={"operationId":"one"}`
      const navigation = { accept: 'text/html,*/*;q=0.8', ...other }
      expect((await inject('GET', navigation, encodeURI(link))).statusCode).toBe(404)
      expect((await inject('DELETE', other ?? {}, `?token=${token}&operationId=one`)).statusCode).toBe(404)
      expect((await inject('GET', { accept: 'text/html', ...mine }, encodeURI(link))).statusCode).toBe(202)
    }
  })

  it('ends its streams with a retry hint at shutdown', async () => {
    const server = start()
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(server.app.server.address() as { port: number }).port}/graphql/stream`
    const token = await (await fetch(url, { method: 'PUT' })).text()
    const stream = await fetch(url, { headers: { 'x-graphql-event-stream-token': token, accept: 'text/event-stream' } })
    const rest = stream.text()
    await server.app.close()
    expect(await rest).toContain('retry: 2000')
  })
})

describe('operation', () => {
  it('distinguishes liveness from readiness, and names what does not respond', async () => {
    const server = start()
    expect((await server.app.inject('/healthz')).statusCode).toBe(200)
    const ready = await server.app.inject('/readyz')
    expect([ready.statusCode, ready.json()]).toEqual([
      503,
      { status: 'unavailable', database: 'no answer', object_store: 'not configured' },
    ])
  })

  it('answers 503 while the database is down', async () => {
    const response = await start().app.inject({
      method: 'POST',
      url: '/v1/things',
      headers: { authorization: 'Bearer ann', 'content-type': 'application/json', 'idempotency-key': 'k' },
      payload: '{"name": "x"}',
    })
    expect([response.statusCode, response.json().type]).toEqual([503, '/problems/unavailable'])
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('labels request metrics by route, never by URL', async () => {
    const server = start()
    await server.app.inject('/v1/things/very-private-name')
    const metrics = await server.app.inject('/metrics')
    expect(metrics.body).toContain(
      'http_request_duration_seconds_count{method="GET",route="/v1/things/:name",status="200"} 1',
    )
    expect(metrics.body).toContain('hub_database_pool_connections{state="waiting"} 0')
    expect(metrics.body).not.toContain('very-private-name')
  })

  it('logs one line per request, with its id and without secrets or query strings', async () => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const server = start({ log })
    await server.app.inject({
      url: '/v1/things?cursor=hidden',
      headers: { authorization: 'Bearer ann', 'x-request-id': 'r-9', cookie: 'hub_session=hidden' },
    })
    const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.msg === 'request')
    expect(line).toMatchObject({
      request_id: 'r-9',
      method: 'GET',
      path: '/v1/things',
      route: '/v1/things',
      status: 200,
      credential: 'key_ann',
    })
    expect(lines.join()).not.toMatch(/hidden|Bearer/)
  })

  it('limits requests per minute for a credential, and to a fifth for an anonymous address', async () => {
    const server = start({ env: { RATE_LIMIT_PER_MINUTE: '10' } })
    const statuses = async (times: number, headers: Record<string, string>) => {
      const answers = []
      for (let time = 0; time < times; time += 1)
        answers.push(await server.app.inject({ url: '/v1/things/x', headers }))
      return answers
    }
    const anonymous = await statuses(3, {})
    expect(anonymous.map((answer) => answer.statusCode)).toEqual([200, 200, 429])
    expect(anonymous[0]?.headers).toMatchObject({
      'ratelimit-policy': '"address";q=2;w=60, "address-cost";q=2000;w=60',
      ratelimit: '"address";r=1;t=60, "address-cost";r=1999;t=60',
    })
    expect(Number(anonymous[2]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(anonymous[2]?.json().type).toBe('/problems/rate.limited')
    const known = await statuses(11, { authorization: 'Bearer ann' })
    expect(known.map((answer) => answer.statusCode).slice(-2)).toEqual([200, 429])
    expect((await statuses(1, { authorization: 'Bearer bad' }))[0]?.statusCode).toBe(429)
    expect((await server.app.inject('/healthz')).headers.ratelimit).toBeUndefined()
  })

  it('allows only the configured origins', async () => {
    const preflight = {
      method: 'OPTIONS',
      url: '/v1/things',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    } as const
    expect((await start().app.inject(preflight)).headers['access-control-allow-origin']).toBeUndefined()
    const server = start({ env: { CORS_ORIGINS: 'https://app.example' } })
    const allowed = await server.app.inject(preflight)
    expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example'])
    const stranger = await server.app.inject({
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://evil.example' },
    })
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('finishes active requests at shutdown and accepts no new ones', async () => {
    const server = start()
    let open: () => void = () => undefined
    server.gate.wait = new Promise((resolve) => (open = resolve))
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    const headers = { authorization: 'Bearer ann', 'content-type': 'application/json' }
    const slow = fetch(`${url}/v1/things`, { method: 'POST', headers, body: '{"name":"x","fail":"taken"}' })
    await expect.poll(() => server.counters.made).toBe(1)
    const closed = server.app.close()
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          (answer) => answer.status,
          () => 'refused',
        ),
      )
      .not.toBe(200)
    open()
    expect((await slow).status).toBe(409)
    await closed
  })
})

describe('HTML pages', () => {
  it.each(['/', '/docs', '/problems', '/problems/conflict.taken'])(
    '%s is HTML that loads nothing from other origins',
    async (url) => {
      const response = await start().app.inject(url)
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(response.headers['content-security-policy']).toContain("default-src 'none'")
      expect(response.body).not.toMatch(/(?:src|href)="https?:/)
    },
  )

  it('include the assets of the API page and its document', async () => {
    const server = start()
    for (const url of ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js'])
      expect((await server.app.inject(url)).statusCode).toBe(200)
    const document = (await server.app.inject('/v1/openapi.json')).json()
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toContain('/v1/things/{name}')
  })

  it('are Problems for unknown paths, including unparsable URLs', async () => {
    const server = start()
    for (const [url, status] of [
      ['/nothing', 404],
      ['/v1/things/%zz', 400],
    ] as const) {
      const response = await server.app.inject(url)
      expect([response.statusCode, response.headers['content-type']]).toEqual([
        status,
        'application/problem+json; charset=utf-8',
      ])
    }
  })
})
