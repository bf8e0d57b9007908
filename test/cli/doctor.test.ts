/** What `hub doctor` finds wrong, each with what to do about it. */
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openSigningKeys } from '../../src/auth/signing-keys.ts'
import type { Check } from '../../src/operator/doctor-checks.ts'
import { clockCheck } from '../../src/operator/doctor-database.ts'
import { diskState } from '../../src/operator/doctor-surroundings.ts'
import { openQueue } from '../../src/store/queue.ts'
import { otherCasing } from '../support/casing.ts'
import { runHub } from '../support/command-line.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
const secret = 'a secret of more than thirty-two characters'
let dir: string
let server: Server
let url: string
let keys: unknown

beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'doctor-'))
  const signing = await openSigningKeys(database.db, secret)
  keys = { keys: await signing.jwks() }
  server = createDouble((request, response) => {
    const send = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (request.url === '/moved/.well-known/jwks.json') return send(301, {}, { location: 'https://hub.example/' })
    if (request.url === '/other/.well-known/jwks.json') return send(200, { keys: [{ kid: 'unknown' }] })
    if (request.url === '/page/.well-known/jwks.json') return send(200, '<html>')
    if (request.url === '/.well-known/jwks.json') return send(200, keys)
    if (request.url === '/.well-known/openid-configuration') return send(200, { issuer: 'https://id.example' })
    const [, s3] = /^\/s3-(\w+)\//.exec(request.url ?? '') ?? []
    if (s3 !== undefined) return answerAsS3(s3, request, response)
    return send(404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(dir, { recursive: true, force: true })
})

const refusals: Readonly<Record<string, readonly [number, string]>> = {
  denied: [403, 'AccessDenied'],
  full: [507, 'XMinioStorageFull'],
}

/** A store that refuses everything, or that returns something else than it was given. */
function answerAsS3(kind: string, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  const [status, code] = refusals[kind] ?? [200, '']
  if (code !== '') {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
  } else if (request.method === 'GET') response.writeHead(200, { 'content-length': 6 }).end('other!')
  else if (request.method === 'POST')
    response.end('<?xml version="1.0"?><DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></DeleteResult>')
  else response.writeHead(200, { etag: '"0"' }).end()
}

async function doctor(settings: Record<string, string> = {}) {
  const env = { DATABASE_URL: database.url, HUB_SECRET: secret, HUB_DATA_DIR: dir, PUBLIC_URL: url, ...settings }
  const { code, out } = await runHub(['doctor', '--json'], env)
  const report = JSON.parse(out)
  expect(otherCasing(report)).toEqual([])
  const check = (name: string) => (report.checks as Check[]).find((one) => one.name === name)
  return { code, report, check }
}

it('finds nothing wrong with a hub whose address answers with its keys', async () => {
  const { code, report, check } = await doctor()
  expect((report.checks as Check[]).filter(({ status }) => status === 'fail')).toEqual([])
  expect([code, report.ok, report.version]).toEqual([0, true, expect.stringMatching(/^\d+\.\d+\.\d+/)])
  expect(check('public url')).toMatchObject({ status: 'ok', detail: `${url} is this hub` })
  expect(check('secret')?.detail).toContain('HUB_SECRET opens')
  expect(check('database')?.detail).toMatch(/^external, PostgreSQL \d+.*, \d+ of \d+ connections, [\d.]+ ms$/)
})

it.each([
  ['another secret', { HUB_SECRET: 'b'.repeat(32) }, 'secret', 'fail', 'does not open'],
  ['an address that redirects', { PUBLIC_URL: '/moved' }, 'public url', 'fail', 'redirects to https://hub.example/'],
  ['the address of another hub', { PUBLIC_URL: '/other' }, 'public url', 'fail', 'is another hub'],
  ['the address of something else', { PUBLIC_URL: '/page' }, 'public url', 'fail', 'not as a hub'],
  [
    'an issuer that calls itself otherwise',
    { OIDC_ISSUER: '', OIDC_CLIENT_ID: 'hub' },
    'sign-in',
    'fail',
    'calls itself https://id.example',
  ],
  ['no object store', { OBJECT_STORE: 'none' }, 'object store', 'warn', 'requests for files are 503'],
])('says what to do about %s', async (_title, given, name, status, detail) => {
  const local = ['PUBLIC_URL', 'OIDC_ISSUER']
  const settings = Object.entries(given).map(([key, value]) => [key, local.includes(key) ? `${url}${value}` : value])
  const { code, check } = await doctor(Object.fromEntries(settings))
  expect(check(name)).toEqual({ name, status, detail: expect.stringContaining(detail), fix: expect.any(String) })
  expect(code).toBe(status === 'fail' ? 1 : 0)
})

it('says how an address that nobody answers at is found: one that is set, and one that is made of PORT and HOST', async () => {
  const fixOf = async (settings: Record<string, string>) => (await doctor(settings)).check('public url')
  expect(await fixOf({ PUBLIC_URL: 'http://127.0.0.1:9' })).toMatchObject({ fix: expect.stringContaining('check DNS') })
  expect(await fixOf({ PUBLIC_URL: '', PORT: '9' })).toMatchObject({
    fix: expect.stringContaining('set PORT and HOST'),
  })
})

it('warns of a data folder that other users can enter, and changes nothing', async () => {
  expect((await doctor()).check('data folder')).toMatchObject({
    status: 'ok',
    detail: `${dir} is closed to other users`,
  })
  await chmod(dir, 0o755)
  try {
    expect((await doctor()).check('data folder')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining(`can list ${dir}`),
      fix: expect.stringContaining(`chmod 0700 ${dir}`),
    })
    expect((await stat(dir)).mode & 0o777).toBe(0o755)
  } finally {
    await chmod(dir, 0o700)
  }
})

