import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { handlers, routes } from '../../rest-compat/routes.ts'
import { errorTable } from '../../src/platform/errors.ts'
import { contractHub, newName, type Person, places, sha256Of, types } from '../support/hub.ts'

const hub = contractHub()
const json = { 'content-type': 'application/json' }
const MIB = 1024 * 1024
let ada: Person
let name: string

beforeAll(async () => {
  ada = await hub.person()
  name = await hub.repo(ada, { visibility: 'public' })
  await hub.upload(ada, name, { a: 'a' })
})

const padded = (body: unknown, bytes: number) => JSON.stringify(body).padEnd(bytes, ' ')
const fresh = () => ({ kind: 'model', slug: newName() })

describe('an error', () => {
  it('is application/problem+json with type, title, status, detail, instance, request_id and errors', async () => {
    const refused = await hub.call(ada, 'GET', '/v1/repos/no/thing')
    const id = refused.headers.get('x-request-id')
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(refused.json).toEqual({
      type: '/problems/not_found',
      title: expect.any(String),
      status: 404,
      detail: expect.any(String),
      instance: `/requests/${id}`,
      request_id: id,
      errors: [{ type: 'not_found', detail: expect.any(String) }],
    })
  })

  it('has a page for each type, served by the hub', async () => {
    for (const type of Object.keys(errorTable)) {
      const page = await hub.send(null, 'GET', `/problems/${type}`)
      expect([type, page.status]).toEqual([type, 200])
      expect(page.text).toContain(type)
    }
    expect((await hub.send(null, 'GET', '/problems/nothing')).status).toBe(404)
  })

  it('is 404 for an unknown path under /v1, with or without a credential', async () => {
    for (const who of [ada, null])
      for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1/repos/a', '/v1/repos/', `/v1/repos/${name}/`, '/v2/repos'])
        expect([path, (await hub.call(who, 'GET', path)).status]).toEqual([path, 404])
  })

  it('is 405 with Allow for another method of a known path', async () => {
    const methodsOf = new Map<string, string[]>()
    for (const { path, method } of [...routes, ...handlers])
      methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
    for (const [path, methods] of methodsOf) {
      const url = path.replace(':owner/:repo', name).replace(':upload_id', 'x').replace('*', 'a')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
        const refused = await hub.send(ada, method, url)
        expect([method, path, refused.status]).toEqual([method, path, 405])
        const allowed = refused.headers
          .get('allow')
          ?.split(', ')
          .filter((one) => one !== 'HEAD')
          .sort()
        expect(allowed).toEqual([...methods].sort())
        expect(types(refused)).toEqual(['method.not_allowed'])
      }
    }
    // fetch sends no TRACE.
    const trace = request(new URL('/v1/repos', hub.running.url), { method: 'TRACE' }).end()
    const [refused] = (await once(trace, 'response')) as [IncomingMessage]
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, POST, HEAD'])
    refused.resume()
  })

  it('is 400 for a body that is not JSON', async () => {
    for (const body of ['{', '{"kind": "model",}', 'kind=model', '{"a":1}{"b":2}', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const refused = await hub.send(ada, 'POST', '/v1/repos', { headers: json, body })
      expect([String(body), refused.status]).toEqual([String(body), 400])
      expect(types(refused)).toEqual(['validation.json'])
    }
  })

  it('is 422 for JSON that is not an object, and for a missing body', async () => {
    for (const body of ['[]', '"text"', '7', 'true'])
      expect([body, (await hub.send(ada, 'POST', '/v1/repos', { headers: json, body })).status]).toEqual([body, 422])
    const empty = await hub.call(ada, 'POST', '/v1/repos')
    expect([empty.status, places(empty)]).toEqual([
      422,
      [
        ['body', 'kind'],
        ['body', 'slug'],
      ],
    ])
  })

  it('is 415 for another content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
      'nonsense',
    ]) {
      const refused = await hub.send(ada, 'POST', '/v1/repos', {
        headers: { 'content-type': type },
        body: JSON.stringify(fresh()),
      })
      expect([type, refused.status, types(refused)]).toEqual([type, 415, ['validation.content_type']])
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json']) {
      const taken = await hub.send(ada, 'POST', '/v1/repos', {
        headers: { 'content-type': type },
        body: JSON.stringify(fresh()),
      })
      expect([type, taken.status]).toEqual([type, 201])
    }
  })

  it('is 413 for a body over its limit: 1 MiB, and 8 MiB of presign and complete', async () => {
    const edge = await hub.send(ada, 'POST', '/v1/repos', { headers: json, body: padded(fresh(), MIB) })
    expect(edge.status).toBe(201)
    const over = await hub.send(ada, 'POST', '/v1/repos', { headers: json, body: padded(fresh(), MIB + 1) })
    expect([over.status, types(over)]).toEqual([413, ['too_large']])
    const file = { path: 'b', size: 1, sha256: sha256Of('b') }
    const presign = (bytes: number) =>
      hub.send(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, {
        headers: json,
        body: padded({ files: [file] }, bytes),
      })
    expect((await presign(8 * MIB)).status).toBe(200)
    expect((await presign(8 * MIB + 1)).status).toBe(413)
    const upload = { path: 'b', upload_id: 'x', parts: [{ part_number: 1, etag: 'x' }] }
    const complete = (bytes: number) =>
      hub.send(ada, 'POST', `/v1/repos/${name}/files/complete`, {
        headers: json,
        body: padded({ uploads: [upload] }, bytes),
      })
    expect((await complete(8 * MIB)).status).toBe(404)
    expect((await complete(8 * MIB + 1)).status).toBe(413)
    // A report of an endpoint has no 413 for a text: what is too long is named.
    const endpoint = '/v1/endpoints/ep_01m8n6em1gf2392nbtv046xbg6/report'
    const report = await hub.call(ada, 'POST', endpoint, { log_chunk: 'x'.repeat(2 * MIB) })
    expect([report.status, places(report)]).toEqual([422, [['body', 'log_chunk']]])
    for (const path of ['/v1/repos', `/v1/repos/${name}/files/presign-upload`, '/graphql']) {
      const large = await hub.send(ada, 'POST', path, { headers: json, body: padded({}, 20 * MIB) })
      expect([path, large.status]).toEqual([path, 413])
    }
  })

  it('names unknown members at any depth', async () => {
    const body = '{"files":[{"path":"b","size":1,"sha256":"x","__proto__":{"a":1},"Path":"c"}],"constructor":1}'
    const refused = await hub.send(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, { headers: json, body })
    const unknown = refused.json.errors.filter((error: { type: string }) => error.type === 'validation.unknown_member')
    expect([refused.status, unknown.map((error: { loc: unknown }) => error.loc)]).toEqual([
      422,
      expect.arrayContaining([
        ['body', 'files', 0, '__proto__'],
        ['body', 'files', 0, 'Path'],
        ['body', 'constructor'],
      ]),
    ])
    const bodied = await hub.call(ada, 'DELETE', `/v1/repos/${name}`, { force: true })
    expect([bodied.status, places(bodied)]).toEqual([422, [['body', 'force']]])
  })

  it('of an invalid URL is a Problem too', async () => {
    for (const path of ['/v1/repos/%zz/a', '/v1/repos/%00/a', `/v1/repos/${'a'.repeat(2000)}/a`]) {
      const refused = await hub.send(ada, 'GET', path)
      expect([path, refused.status]).toEqual([path, expect.toBeOneOf([400, 404, 422])])
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    }
  })
})

