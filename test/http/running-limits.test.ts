// @module-tag own-graph
// @module-tag sampled
/** An operation that is running ends at its limits, whatever the count before it said. */
import { setTimeout as sleep } from 'node:timers/promises'
import { itInTorture } from '@hub/testing/torture'
import { execute, type GraphQLSchema, parse } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countedSchema } from '../../src/http/counted-schema.ts'
import { type ExecutionLimits, executionLimits } from '../../src/http/graphql-limits.ts'
import { OperationMeter } from '../../src/http/operation-meter.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

/** How often each was resolved. */
const asked = { items: 0, pages: 0, names: 0, slow: 0, verbs: [] as string[] }
beforeEach(() => Object.assign(asked, { items: 0, pages: 0, names: 0, slow: 0, verbs: [] }))

const schema = createSchema<RequestContext>({
  typeDefs: `
    type PageInfo { hasNextPage: Boolean! }
    type ItemConnection { nodes: [Item!]! pageInfo: PageInfo! }
    type Item { id: ID! name: String items: [Item!]! page(first: Int): ItemConnection! slow: Int awaited: Int needed: Int! }
    type Made { id: ID! item: Item! }
    type Query { item: Item broken: Int! many: [Item!] }
    type Mutation { make(name: String!): Made }
    type Subscription { events(count: Int!): Item }
  `,
  resolvers: {
    Item: {
      id: () => 'item',
      name: () => {
        asked.names += 1
        return 'name'
      },
      // More than a list of an undeclared length is expected to have.
      items: () => {
        asked.items += 1
        return Array.from({ length: 5000 }, () => ({}))
      },
      page: (_item, { first }) => {
        asked.pages += 1
        return { nodes: Array.from({ length: first ?? 20 }, () => ({})), pageInfo: { hasNextPage: false } }
      },
      slow: () => {
        asked.slow += 1
        const begun = process.threadCpuUsage()
        while (process.threadCpuUsage(begun).user < 2000);
        return 1
      },
      awaited: () => sleep(1000).then(() => 1),
      needed: () => sleep(5).then(() => 1),
    },
    Query: { item: () => ({}), many: () => Array.from({ length: 250 }, () => ({})) },
    Mutation: {
      make: async (_root, { name }) => {
        asked.verbs.push(name)
        await sleep(1)
        return { id: `made_${name}`, item: {} }
      },
    },
    Subscription: {
      events: {
        async *subscribe(_root: unknown, { count }: { count: number }) {
          for (let at = 0; at < count; at += 1) yield { events: { at } }
        },
      },
    },
  },
})
const counted: GraphQLSchema = countedSchema(schema)

async function run(query: string, limits: Partial<ExecutionLimits>) {
  const ctx = {} as RequestContext
  const meter = new OperationMeter(ctx, { ...executionLimits, ...limits })
  const result = await execute({ schema: counted, document: parse(query), contextValue: ctx })
  return { result, meter }
}

describe('a running operation', () => {
  it('ends at the limit of values, before the fields of a list that is too long are resolved', async () => {
    const { meter } = await run('{ item { items { name } } }', { values: 4000 })
    expect(meter.refusal?.message).toMatch(/more than 4000 values/)
    expect(asked.names).toBe(0)
  })

  it('ends at the limit of values between the fields of a list', async () => {
    const { meter } = await run('{ item { items { name } } }', { values: 6000 })
    expect(meter.refusal?.message).toMatch(/more than 6000 values/)
    expect(asked.names).toBeGreaterThan(900)
    expect(asked.names).toBeLessThan(1000)
  })

  it('ends at the limit of objects, before the page that would be over it is read', async () => {
    const { meter } = await run('{ many { page(first: 100) { nodes { id } } } }', { objects: 1050 })
    expect(meter.refusal?.message).toMatch(/more than 1050 objects/)
    expect(asked.pages).toBe(10)
  })

  itInTorture('ends at its processor time, of which waiting is not part', async () => {
    const slow = Array.from({ length: 2000 }, (_, at) => `a${at}: slow`).join(' ')
    const { meter } = await run(`{ item { ${slow} } }`, { timeMs: 100 })
    expect(meter.refusal?.message).toMatch(/more than 0.1 s of processor time/)
    expect(asked.slow).toBeLessThan(2000)
    const awaited = Array.from({ length: 300 }, (_, at) => `a${at}: awaited`).join(' ')
    const patient = await run(`{ item { ${awaited} } }`, { timeMs: 900 })
    expect(patient.meter.refusal).toBe(null)
    expect(Object.keys((patient.result.data?.item ?? {}) as object)).toHaveLength(300)
  })

  it('ends without a rejection that nobody handles, which would end the process: a list is ended while its first items still wait', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const ids = Array.from({ length: 10 }, (_, at) => `a${at}: id`).join(' ')
      const { meter } = await run(`{ many { needed ${ids} } }`, { values: 1000 })
      expect(meter.refusal?.message).toMatch(/more than 1000 values/)
      await sleep(30)
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).toEqual([])
  })

  it('within its limits has its whole answer', async () => {
    const { result, meter } = await run('{ item { page(first: 3) { nodes { id name } } } }', { objects: 4, values: 13 })
    expect(result).toEqual({ data: { item: { page: { nodes: Array(3).fill({ id: 'item', name: 'name' }) } } } })
    // The item, and three of the page; six fields of theirs, three items of a list, and three fields above them.
    expect([meter.objects, meter.values]).toEqual([4, 12])
  })
})

