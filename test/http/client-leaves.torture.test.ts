// @module-tag own-graph
/** What an operation still costs whose client has left: what is in progress ends by itself, and nothing more of a query is started. */
import { promisify } from 'node:util'
import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

const seen = { entered: 0, left: 0, pages: 0, verbs: 0, gate: Promise.withResolvers<void>() }
beforeEach(() => Object.assign(seen, { entered: 0, left: 0, pages: 0, verbs: 0, gate: Promise.withResolvers<void>() }))

const atGate = async () => {
  seen.entered += 1
  await seen.gate.promise
  seen.left += 1
  return {}
}
const schema = createSchema<RequestContext>({
  typeDefs: `
    type PageInfo { hasNextPage: Boolean! }
    type ItemConnection { nodes: [Item!]! pageInfo: PageInfo! }
    type Item { id: ID page(first: Int): ItemConnection! }
    type Query { item: Item }
    type Mutation { first: Item second: Item }
  `,
  resolvers: {
    Item: {
      page: () => {
        seen.pages += 1
        return { nodes: [], pageInfo: { hasNextPage: false } }
      },
    },
    Query: { item: atGate },
    Mutation: {
      first: atGate,
      second: () => {
        seen.verbs += 1
        return {}
      },
    },
  },
})

let db: Db
let url: string
let close: () => Promise<unknown>
let connections: () => Promise<number>
beforeAll(() => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
})
afterAll(() => db.close())
beforeEach(async () => {
  const { app } = testServer({ db, parts: { schema }, log: pino({ level: 'silent' }) })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  close = () => app.close()
  connections = promisify(app.server.getConnections.bind(app.server))
})
afterEach(() => close())

/** Sends an operation; the returned function leaves. */
function ask(query: string) {
  const leaving = new AbortController()
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) }
  const answer = fetch(`${url}/graphql`, { ...init, signal: leaving.signal }).then(
    (response) => response.json(),
    () => 'left',
  )
  return { answer, leave: () => leaving.abort() }
}

it('begins no further work of a query', async () => {
  const { answer, leave } = ask('{ item { page(first: 100) { nodes { id } } } }')
  await expect.poll(() => seen.entered).toBe(1)
  leave()
  expect(await answer).toBe('left')
  await expect.poll(connections).toBe(0)
  const stays = ask('{ item { page(first: 1) { nodes { id } } } }')
  await expect.poll(() => seen.entered).toBe(2)
  seen.gate.resolve()
  expect(await stays.answer).toEqual({ data: { item: { page: { nodes: [] } } } })
  expect([seen.left, seen.pages]).toEqual([2, 1])
})

it('finishes the verbs of a mutation', async () => {
  const { answer, leave } = ask('mutation { first { id } second { page(first: 1) { nodes { id } } } }')
  await expect.poll(() => seen.entered).toBe(1)
  leave()
  expect(await answer).toBe('left')
  seen.gate.resolve()
  await expect.poll(() => [seen.verbs, seen.pages]).toEqual([1, 1])
})

it('does not begin an operation whose anonymous client has left while it waited', async () => {
  const running = Array.from({ length: 8 }, () => ask('{ item { id } }'))
  await expect.poll(() => seen.entered).toBe(8)
  const before = await connections()
  const waiting = Array.from({ length: 20 }, () => ask('{ item { id } }'))
  await expect.poll(connections).toBe(before + 20)
  for (const { leave } of waiting) leave()
  for (const { answer } of waiting) expect(await answer).toBe('left')
  await expect.poll(connections).toBeLessThanOrEqual(before)
  const last = ask('{ item { id } }')
  seen.gate.resolve()
  for (const { answer } of [...running, last]) expect(await answer).toEqual({ data: { item: { id: null } } })
  expect(seen.entered).toBe(9)
})