describe('every response', () => {
  it('carries X-Request-Id: the client’s if it is valid, else a new one', async () => {
    const own = await hub.send(ada, 'GET', '/v1/me', { headers: { 'x-request-id': 'my-request.1' } })
    expect(own.headers.get('x-request-id')).toBe('my-request.1')
    const seen = new Set<string | null>()
    for (const path of [
      '/v1/me',
      '/v1/repos',
      '/v1/nothing',
      '/healthz',
      '/readyz',
      '/metrics',
      '/graphql',
      '/docs',
      '/v1/openapi.json',
      '/',
    ]) {
      const answer = await hub.send(null, 'GET', path, { headers: { 'x-request-id': 'no good' } })
      expect([path, answer.headers.get('x-request-id')]).toEqual([path, expect.stringMatching(/^req_/)])
      seen.add(answer.headers.get('x-request-id'))
    }
    expect(seen.size).toBe(10)
  })

  it('of a GET has an ETag, and is 304 without a body if If-None-Match has it', async () => {
    for (const path of [`/v1/repos/${name}`, '/v1/repos?limit=1', `/v1/repos/${name}/tree`, '/v1/me']) {
      const first = await hub.call(ada, 'GET', path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const same = await hub.call(ada, 'GET', path, undefined, { 'if-none-match': sent })
        expect([path, sent, same.status, same.text, same.headers.get('etag')]).toEqual([path, sent, 304, '', etag])
      }
      expect((await hub.call(ada, 'GET', path, undefined, { 'if-none-match': '"other"' })).status).toBe(200)
      const head = await hub.send(ada, 'HEAD', path)
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)))
    }
    const before = await hub.call(ada, 'GET', `/v1/repos/${name}`)
    await hub.call(ada, 'PATCH', `/v1/repos/${name}`, { description: newName() })
    const after = await hub.call(ada, 'GET', `/v1/repos/${name}`, undefined, {
      'if-none-match': before.headers.get('etag') ?? '',
    })
    expect(after.status).toBe(200)
    expect((await hub.send(null, 'HEAD', '/v1/repos/no/thing')).status).toBe(404)
  })

  it('of a page with a next one has Link: rel="next", which keeps the query', async () => {
    await hub.repo(ada)
    const page = await hub.call(ada, 'GET', `/v1/repos?limit=1&owner=${ada.handle}&tag=&q=`.replace('&tag=', ''))
    const link = page.headers.get('link') ?? ''
    expect(link).toMatch(/^<[^>]+>; rel="next"$/)
    const next = await hub.call(ada, 'GET', link.slice(1, link.indexOf('>')))
    expect([next.status, next.json.items.length]).toEqual([200, 1])
    expect(next.json.items[0].id).not.toBe(page.json.items[0].id)
  })

  it('of a page keeps a query with any character in it', async () => {
    const eve = await hub.person()
    for (let at = 0; at < 2; at += 1) await hub.repo(eve, { description: 'why? a&b=c + 100%', tags: ['a', 'b'] })
    for (const q of ['q=why?', 'q=why%3F', 'q=a%26b%3Dc%20%2B', 'q=100%25', 'q=why?&tag=a&tag=b']) {
      const page = await hub.call(eve, 'GET', `/v1/repos?${q}&limit=1`)
      const link = page.headers.get('link') ?? ''
      const next = await hub.call(eve, 'GET', link.slice(1, link.indexOf('>')))
      expect([q, next.status, next.json.items?.length]).toEqual([q, 200, 1])
      expect(next.json.next_cursor).toBeNull()
    }
  })

  it('of a failing hub is 500 with a request id and no internal details', async () => {
    await hub.sql('alter table repos rename to hidden_repos')
    try {
      const failed = await hub.call(ada, 'GET', `/v1/repos/${name}`)
      expect([failed.status, types(failed)]).toEqual([500, ['internal']])
      expect(failed.text).toContain(failed.headers.get('x-request-id'))
      expect(failed.text).not.toMatch(/relation|select|repos|sql|at /i)
      const graph = await hub.graphql(ada, '{ repos { nodes { id } } }')
      expect(graph.errors[0].extensions).toMatchObject({ code: 'INTERNAL', status: 500 })
      expect(JSON.stringify(graph)).not.toMatch(/relation|select|stack/i)
    } finally {
      await hub.sql('alter table hidden_repos rename to repos')
    }
  })
})

