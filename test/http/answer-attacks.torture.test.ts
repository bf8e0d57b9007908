// @module-tag own-graph
/** Attacks on the hub's memory through large responses, measured in bytes resolved and bytes sent. */

import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { OpenStreams } from '../../src/http/open-streams.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { contractHub } from '../support/hub.ts'
import { testServer } from './support/test-server.ts'

const MIB = 1024 * 1024
const LIMIT_BYTES = 32 * MIB
const TEXT_BYTES = 250_000
const text = 'x'.repeat(TEXT_BYTES)
/** An error response is small, whatever the query. */
const REFUSAL_BYTES = 10_000

/** How often each field was resolved. */
const asked = { text: 0, document: 0, items: 0, failing: 0 }
const schema = createSchema<RequestContext>({
  typeDefs: `
    scalar JSON
    type Item { text: String document: JSON items(first: Int): [Item!]! failing: String }
    type Query { item: Item }
    type Subscription { items(count: Int!): Item }
  `,
  resolvers: {
    Item: {
      text: () => {
        asked.text += 1
        return Promise.resolve(text)
      },
      document: () => {
        asked.document += 1
        return { nested: [{ text }] }
      },
      items: (_item: unknown, { first }: { first: number }) => {
        asked.items += 1
        return Array.from({ length: first }, () => ({}))
      },
      failing: () => {
        asked.failing += 1
        throw new Error('no')
      },
    },
    Query: { item: () => ({}) },
    Subscription: {
      items: {
        async *subscribe(_root: unknown, { count }: { count: number }) {
          for (let n = 0; n < count; n += 1) yield { items: {} }
        },
      },
    },
  },
})

/** No database is needed. */
let db: Db
beforeAll(() => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
})
afterAll(() => db.close())
const running: ReturnType<typeof testServer>[] = []
afterEach(async () => {
  for (const { app } of running.splice(0)) await app.close()
  for (const name of Object.keys(asked) as (keyof typeof asked)[]) asked[name] = 0
})

function start(parts: Parameters<typeof testServer>[0]['parts'] = {}) {
  const server = testServer({ db, parts: { schema, ...parts }, log: pino({ level: 'silent' }) })
  running.push(server)
  return server.app
}

const ask = (app: ReturnType<typeof start>, query: string, url = '/graphql', headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ query, extensions: { operationId: 'one' } }),
  })

const aliases = (count: number, field: string, name = 'a') =>
  Array.from({ length: count }, (_, n) => `${name}${n}: ${field}`).join(' ')

/** A small response as text; a large one as its size. */
const shown = (answer: string): unknown => (answer.length < REFUSAL_BYTES ? JSON.parse(answer) : answer.length)

const sse = { accept: 'text/event-stream' }
const refusalOver = (mib: number) =>
  expect.objectContaining({
    message: `The operation needs a response of over ${mib} MiB, and was ended; request fewer fields or smaller pages.`,
    extensions: expect.objectContaining({ code: 'LIMIT_EXCEEDED', status: 422 }),
  })
const refusal = refusalOver(32)

describe('a response over 32 MiB', () => {
  it.each(['text', 'document'] as const)('with 2,400 times a long %s stops at the limit', async (field) => {
    const answer = await ask(start(), `{ item { items(first: 10) { ${aliases(240, field)} } } }`)
    expect(shown(answer.payload)).toEqual({ data: null, errors: [refusal] })
    // Fields of one selection may start before the first has its value.
    if (field === 'document') expect(asked.document).toBeLessThan((2 * LIMIT_BYTES) / TEXT_BYTES)
  })

  it('of nested lists is rejected before they are resolved', async () => {
    const names = aliases(100, '__typename', 'n'.repeat(500))
    const answer = await ask(start(), `{ item { items(first: 100) { items(first: 99) { ${names} } } } }`)
    expect(shown(answer.payload)).toEqual({ data: null, errors: [refusal] })
    // A hundred lists of 5 MB each.
    expect(asked.items).toBeLessThan(20)
  })

  it('of long aliases is rejected', async () => {
    const name = 'n'.repeat(400)
    const answer = await ask(start(), `{ item { items(first: 10000) { ${aliases(20, '__typename', name)} } } }`)
    expect(shown(answer.payload)).toEqual({ data: null, errors: [refusal] })
  })

  it('of errors only is rejected, and creates no further errors', async () => {
    const answer = await ask(start(), `{ item { items(first: 1900) { ${aliases(100, 'failing')} } } }`)
    expect(shown(answer.payload)).toEqual({ data: null, errors: [refusal] })
    expect(asked.failing).toBeLessThan((2 * LIMIT_BYTES) / 8192)
  })

  it('of introspection is rejected', async () => {
    const many = Array.from({ length: 600 }, (_, n) => `"${text.slice(0, 2500)}" type T${n} { id: ID }`).join('\n')
    const app = start({ schema: createSchema({ typeDefs: `type Query { a: Int } ${many}` }) })
    const answer = await ask(app, `{ __schema { ${aliases(30, 'types { description name kind }')} } }`)
    expect(shown(answer.payload)).toEqual({ data: null, errors: [refusal] })
  })

  it('ends a subscription, whose events have half of that', async () => {
    const query = `subscription { items(count: 2) { ${aliases(240, 'document')} } }`
    for (const url of ['/graphql', '/graphql/stream']) {
      const answer = await ask(start(), query, url, sse)
      const results = [...answer.payload.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => JSON.parse(json))
      expect(results).toEqual([{ data: null, errors: [refusalOver(16)] }])
    }
  })

  it('is rejected, but one just below the limit arrives complete', async () => {
    const count = Math.floor(LIMIT_BYTES / (TEXT_BYTES + 20))
    const answer = await ask(start(), `{ item { ${aliases(count, 'text')} } }`)
    expect(answer.payload.length).toBeGreaterThan(count * TEXT_BYTES)
    expect(Object.keys(answer.json().data.item)).toHaveLength(count)
  })
})

