/** Bodies of millions of small values, which the limit of bytes lets in: each takes a byte of text, and a hundred of memory and more where its place is noted. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const MIB = 1024 * 1024
const send = async (path: string, body: string) => {
  const answer = await hub.send(ada, 'POST', path, { headers: { 'content-type': 'application/json' }, body })
  return [answer.status, answer.json.unit, answer.json.limit, answer.json.errors?.length]
}
const filled = (item: string, bytes: number) => item.repeat(bytes / item.length).slice(0, -1)
const importing = (hyperparams: string) => `{"artifacts":{},"hyperparams":${hyperparams}}`
const presign = '/v1/repos/ada/none/files/presign-upload'

describe('a body of /v1', () => {
  it.each([
    [
      'texts ninety levels deep',
      '/v1/runs/import',
      importing(`{"a":${'['.repeat(90)}${filled('"",', 15 * MIB)}${']'.repeat(90)}}`),
    ],
    ['lists', '/v1/runs/import', importing(`{"a":[${filled('[],', 15 * MIB)}]}`)],
    ['numbers that are kept as they are written', '/v1/runs/import', importing(`{"a":[${filled('1.0,', 15 * MIB)}]}`)],
    ['levels', '/v1/runs/import', importing('['.repeat(7 * MIB) + ']'.repeat(7 * MIB))],
    ['files without members', presign, `{"files":[${filled('{},', 7 * MIB)}]}`],
  ])('of millions of %s is 413, and nothing of it is parsed', async (_what, path, body) => {
    expect(await send(path, body)).toEqual([413, 'values', 250_000, 1])
  })

  it('within the limit is told what is wrong with it, fifty faults at most', async () => {
    const deep = `{"a":${'['.repeat(90)}${filled('"\\u0000",', MIB)}${']'.repeat(90)}}`
    expect(await send('/v1/runs/import', importing(deep))).toEqual([422, undefined, undefined, 50])
    expect(await send(presign, `{"files":[${filled('{},', MIB / 4)}]}`)).toEqual([422, undefined, undefined, 50])
  })

  it('with a list of a hundred thousand levels where a text belongs is told so', async () => {
    const levels = '['.repeat(100_000) + ']'.repeat(100_000)
    const answer = await hub.send(ada, 'POST', '/v1/runs/import', {
      headers: { 'content-type': 'application/json' },
      body: `{"artifacts":{"config_yaml":"","metrics_summary":""},"owner":${levels}}`,
    })
    expect([answer.status, answer.json.detail]).toEqual([422, 'body.owner: must be a string'])
  })
})

describe('a body of the graph', () => {
  it.each([
    ['/graphql', 'application/graphql-response+json'],
    ['/graphql/stream', 'text/event-stream'],
  ])('of 350,000 empty objects is 413 at %s, and nothing of it is parsed', async (path, accept) => {
    const body = `{"query":"{ __typename }","variables":{"a":[${filled('{},', MIB - 100)}]}}`
    const answer = await hub.send(ada, 'POST', path, {
      headers: { 'content-type': 'application/json', accept },
      body,
    })
    const problem = answer.json.errors[0].extensions.problem
    expect([answer.status, problem.unit, problem.limit]).toEqual([413, 'values', 250_000])
  })
})

describe('a name as long as a body', () => {
  const name = 'n'.repeat(MIB - 200)

  it('is quoted by its beginning in /v1', async () => {
    const answer = await hub.send(ada, 'POST', '/v1/repos', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'dataset', slug: 'a', [name]: 1 }),
    })
    expect([answer.status, answer.json.errors[0].type]).toEqual([422, 'validation.unknown_member'])
    expect(answer.json.errors[0].loc).toEqual(['body', `${'n'.repeat(200)}…`])
    expect(answer.text.length).toBeLessThan(8000)
  })

  it('is quoted by its beginning in the graph', async () => {
    for (const query of [
      `{ ${name} }`,
      `query ($${name}: Int!) { __typename }`,
      `{ repos(kind: ${name}) { nodes { id } } }`,
    ]) {
      const answer = await hub.send(ada, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      expect(answer.json.errors[0].message).toContain('nnnn')
      expect(answer.text.length).toBeLessThan(16_000)
    }
  })
})
