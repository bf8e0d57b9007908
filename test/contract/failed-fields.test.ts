/** A root field that fails is null, with an error of its own; its siblings are answered, over each mount of the graph. Contract, "Reading" and "Writing". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

/** The answer to an operation, as each mount gives it. */
const mounts: Readonly<Record<string, (query: string) => Promise<Json>>> = {
  '/graphql': (query) => hub.graphql(ada, query),
  '/graphql/stream in distinct connection mode': async (query) => {
    const { text } = await hub.send(ada, 'POST', '/graphql/stream', {
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    return firstOf(text)
  },
  '/graphql/stream in single connection mode': async (query) => {
    const { text: token } = await hub.send(ada, 'PUT', '/graphql/stream')
    const headers = { 'x-graphql-event-stream-token': token, 'content-type': 'application/json' }
    const leaving = new AbortController()
    const stream = await fetch(`${hub.running.url}/graphql/stream?token=${token}`, {
      headers: { authorization: `Bearer ${ada.token}`, accept: 'text/event-stream' },
      signal: leaving.signal,
    })
    try {
      const body = JSON.stringify({ query, extensions: { operationId: 'one' } })
      expect((await hub.send(ada, 'POST', '/graphql/stream', { headers, body })).status).toBe(202)
      let text = ''
      for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece
        if (text.includes('event: complete')) break
      }
      return firstOf(text).payload
    } finally {
      leaving.abort()
    }
  },
}

const firstOf = (events: string): Json => JSON.parse(/^event: next\ndata: (.*)$/m.exec(events)?.[1] ?? 'null')

const facts = ({ errors }: Json) =>
  errors.map(({ path, extensions }: Json) => ({ path, code: extensions.code, type: extensions.problem.type }))

describe.each(Object.entries(mounts))('over %s', (_mount, ask) => {
  it('a field of a query that fails is null, and its siblings are there', async () => {
    const answer = await ask('{ me: viewer { account { handle } } page: repos(after: "no cursor") { nodes { id } } }')
    expect(answer.data).toEqual({ me: { account: { handle: ada.handle } }, page: null })
    expect(facts(answer)).toEqual([{ path: ['page'], code: 'UNPROCESSABLE', type: '/problems/validation.cursor' }])
  })

  it('a field of a mutation that fails is null, and what those before and after it did is in the data', async () => {
    const [first, second] = [newName(), newName()]
    const create = (slug: string) => `createRepo(input: { kind: ROBOT, slug: "${slug}" }) { repo { slug } }`
    const answer = await ask(`mutation { a: ${create(first)} b: ${create(first)} c: ${create(second)} }`)
    expect(answer.data).toEqual({ a: { repo: { slug: first } }, b: null, c: { repo: { slug: second } } })
    expect(facts(answer)).toEqual([{ path: ['b'], code: 'CONFLICT', type: '/problems/conflict.taken' }])
    for (const slug of [first, second])
      expect((await hub.call(ada, 'GET', `/v1/repos/${ada.handle}/${slug}`)).status).toBe(200)
  })
})

it('an id of `nodes` that is not visible is null among those that are', async () => {
  const name = await hub.repo(ada)
  const { json } = await hub.call(ada, 'GET', `/v1/repos/${name}`)
  const hidden = `repo_${'0'.repeat(26)}`
  const answer = await hub.graphql(ada, `{ nodes(ids: ["${hidden}", "${json.id}"]) { id } }`)
  expect(answer).toEqual({ data: { nodes: [null, { id: json.id }] } })
})

it('a subscription that may not be opened says why, in an event without data', async () => {
  const reader = await readSubscription(hub.running.url, ada.token, `runUpdated(runId: "run_${'0'.repeat(26)}") { id }`)
  await reader.ended
  expect(facts(reader.events[0])).toMatchObject([{ path: ['runUpdated'], type: '/problems/not_found' }])
})