describe('a request', () => {
  it('may spell the scheme Bearer in any case', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const answer = await hub.send(null, 'GET', '/v1/me', { headers: { authorization: `${scheme} ${ada.token}` } })
      expect([scheme, answer.status]).toEqual([scheme, 200])
    }
  })

  it('without a body may still declare application/json', async () => {
    const repo = await hub.repo(ada)
    expect((await hub.send(ada, 'GET', `/v1/repos/${repo}`, { headers: json })).status).toBe(200)
    expect((await hub.send(ada, 'DELETE', `/v1/repos/${repo}`, { headers: json })).status).toBe(204)
    expect((await hub.send(ada, 'POST', '/v1/repos', { headers: json })).status).toBe(422)
  })
})

describe('besides the operations', () => {
  it('serves health, readiness, metrics, the graph’s page, OpenAPI 3.1 and its page, without naming another host', async () => {
    expect((await hub.send(null, 'GET', '/healthz')).status).toBe(200)
    expect((await hub.send(null, 'GET', '/readyz')).status).toBe(200)
    expect((await hub.send(null, 'GET', '/metrics')).text).toContain('# TYPE ')
    const openapi = (await hub.send(null, 'GET', '/v1/openapi.json')).json
    expect(openapi.openapi).toMatch(/^3\.1\./)
    for (const { path, method } of routes)
      expect(openapi.paths[path.replace(/:(\w+)/g, '{$1}')]).toHaveProperty(method.toLowerCase())
    const pages = ['/docs', '/']
    for (const path of pages) {
      const page = await hub.send(null, 'GET', path, { headers: { accept: 'text/html' } })
      expect([path, page.status, page.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringContaining('text/html'),
      ])
      expect(page.text.match(/(?:src|href)="https?:/g)).toBeNull()
    }
    const graphiql = await hub.send(null, 'GET', '/graphql', { headers: { accept: 'text/html' } })
    expect([graphiql.status, graphiql.text.match(/<(?:script|link)[^>]+(?:src|href)="https?:/g)]).toEqual([200, null])
  })

  it('serves the schema of the graph to anyone, as committed, and 304 to who has it', async () => {
    const first = await hub.send(null, 'GET', '/schema.graphql')
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const committed = await readFile(new URL('../../schema/schema.graphql', import.meta.url), 'utf8')
    expect(committed.endsWith(`\n\n${first.text}`)).toBe(true)
    const etag = first.headers.get('etag') ?? ''
    const same = await hub.send(null, 'GET', '/schema.graphql', { headers: { 'if-none-match': etag } })
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag])
  })

  it('serves GraphQL over GET as over POST, except mutations', async () => {
    const query = encodeURIComponent('{ viewer { account { handle } } }')
    expect((await hub.send(ada, 'GET', `/graphql?query=${query}`)).json).toEqual({
      data: { viewer: { account: { handle: ada.handle } } },
    })
    const mutation = encodeURIComponent(
      `mutation { createRepo(input: { kind: MODEL, slug: "${newName()}" }) { repo { id } } }`,
    )
    expect((await hub.send(ada, 'GET', `/graphql?query=${mutation}`)).status).toBe(405)
  })

  it('includes the root fields in the committed GraphQL schema', async () => {
    const text = await readFile('schema/schema.graphql', 'utf8')
    for (const field of ['viewer', 'repo', 'repos', 'node', 'nodes', 'auditLog'])
      expect(text).toMatch(new RegExp(`\\n  ${field}\\(?[:(\\n]`))
    for (const verb of [
      'createRepo',
      'updateRepo',
      'deleteRepo',
      'presignUpload',
      'linkFiles',
      'completeUpload',
      'presignDownload',
      'deleteFiles',
      'abortUpload',
      'createOrg',
      'addOrgMember',
      'removeOrgMember',
      'createApiKey',
      'revokeApiKey',
    ])
      expect(text).toMatch(new RegExp(`\\n  ${verb}\\(\\n(?:    """[^\\n]*"""\\n)?    input: `))
  })
})
