// @module-tag own-graph
/** Subscriptions over each of the mounts of the graph. Contract, "Subscriptions". */
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createSchema } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestContext } from '../../src/operation/context.ts'
import { placedAt } from '../../src/operation/event-place.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

const EVENTS = 160
const EVENT_BYTES = 256 * 1024
const text = 'x'.repeat(EVENT_BYTES)
/** How many events each reader has caused, by its name. */
const made = new Map<string, number>()

/** How often the mutation was executed. */
let marks = 0

const schema = createSchema<RequestContext>({
  typeDefs:
    'type Query { hello: String } type Mutation { mark: Int } type Subscription { large(reader: String!): String! count(to: Int!): Int! }',
  resolvers: {
    Mutation: {
      mark: () => {
        marks += 1
        return marks
      },
    },
    Subscription: {
      large: {
        async *subscribe(_root: unknown, { reader }: { reader: string }) {
          for (let at = 1; at <= EVENTS; at += 1) {
            made.set(reader, at)
            yield { large: text }
          }
        },
      },
      count: {
        async *subscribe(_root: unknown, { to }: { to: number }) {
          for (let count = 1; count <= to; count += 1) yield placedAt(`place-${count}`, { count })
        },
      },
    },
  },
})

let db: Db
let server: ReturnType<typeof testServer>
let port: number
beforeAll(async () => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  server = testServer({ db, parts: { schema } })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
})
const sockets: Socket[] = []
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await server?.app.close()
  await db?.close()
})

const url = (path: string) => `http://127.0.0.1:${port}${path}`
const body = (query: string, extensions = {}) => JSON.stringify({ query, extensions })
const post = (path: string, accept: string, query: string) =>
  fetch(url(path), { method: 'POST', headers: { 'content-type': 'application/json', accept }, body: body(query) })

/** Sends a request and reads no byte of its response. */
function neverRead(path: string, accept: string, content: string | null): void {
  const socket = connect(port, '127.0.0.1').pause()
  sockets.push(socket)
  const head = `${content === null ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: ${accept}\r\n`
  const size = content === null ? '' : `content-type: application/json\r\ncontent-length: ${content.length}\r\n`
  socket.write(`${head}${size}\r\n${content ?? ''}`)
}

const ask = (reader: string) => `subscription { large(reader: "${reader}") }`
const mounts: Readonly<Record<string, (reader: string) => Promise<void> | void>> = {
  '/graphql as Server-Sent Events': (reader) => neverRead('/graphql', 'text/event-stream', body(ask(reader))),
  '/graphql/stream in distinct connection mode': (reader) =>
    neverRead('/graphql/stream', 'text/event-stream', body(ask(reader))),
  '/graphql/stream in single connection mode': async (reader) => {
    const token = await (await fetch(url('/graphql/stream'), { method: 'PUT' })).text()
    neverRead(`/graphql/stream?token=${token}`, 'text/event-stream', null)
    const added = await fetch(url('/graphql/stream'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-graphql-event-stream-token': token },
      body: body(ask(reader), { operationId: 'one' }),
    })
    expect(added.status).toBe(202)
  },
}

it('a reader that takes nothing makes the source wait, on every mount', async () => {
  for (const [name, open] of Object.entries(mounts)) {
    await open(name)
    await expect.poll(() => made.get(name), { timeout: 100_000 }).toBeGreaterThan(0)
  }
  // Someone else takes all of it meanwhile.
  const response = await post('/graphql/stream', 'text/event-stream', ask('someone else'))
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(EVENTS * EVENT_BYTES)
  expect(made.get('someone else')).toBe(EVENTS)
  // What the buffers of the connection hold, which the operating system bounds.
  for (const name of Object.keys(mounts)) expect([name, (made.get(name) ?? 0) < EVENTS / 2]).toEqual([name, true])
})

it.each([['multipart/mixed'], ['application/json'], ['application/graphql-response+json']])(
  'a subscription is not served as %s: 406 names what is',
  async (accept) => {
    const response = await post('/graphql', accept, 'subscription { count(to: 3) }')
    expect([response.status, response.headers.get('accept')]).toEqual([406, 'text/event-stream'])
    expect(await response.json()).toMatchObject({
      errors: [
        { extensions: { code: 'NOT_ACCEPTABLE', problem: { type: '/problems/accept.not_served', status: 406 } } },
      ],
    })
  },
)

it('a request that takes none of the answers is 406 before anything is done', async () => {
  for (const accept of ['image/png', 'text/plain, application/xml;q=0.9']) {
    const response = await post('/graphql', accept, 'mutation { mark }')
    expect([response.status, await response.json()]).toMatchObject([406, { errors: [{ extensions: { status: 406 } }] }])
  }
  expect(marks).toBe(0)
  for (const accept of ['*/*', 'application/*', 'text/html, */*;q=0.1', 'application/json;charset=utf-8'])
    expect((await post('/graphql', accept, 'mutation { mark }')).status).toBe(200)
  expect(marks).toBe(4)
})

describe('an event of /graphql/stream', () => {
  it('has the place where the stream goes on after it, for browsers that connect again', async () => {
    const response = await fetch(url(`/graphql/stream?query=${encodeURIComponent('subscription { count(to: 2) }')}`), {
      headers: { accept: 'text/event-stream' },
    })
    expect([...(await response.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(['place-1', 'place-2'])
  })
})