it('warns of a job that nobody takes', async () => {
  const queue = await openQueue({ url: database.url, log: pino({ level: 'silent' }) })
  try {
    await queue.declare([{ name: 'files-collect', expireSeconds: 60, retryLimit: 0 }])
    await database.db.withTx((tx) => queue.send(tx, 'files-collect', {}))
    await database.db.query({ name: '', text: `update pgboss.job set start_after = now() - interval '1 hour'` })
    expect((await doctor()).check('queue')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/^1 job waiting, 0 running.*36\d\d s$/),
    })
  } finally {
    await queue.stop()
  }
})

it.each([
  [0.4, 'ok'],
  [-5, 'ok'],
  [5.1, 'warn'],
  [-60, 'warn'],
  [60.1, 'fail'],
])('judges a clock that is %s s ahead', (ahead, status) => {
  expect(clockCheck('clock', 'the database', ahead)).toMatchObject({ status })
})

const MIB = 1024 ** 2
it.each([
  ['no room: uploads are refused', 16 * MIB - 1, 100 * MIB, 'fail'],
  ['under 2 GiB', 2048 * MIB - 1, 10_000 * MIB, 'warn'],
  ['under a twentieth', 4999 * MIB, 100_000 * MIB, 'warn'],
  ['enough', 5000 * MIB, 100_000 * MIB, 'ok'],
])('judges a disk with %s', (_title, free, whole, status) => {
  const state = diskState('/data', free, whole)
  expect(state).toMatchObject({ name: 'disk', status })
  expect('fix' in state ? state.fix : null).toEqual(status === 'ok' ? null : expect.stringContaining('make room'))
})

it('says that a store on the disk cannot be written', async () => {
  const data = join(dir, 'not-writable')
  const store = join(data, 'objects')
  await mkdir(store, { recursive: true })
  await writeFile(join(store, 'tmp'), 'a file where a folder is needed')
  const { code, check } = await doctor({ HUB_DATA_DIR: data })
  expect([code, check('object store')]).toEqual([
    1,
    {
      name: 'object store',
      status: 'fail',
      detail: expect.stringContaining(`${store} cannot be written`),
      fix: expect.any(String),
    },
  ])
})

it.each([
  ['refuses the keys', '/s3-denied', 'AccessDenied'],
  ['is full', '/s3-full', 'XMinioStorageFull'],
  ['returns other bytes', '/s3-other', 'returned other bytes than were written'],
  ['does not answer', null, '127.0.0.1:9'],
])('says that an S3 store %s, and never its secret', async (_title, path, detail) => {
  const { code, check, report } = await doctor({
    OBJECT_STORE: 's3',
    S3_ENDPOINT: path === null ? 'http://127.0.0.1:9' : `${url}${path}`,
    S3_BUCKET: 'hub',
    S3_ACCESS_KEY_ID: 'access',
    S3_SECRET_ACCESS_KEY: 'the secret of the store',
  })
  expect([code, check('object store')]).toEqual([
    1,
    { name: 'object store', status: 'fail', detail: expect.stringContaining(detail), fix: expect.any(String) },
  ])
  expect(JSON.stringify(report)).not.toContain('the secret of the store')
})
