// @module-tag own-graph
/** The widely used `graphql-sse` client against the hub's own implementation of the protocol. */
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from 'graphql-sse'
import { createSchema } from 'graphql-yoga'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

/** Active subscriptions to `forever`. */
let under = 0
const schema = createSchema<RequestContext>({
  typeDefs: `type Query { hello: String } type Mutation { shout: String }
    type Subscription { count(to: Int!): Int! forever: Int! broken: Int! }`,
  resolvers: {
    Query: { hello: () => 'world' },
    Mutation: { shout: () => 'HEY' },
    Subscription: {
      count: {
        async *subscribe(_root: unknown, { to }: { to: number }) {
          for (let count = 1; count <= to; count += 1) yield { count }
        },
      },
      forever: {
        async *subscribe(_root: unknown, _args: unknown, { signal }: RequestContext) {
          under += 1
          try {
            yield { forever: 1 }
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          } finally {
            under -= 1
          }
        },
      },
      broken: {
        async *subscribe() {
          yield { broken: 1 }
          throw new Error('a secret')
        },
      },
    },
  },
})

let db: Db
let server: ReturnType<typeof testServer>
let url: string
beforeAll(async () => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  server = testServer({ db, parts: { schema } })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/graphql/stream`
})
afterAll(async () => {
  await server?.app.close()
  await db?.close()
})

const clients: Client[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.dispose()
})

describe.each([true, false])('with a single connection: %s', (singleConnection) => {
  const connect = () => {
    const client = createClient({ url, singleConnection, retryAttempts: 0 })
    clients.push(client)
    return client
  }
  const all = async (client: Client, query: string, variables: Record<string, unknown> = {}) => {
    const results: unknown[] = []
    for await (const result of client.iterate({ query, variables })) results.push(result)
    return results
  }

  it('runs concurrent queries, mutations and subscriptions', async () => {
    const client = connect()
    const counts = Array.from({ length: 20 }, (_, n) =>
      all(client, 'subscription ($to: Int!) { count(to: $to) }', { to: n + 1 }),
    )
    expect(await all(client, '{ hello }')).toEqual([{ data: { hello: 'world' } }])
    expect(await all(client, 'mutation { shout }')).toEqual([{ data: { shout: 'HEY' } }])
    for (const [n, results] of (await Promise.all(counts)).entries())
      expect(results).toEqual(Array.from({ length: n + 1 }, (_, count) => ({ data: { count: count + 1 } })))
  })

  it('ends a subscription when the client unsubscribes', async () => {
    for await (const result of connect().iterate({ query: 'subscription { forever }' })) {
      expect(result).toEqual({ data: { forever: 1 } })
      expect(under).toBe(1)
      break
    }
    await expect.poll(() => under).toBe(0)
  })

  it('reports a failed subscription without internals', async () => {
    const results = await all(connect(), 'subscription { broken }')
    expect(results).toEqual([
      { data: { broken: 1 } },
      { errors: [expect.objectContaining({ extensions: expect.objectContaining({ status: 500 }) })] },
    ])
    expect(JSON.stringify(results)).not.toContain('secret')
  })

  it('reports the errors of a document as a single result', async () => {
    expect(await all(connect(), '{ goodbye }')).toEqual([
      { errors: [expect.objectContaining({ message: expect.stringContaining('goodbye') })] },
    ])
  })
})
