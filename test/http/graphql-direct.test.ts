// @module-tag own-graph
/** A plain request of `/graphql` goes past Yoga, and is answered as Yoga answers it: a request with a `?` goes to Yoga. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerType } from '../../src/http/accepted-types.ts'
import { readDirect } from '../../src/http/graphql-direct.ts'
import { Documents } from '../../src/http/graphql-documents.ts'
import { PersistedDocuments } from '../../src/http/persisted-documents.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

let db: Db
let server: ReturnType<typeof testServer>
beforeAll(() => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  server = testServer({ db, env: { RATE_LIMIT_PER_MINUTE: '1000000', ACCOUNT_PROCESSOR_S: '0' } })
})
afterAll(async () => {
  await server.app.close()
  await db.close()
})

interface Sent {
  readonly accept?: string
  readonly type?: string
  readonly encoding?: string
  readonly authorization?: string
}

/** What differs between two answers to one request by nature. */
const ofOne = new Set(['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive'])

async function post(
  url: string,
  payload: string,
  { accept, type = 'application/json', encoding, authorization }: Sent,
) {
  const headers = {
    'content-type': type,
    ...(accept && { accept }),
    ...(encoding && { 'accept-encoding': encoding }),
    ...(authorization && { authorization }),
  }
  const answer = await server.app.inject({ method: 'POST', url, headers, payload })
  const told = Object.entries(answer.headers).filter(([name]) => !ofOne.has(name))
  // The rate is counted in both.
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(told),
    rates: String(answer.headers.ratelimit).replaceAll(/[rt]=\d+/g, ''),
    body: answer.rawPayload.toString('latin1').replaceAll(/req_[0-9a-f-]{36}/g, 'req_'),
  }
}

async function assertAlike(payload: string, sent: Sent = {}): Promise<void> {
  expect(await post('/graphql', payload, sent)).toEqual(await post('/graphql?', payload, sent))
}

const query = '{ who thing(name: "a") { id fullName madeAt __typename } nested { name things { nodes { id } } } }'
const digest = createHash('sha256').update(query).digest('hex')
const two = 'query a { who } query b($name: String!) { thing(name: $name) { id } }'

const bodies: Readonly<Record<string, unknown>> = {
  'a query': { query },
  'members that are null': { query, variables: null, operationName: null, extensions: null, other: null },
  'one of two operations, with variables': { query: two, operationName: 'b', variables: { name: 'ä "é" \u2028' } },
  'an exact number in a variable': {
    query: two,
    operationName: 'b',
    variables: { name: 1.5, more: 12345678901234567890n },
  },
  'no operation name for two': { query: two },
  'an operation that is not there': { query: two, operationName: 'c' },
  'an empty operation name': { query, operationName: '' },
  'an operation name that is a number': { query, operationName: 5 },
  'a mutation': { query: 'mutation { checkThing(input: { name: "b" }) { id fullName } }' },
  'a mutation of a caller without a credential': { query: 'mutation { makeThing(input: { name: "b" }) { id } }' },
  'the cost': { query, extensions: { cost: true } },
  'an error of a field beside data': { query: '{ who thing(name: "broken") { id } }' },
  'an error that leaves no data': { query: '{ things(first: 200) { nodes { id } } }' },
  'null for what is not there': { query: '{ thing(name: "gone") { id } }' },
  'a variable of a wrong type': { query: two, operationName: 'b', variables: { name: { a: 1 } } },
  'a variable that is missing': { query: two, operationName: 'b' },
  'a syntax error': { query: '{ who' },
  'a field that does not exist': { query: '{ nothing }' },
  'a query that is too deep': { query: `${'{ nested '.repeat(20)}{ name }${' }'.repeat(20)}` },
  'pages that are too large': { query: '{ nested { things(first: 100000) { nodes { id } } } }' },
  'a subscription': { query: 'subscription { ticks(count: 1) }' },
  'a document with its digest': { query, extensions: { persistedQuery: { version: 1, sha256Hash: digest } } },
  'a digest alone': { extensions: { persistedQuery: { version: 1, sha256Hash: digest } } },
  'a digest as documentId': { documentId: `sha256:${digest}` },
  'an unknown digest': { documentId: `sha256:${'0'.repeat(64)}` },
  'the digest of another text': { query: '{ who }', extensions: { persistedQuery: { sha256Hash: digest } } },
  'the schema': { query: '{ __schema { queryType { name } } __type(name: "Thing") { name } __typename }' },
  'a member that is not known': { query, querry: 1 },
  'no query': {},
  'a query that is a number': { query: 1 },
  'variables that are a list': { query, variables: [] },
  'extensions that are a text': { query, extensions: 'cost' },
  'a list': [{ query }],
  'a text': 'query',
  'a long document': { query: `${query}${' '.repeat(40_000)}` },
  'a long answer': {
    query: `{ ${Array.from({ length: 200 }, (_, at) => `a${at}: thing(name: "${'n'.repeat(300)}") { id }`).join(' ')} }`,
  },
}

