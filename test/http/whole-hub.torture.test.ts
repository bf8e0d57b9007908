import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { statusesOf } from '../../rest-compat/engine/statuses.ts'
import { routes } from '../../rest-compat/routes.ts'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
const log = pino({ level: 'silent' })
let dataDir: string
let hub: RunningHub
/** Every status a route returned in this file, compared with the declared ones. */
const answered = new Map<string, Set<number>>()

const settings = (change: Record<string, string> = {}) =>
  readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    HUB_SECRET: 'a secret of more than thirty-two characters',
    HUB_DATA_DIR: dataDir,
    ...change,
  })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-whole-'))
  hub = await startHub(settings(), log)
})

afterAll(async () => {
  await hub?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

afterEach(() => {
  for (const [operation, statuses] of answered) {
    const route = routes.find((one) => one.operation === operation)
    if (route)
      expect([operation, [...statuses].filter((status) => !statusesOf(route).includes(status))]).toEqual([
        operation,
        [],
      ])
  }
})

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${hub.operatorToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const match = routes.find(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
  )
  if (match) answered.set(match.operation, (answered.get(match.operation) ?? new Set()).add(response.status))
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    json: text.startsWith('{') ? JSON.parse(text) : null,
    text,
  }
}

describe('a complete hub', () => {
  it('prints the operator session once', async () => {
    expect((await call('GET', '/v1/me')).json).toMatchObject({
      kind: 'session',
      account: { handle: 'hub' },
      session: true,
    })
    const second = await startHub(settings(), log)
    expect(second.operatorToken).toBeNull()
    await second.stop()
  })

  it('stores a file, shows it in both APIs, and returns every byte', async () => {
    expect((await call('POST', '/v1/repos', { kind: 'robot', slug: 'arm', tags: ['a', 'a', 'b'] })).json).toMatchObject(
      { full_name: 'hub/arm', kind: 'robot', tags: ['a', 'b'] },
    )
    const bytes = 'a robot\n'
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const presigned = await call('POST', '/v1/repos/hub/arm/files/presign-upload', {
      files: [{ path: 'a/b.txt', size: bytes.length, sha256 }],
    })
    const [target] = presigned.json.uploads
    const put = await fetch(target.parts[0].url, { method: 'PUT', body: bytes })
    const parts = [{ part_number: 1, etag: put.headers.get('etag') }]
    const done = await call('POST', '/v1/repos/hub/arm/files/complete', {
      uploads: [{ path: 'a/b.txt', upload_id: target.upload_id, parts }],
    })
    expect(done.json.files).toMatchObject([{ path: 'a/b.txt', size: bytes.length, sha256 }])
    expect((await call('GET', '/v1/repos/hub/arm/tree')).json).toMatchObject({
      items: [{ path: 'a/b.txt' }],
      next_cursor: null,
    })
    const query =
      '{ repo(owner: "hub", slug: "arm") { kind fileSummary { count } files(first: 5) { nodes { path } } } }'
    expect((await call('POST', '/graphql', { query })).json).toEqual({
      data: { repo: { kind: 'ROBOT', fileSummary: { count: 1 }, files: { nodes: [{ path: 'a/b.txt' }] } } },
    })
    expect((await call('GET', '/v1/repos/hub/arm/resolve/a/b.txt')).text).toBe(bytes)
  })

  it('rejects invalid input with a Problem whose locations use the names of /v1', async () => {
    const files = [{ path: '../x', size: -1, sha256: 'no', content_type: 7, mode: 1 }]
    const refused = await call('POST', '/v1/repos/hub/arm/files/presign-upload', { files })
    expect(refused.status).toBe(422)
    expect(refused.json.errors.map((error: { loc: unknown }) => error.loc)).toEqual(
      expect.arrayContaining([
        ['body', 'files', 0, 'content_type'],
        ['body', 'files', 0, 'mode'],
      ]),
    )
    const ruled = await call('POST', '/v1/repos/hub/arm/files/presign-upload', {
      files: [{ path: '../x', size: -1, sha256: 'no' }],
    })
    expect(ruled.status).toBe(422)
    for (const { loc } of ruled.json.errors) expect(loc.slice(0, 3)).toEqual(['body', 'files', 0])
    expect((await call('POST', '/v1/repos/hub/arm/files/presign-upload', { files: [] })).json.errors[0].loc).toEqual([
      'body',
      'files',
    ])
    expect((await call('GET', '/v1/repos?limit=0')).json.errors[0].loc).toEqual(['query', 'limit'])
    expect((await call('GET', '/v1/repos?cursor=nonsense')).json.errors[0]).toMatchObject({
      type: 'validation.cursor',
      loc: ['query', 'cursor'],
    })
    expect((await call('POST', '/v1/repos', { kind: 'robot', slug: 'arm' })).json).toMatchObject({
      status: 409,
      errors: [{ loc: ['body', 'slug'] }],
    })
  })

  it('hides a private repo from everyone else in every operation', async () => {
    const nobody = { authorization: '' }
    for (const path of ['/v1/repos/hub/arm', '/v1/repos/hub/arm/tree', '/v1/repos/hub/nothing']) {
      const response = await fetch(`${hub.url}${path}`)
      expect([path, response.status]).toEqual([path, 404])
    }
    expect((await call('DELETE', '/v1/repos/hub/arm', undefined, nobody)).status).toBe(401)
  })

  it('deletes with 204 and no body', async () => {
    const gone = await call('DELETE', '/v1/repos/hub/arm')
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await call('GET', '/v1/repos/hub/arm')).status).toBe(404)
  })
})