let db: Db
beforeAll(() => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
})
afterAll(() => db.close())
const running: ReturnType<typeof testServer>[] = []
afterEach(async () => {
  for (const { app } of running.splice(0)) await app.close()
})
function start() {
  const server = testServer({ db, parts: { schema }, log: pino({ level: 'silent' }) })
  running.push(server)
  return server.app
}

async function ask(app: ReturnType<typeof start>, query: string, url: string) {
  const accept = url === '/graphql' ? 'application/json' : 'text/event-stream'
  const headers = { 'content-type': 'application/json', accept }
  const { payload } = await app.inject({ method: 'POST', url, headers, payload: JSON.stringify({ query }) })
  const results = [...payload.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => JSON.parse(json))
  return url === '/graphql' ? [JSON.parse(payload)] : results
}

const huge = Array.from({ length: 45 }, (_, at) => `a${at}: items { id }`).join(' ')

describe.each(['/graphql', '/graphql/stream'])('on %s', (url) => {
  it('a query over a limit has no data, and one error that names the limit', async () => {
    const [answer] = await ask(start(), `{ item { ${huge} } }`, url)
    expect(answer).toMatchObject({
      data: null,
      errors: [
        {
          message: 'The operation needs more than 200000 values, and was ended; request fewer fields or smaller pages.',
          extensions: {
            code: 'LIMIT_EXCEEDED',
            status: 422,
            problem: {
              type: '/problems/limit.cost',
              errors: [{ type: 'limit.cost', limit: { name: 'values', maximum: 200_000, actual: null } }],
            },
          },
        },
      ],
    })
    expect(answer.errors).toHaveLength(1)
  })

  it('a verb that has begun finishes and is reported; selections below it stop, and later fields are not started', async () => {
    const made = (name: string, below: string) => `${name}: make(name: "${name}") { id item { ${below} } }`
    const query = `mutation { ${made('one', 'id')} ${made('two', huge)} ${made('three', 'id')} }`
    const [answer] = await ask(start(), query, url)
    expect(asked.verbs).toEqual(['one', 'two'])
    expect(answer.data).toEqual({ one: { id: 'made_one', item: { id: 'item' } }, two: null, three: null })
    expect(answer.errors).toHaveLength(1)
    expect(answer.errors[0].message).toMatch(/more than 200000 values, and was ended.* Done before: one, two\.$/)
    expect(answer.errors[0].extensions.problem.errors[0].done).toEqual([
      { key: 'one', field: 'make', ids: ['made_one'] },
      { key: 'two', field: 'make', ids: ['made_two'] },
    ])
  })
})

describe.each(['/graphql', '/graphql/stream'])('a subscription on %s', (url) => {
  const sse = async (query: string) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
    const { payload } = await start().inject({ method: 'POST', url, headers, payload: JSON.stringify({ query }) })
    const results = [...payload.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => JSON.parse(json))
    return { results, isComplete: payload.includes('event: complete') }
  }

  it('ends with an event that is over a limit, which is lower than that of a query, and says why', async () => {
    const { results, isComplete } = await sse('subscription { events(count: 5) { a: items { id } b: items { id } } }')
    expect(isComplete).toBe(true)
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({
      data: null,
      errors: [{ extensions: { problem: { type: '/problems/limit.cost' } } }],
    })
    expect(results[0].errors[0].message).toMatch(/more than 20000 values/)
  })

  it('is refused before its first event where full pages would be over the limit', async () => {
    const { results } = await sse('subscription { events(count: 5) { page(first: 1001) { nodes { id } } } }')
    expect(results[0]?.errors[0].message).toMatch(/may yield 1002 objects, more than 1000/)
  })
})