describe('streams', () => {
  const open = (app: ReturnType<typeof start>, headers: Record<string, string> = {}) =>
    app.inject({ method: 'PUT', url: '/graphql/stream', headers })
  const later = { 'content-type': 'application/json' }

  it('are limited to 100 per anonymous address and 1,000 per credential; 429 names the limit', async () => {
    const app = start()
    const fill = async (count: number, headers: Record<string, string> = {}) => {
      for (let n = 0; n < count; n += 1) expect((await open(app, headers)).statusCode).toBe(201)
      return open(app, headers)
    }
    const nobody = await fill(100)
    expect([nobody.statusCode, nobody.json().errors[0].message]).toEqual([429, expect.stringContaining('at most 100')])
    expect(Number(nobody.headers['retry-after'])).toBeGreaterThan(0)
    const known = await fill(1000, { authorization: 'Bearer ann' })
    expect([known.statusCode, known.json().errors[0].message]).toEqual([429, expect.stringContaining('at most 1000')])
    // Subscriptions count on every endpoint, and another credential has its own limit.
    for (const url of ['/graphql', '/graphql/stream'])
      expect((await ask(app, 'subscription { items(count: 1) { __typename } }', url, sse)).statusCode).toBe(429)
    expect((await open(app, { authorization: 'Bearer bob' })).statusCode).toBe(201)
  })

  it('are released when they end', async () => {
    const app = start({ streams: new OpenStreams({ credential: 1, account: 9, address: 1 }) })
    for (let n = 0; n < 3; n += 1) {
      const answer = await ask(app, 'subscription { items(count: 1) { __typename } }', '/graphql/stream', sse)
      expect(answer.payload).toContain('event: complete')
    }
  })

  it('without a reader queue at most 1 MiB of operations and run none', async () => {
    const app = start()
    const token = (await open(app)).payload
    const send = (n: number) =>
      app.inject({
        method: 'POST',
        url: '/graphql/stream',
        headers: { ...later, 'x-graphql-event-stream-token': token },
        payload: JSON.stringify({
          query: `{ item { text } } # ${'x'.repeat(50_000)}`,
          extensions: { operationId: String(n) },
        }),
      })
    const statuses: number[] = []
    for (let n = 0; n < 60; n += 1) statuses.push((await send(n)).statusCode)
    const taken = statuses.filter((status) => status === 202).length
    expect(taken * 50_000).toBeGreaterThan(MIB / 2)
    expect(taken * 50_000).toBeLessThanOrEqual(MIB)
    expect(new Set(statuses)).toEqual(new Set([202, 429]))
    expect(asked.text).toBe(0)
  })

  it('find no token or operation named like an Object.prototype member', async () => {
    const app = start()
    for (const token of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const url = `/graphql/stream?token=${token}`
      expect([token, (await app.inject({ url, headers: sse })).statusCode]).toEqual([token, 400])
      expect([token, (await ask(app, '{ item { text } }', url)).statusCode]).toEqual([token, 404])
      expect([token, (await app.inject({ method: 'DELETE', url: `${url}&operationId=x` })).statusCode]).toEqual([
        token,
        404,
      ])
    }
    const token = (await open(app)).payload
    for (const operationId of ['__proto__', 'constructor', 'toString']) {
      const send = () =>
        app.inject({
          method: 'POST',
          url: '/graphql/stream',
          headers: { ...later, 'x-graphql-event-stream-token': token },
          payload: `{"query":"{ item { text } }","extensions":{"operationId":"${operationId}"}}`,
        })
      expect([operationId, (await send()).statusCode, (await send()).statusCode]).toEqual([operationId, 202, 409])
      const end = { method: 'DELETE', url: `/graphql/stream?token=${token}&operationId=${operationId}` } as const
      expect((await app.inject(end)).statusCode).toBe(200)
      expect([operationId, (await send()).statusCode]).toEqual([operationId, 202])
    }
  })
})

describe('one robot', () => {
  const hub = contractHub()

  it('selected 200 times by id yields no response of 50 MB, and 101 ids at once are rejected', async () => {
    const ada = await hub.person()
    const robot = await hub.repo(ada, { kind: 'robot' })
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${robot}`)
    const card = { dof: 2, actuators: [{ name: 'm', note: text }] }
    const put = await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)
    expect([put.status, put.json.errors]).toEqual([200, undefined])
    const member = 'nodes(ids: $ids) { ... on Repo { card { document } } }'
    const query = `query ($ids: [ID!]!) { a: ${member} b: ${member} }`
    const of = (count: number) =>
      hub.send(ada, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { ids: Array.from({ length: count }, () => json.id) } }),
      })
    expect((await of(1)).text.length).toBeGreaterThan(2 * TEXT_BYTES)
    const many = await of(100)
    expect(shown(many.text)).toEqual({ data: null, errors: [refusal] })
    const [fault] = JSON.parse((await of(101)).text).errors
    expect(fault).toMatchObject({ message: 'must have at most 100 ids', extensions: { status: 422 } })
    const ids = JSON.stringify(Array.from({ length: 101 }, () => json.id))
    const asDefault = await hub.graphql(ada, `query ($ids: [ID!]! = ${ids}) { nodes(ids: $ids) { id } }`)
    expect(asDefault.errors[0]).toMatchObject({ message: 'must have at most 100 ids' })
  })
})