const written = (body: unknown) =>
  JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON?.(String(value)) : value))

describe('an answer without Yoga is the one with it', () => {
  it.each(Object.entries(bodies))('to %s', async (_name, body) => {
    await assertAlike(written(body))
    await assertAlike(written(body), { accept: 'application/graphql-response+json' })
    await assertAlike(written(body), { accept: 'application/json' })
    await assertAlike(written(body), { encoding: 'gzip' })
  })

  it.each(['', '{', 'null', '\ufeff{"query":"{ who }"}', '{"query":"{ who }","__proto__":{"a":1}}'])(
    'to the body %j',
    async (payload) => assertAlike(payload),
  )

  it.each(['application/json;charset=utf-8', 'application/graphql+json', 'application/json, text/plain'])(
    'to a body of type %s',
    async (type) => assertAlike(JSON.stringify({ query }), { type }),
  )
})

describe('a request goes past Yoga', () => {
  const parts = {
    documents: new Documents(() => buildSchema('type Query { who: String } type Mutation { make: String }')),
    persisted: new PersistedDocuments(null),
  }
  const goes = (body: unknown, { method = 'POST', url = '/graphql', accept = '*/*' } = {}) =>
    readDirect(parts, { method, url } as FastifyRequest, accept, () => body) !== null
  const who = '{ who }'
  const sha256Hash = createHash('sha256').update(who).digest('hex')

  it('where it is a query or a mutation, named by its text or its digest', () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    const bodies = [
      { query: who },
      { query: 'mutation { make }', variables: {}, operationName: null },
      { query: 'query a { who } query b { who }', operationName: 'b' },
      { query: who, extensions: { ...extensions, cost: true } },
      { extensions },
      { documentId: `sha256:${sha256Hash}` },
    ]
    expect(bodies.map((body) => goes(body, {}))).toEqual(bodies.map(() => true))
    expect(goes({ query: who }, { accept: 'application/graphql-response+json, application/json;q=0.9' })).toBe(true)
  })

  it('nowhere else', () => {
    expect(goes({ query: who }, { method: 'GET' })).toBe(false)
    expect(goes({ query: who }, { url: '/graphql?a=1' })).toBe(false)
    expect(goes({ query: who }, { accept: 'text/event-stream' })).toBe(false)
    for (const body of [null, [], who, {}, { query: '{' }, { query: '{ nothing }' }, { query: who, variables: [] }])
      expect(goes(body)).toBe(false)
  })
})

/** Each, and each before and after what is most common. */
const ranges = [
  '*/*',
  '*',
  'application/*',
  'application/json',
  'Application/JSON; q=0.5',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/graphql-response+json',
  'application/graphql-response+json; charset=utf-8',
  'text/event-stream',
  'multipart/mixed',
  'text/plain',
]

describe('the media type of an answer', () => {
  it('is the one that Yoga chooses, with an error and without', async () => {
    const common = ['application/json', 'application/graphql-response+json', '*/*']
    const lists = ranges.flatMap((one) => [one, ...common.flatMap((other) => [`${one}, ${other}`, `${other}, ${one}`])])
    for (const accept of lists) {
      // An address has a limit of processor time.
      await assertAlike(JSON.stringify({ query: '{ who }' }), { accept, authorization: 'Bearer ann' })
    }
    for (const accept of ranges) {
      await assertAlike(JSON.stringify({ query: '{ nothing }' }), { accept, authorization: 'Bearer ann' })
    }
  })

  it('is left to Yoga where the request takes neither', () => {
    expect(['text/event-stream', 'multipart/mixed', '*', 'application/json; charset=latin1'].map(answerType)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(answerType('*/*')).toBe('application/json')
  })
})
