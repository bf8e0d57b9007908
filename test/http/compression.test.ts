// @module-tag own-graph
import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage, type RequestOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createSchema } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codingFor } from '../../src/http/compression.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'
import { testServer } from './support/test-server.ts'

const schema = createSchema<RequestContext>({
  typeDefs: `
    type Query { text(bytes: Int!): String link: String noise: String }
    type Mutation { text(bytes: Int!): String }
    type Subscription { text: String }
  `,
  resolvers: {
    Query: {
      text: (_root: unknown, { bytes }: { bytes: number }) => 'x'.repeat(bytes),
      link: () => `https://store/?signature=${'x'.repeat(5000)}`,
      noise: () => noise,
    },
    Mutation: { text: (_root: unknown, { bytes }: { bytes: number }) => 'x'.repeat(bytes) },
    Subscription: {
      text: {
        async *subscribe() {
          yield { text: 'x'.repeat(5000) }
        },
      },
    },
  },
})
const link = schema.getQueryType()?.getFields().link
if (link) link.extensions = { isSecret: true }
/** No compressor makes much less of it. */
const noise = randomBytes(6 * 1024 * 1024).toString('base64')

let db: Db
let app: FastifyInstance
const sockets: Socket[] = []
beforeAll(async () => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  app = testServer({ db, parts: { schema } }).app
  app.server.on('connection', (socket: Socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await db.close()
})

const inquire = (query: string, headers: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ query }),
  })
const codings = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

describe('an answer of the graph', () => {
  it.each(Object.entries(codings))('is sent with %s to a client that decodes it', async (coding, decode) => {
    const answer = await inquire('{ text(bytes: 5000) }', { 'accept-encoding': coding })
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' })
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.byteLength)
    expect(answer.rawPayload.byteLength).toBeLessThan(200)
    expect(JSON.parse(String(decode(answer.rawPayload))).data.text).toHaveLength(5000)
  })

  it.each([
    ['no header', {}],
    ['only identity', { 'accept-encoding': 'identity;q=1, *;q=0' }],
    ['an unknown coding', { 'accept-encoding': 'compress' }],
  ])('is sent as it is to a client with %s, and varies by the header', async (_name, headers) => {
    const answer = await inquire('{ text(bytes: 5000) }', headers)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers.vary).toBe('Accept-Encoding')
    expect(answer.json().data.text).toHaveLength(5000)
  })

  it.each([
    ['is short', '{ text(bytes: 500) }'],
    ['has a field with a secret', '{ text(bytes: 5000) link }'],
    ['has one in a fragment', '{ text(bytes: 5000) ...Rest } fragment Rest on Query { link }'],
    ['is of a mutation', 'mutation { text(bytes: 5000) }'],
  ])('is sent as it is if it %s', async (_name, query) => {
    const answer = await inquire(query, { 'accept-encoding': 'gzip' })
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined])
  })

  it('is sent as it is if it is a stream', async () => {
    const events = { accept: 'text/event-stream', 'accept-encoding': 'gzip, br, zstd' }
    const answer = await inquire('subscription { text }', events)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toContain('event: next')
  })
})

it.each([
  ['gzip, br', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['*', 'zstd'],
  ['zstd;q=0, *', 'br'],
  ['gzip, deflate', 'gzip'],
  ['identity, gzip;q=0.5', null],
  ['gzip;q=0', null],
])('%s asks for %s', (header, coding) => {
  const asked = { headers: { 'accept-encoding': header } } as unknown as FastifyRequest
  expect(codingFor(asked, ['zstd', 'br', 'gzip'])).toBe(coding)
})

describe('a document', () => {
  const read = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: '/v1/openapi.json', headers })

  it('has a tag of its own where it was compressed, and either tag yields 304', async () => {
    const [plain, packed] = [await read(), await read({ 'accept-encoding': 'br' })]
    const [strong, coded] = [String(plain.headers.etag), String(packed.headers.etag)]
    expect(coded).toBe(strong.replace(/"$/, '-br"'))
    expect(brotliDecompressSync(packed.rawPayload)).toEqual(plain.rawPayload)
    for (const tag of [strong, coded]) {
      const again = await read({ 'accept-encoding': 'br', 'if-none-match': tag })
      expect([again.statusCode, again.body]).toEqual([304, ''])
      // Caches refresh what they have under the tag that they have.
      expect(again.headers).toMatchObject({ etag: tag, vary: 'Accept-Encoding' })
    }
  })

  it('has the same headers for HEAD', async () => {
    for (const headers of [{ 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip' }]) {
      const [got, head] = [await read(headers), await read(headers, 'HEAD')]
      expect(head.body).toBe('')
      const of = ({ headers: all }: typeof got) =>
        ['content-length', 'content-encoding', 'etag', 'vary', 'content-type'].map((name) => all[name])
      expect(of(head)).toEqual(of(got))
    }
  })
})

describe('a large answer', () => {
  const open = (headers: Record<string, string>) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { port } = app.server.address() as AddressInfo
      const options: RequestOptions = {
        port,
        host: '127.0.0.1',
        path: `/graphql?query=${encodeURIComponent('{ noise }')}`,
      }
      get({ ...options, agent: false, headers: { accept: 'application/json', ...headers } }, resolve).on(
        'error',
        reject,
      )
    })

  it('waits for a slow reader, who gets all of it', async () => {
    const answer = await open({ 'accept-encoding': 'zstd' })
    const socket = sockets.at(-1) as Socket
    // The reader takes nothing, so the hub's socket is full, and not the answer's end.
    await expect.poll(() => socket.writableNeedDrain).toBe(true)
    expect(socket.bytesWritten).toBeLessThan(Number(answer.headers['content-length']))
    const bytes = await buffer(answer)
    expect(JSON.parse(String(zstdDecompressSync(bytes))).data.noise).toBe(noise)
  })

  it('ends with a reader who leaves', async () => {
    const answer = await open({ 'accept-encoding': 'zstd' })
    const socket = sockets.at(-1) as Socket
    await expect.poll(() => socket.writableNeedDrain).toBe(true)
    answer.destroy()
    await expect.poll(() => socket.destroyed).toBe(true)
    expect((await inquire('{ text(bytes: 1) }', {})).json()).toEqual({ data: { text: 'x' } })
  })
})

describe('a read of /v1', () => {
  const hub = contractHub()
  let ada: Person

  beforeAll(async () => {
    ada = await hub.person()
    const description = 'A repo whose description is long enough. '.repeat(10)
    for (let n = 0; n < 4; n += 1)
      await hub.call(ada, 'POST', '/v1/repos', { owner: ada.handle, slug: newName(), kind: 'dataset', description })
  })

  it('is compressed, keeps what it varies by, and 304 answers its tag', async () => {
    const path = `/v1/repos?owner=${ada.handle}`
    const plain = await hub.send(ada, 'GET', path, { headers: { 'accept-encoding': 'identity' } })
    const packed = await hub.send(ada, 'GET', path, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('vary')).toBe('Authorization, Cookie, Accept-Encoding')
    expect(packed.json).toEqual(plain.json)
    const tag = packed.headers.get('etag') ?? ''
    expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, '-gzip"'))
    expect((await hub.send(ada, 'GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304)
  })
})
