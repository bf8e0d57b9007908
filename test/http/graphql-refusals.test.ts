/** Operations that are too large are refused before they are executed, each with the limit that it is over; those of pages pass. */
import { getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { hugeOperations } from '../support/huge-operations.ts'

const hub = contractHub()
let ada: Person
let key: string
beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
})

const post = (body: Json, accept = '*/*') =>
  hub.send(key, 'POST', '/graphql', {
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  })
const problemOf = ({ json }: { json: Json }) => json.errors[0].extensions.problem

describe.each(['/graphql', '/graphql/stream'])('%s refuses', (path) => {
  const ask = async (query: string): Promise<Json> => {
    if (path === '/graphql') return (await post({ query })).json
    const { text } = await hub.send(key, 'POST', path, {
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null')
  }

  it.each(hugeOperations.filter(({ limit }) => limit !== null))('$what', async ({ make, limit, actual }) => {
    const { data, errors } = await ask(make())
    expect(data).toBeUndefined()
    const [{ extensions, message }] = errors
    expect([extensions.code, extensions.status]).toEqual(['LIMIT_EXCEEDED', 422])
    expect(extensions.problem.errors[0].limit).toMatchObject({ name: limit, actual })
    expect(message).toMatch(/^The operation .* request less at a time\.$/)
  })

  it.each(hugeOperations.filter(({ refusal }) => refusal !== undefined))('$what', async ({ make, refusal }) => {
    const { data, errors } = await ask(make())
    expect(data).toBeUndefined()
    expect(errors[0].message).toMatch(refusal ?? /^$/)
  })
})

describe('a refusal', () => {
  const query = '{ repos(first: 100) { nodes { runs(first: 100) { nodes { id } } } } }'

  it('has the status of its problem for clients that accept application/graphql-response+json', async () => {
    const { status, headers, json } = await post({ query }, 'application/graphql-response+json')
    expect([status, headers.get('content-type')]).toEqual([422, 'application/graphql-response+json; charset=utf-8'])
    expect(json).not.toHaveProperty('data')
    expect(problemOf({ json }).errors[0].limit).toEqual({ name: 'objects', maximum: 10_020, actual: 10_100 })
    expect((await post({ query }, 'application/json')).status).toBe(422)
  })

  it('counts the page sizes that variables have', async () => {
    const text = 'query ($n: Int = 100, $m: Int) { repos(first: $n) { nodes { runs(first: $m) { nodes { id } } } } }'
    const cost = async (variables: Json) => {
      const { json } = await post({ query: text, variables, extensions: { cost: true } })
      return json.extensions?.cost.requested ?? problemOf({ json }).errors[0].limit.actual
    }
    // Page times its nodes and the connection that they are in; a page without a size has 20.
    expect(await cost({ n: 3, m: 7 })).toBe(3 * (7 + 1))
    expect(await cost({ n: 3 })).toBe(3 * (20 + 1))
    expect(await cost({ m: 100 })).toBe(100 * (100 + 1))
    expect(await cost({ n: 3, m: null })).toBe(3 * (20 + 1))
  })

  it('of a body over 1 MiB comes before it is parsed', async () => {
    const { status, json } = await post({ query: `{ __typename } #${'x'.repeat(5_000_000)}` })
    expect([status, problemOf({ json }).type]).toEqual([413, '/problems/too_large'])
  })
})

describe('the cost of an operation', () => {
  it('is in `extensions` for callers that ask for it, and only for them', async () => {
    const query = '{ repos(first: 5) { nodes { id } } viewer { handle: credentialId } }'
    expect((await post({ query, extensions: { cost: true } })).json.extensions).toEqual({
      cost: {
        requested: 6,
        maximum: 10_020,
        objects: { requested: 6, used: 6, maximum: 10_020 },
        values: { requested: 14, used: expect.any(Number), maximum: 200_000 },
      },
    })
    expect((await post({ query })).json).not.toHaveProperty('extensions')
    const { text } = await hub.send(key, 'POST', '/graphql/stream', {
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query, extensions: { cost: true } }),
    })
    expect(text).toContain('"extensions":{"cost":{"requested":6,"maximum":10020,"objects":')
  })
})

it('introspection by common tools passes', async () => {
  const { json } = await post({
    query: getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, directiveIsRepeatable: true }),
  })
  expect(json.errors).toBeUndefined()
})

describe('pages of a dashboard pass', () => {
  it.each([
    [
      'an account with its newest work',
      `query ($handle: String!) { account(handle: $handle) { handle name kind
        repos(first: 50, sort: UPDATED) { nodes { id fullName kind visibility updatedAt fileSummary { count totalBytes } latestRun { id status displayName } } pageInfo { hasNextPage endCursor } }
        runs(first: 50) { nodes { id status displayName createdAt spend { accruedUsd } progress { fraction } sparkline { points } } pageInfo { hasNextPage endCursor } }
        checks(first: 20) { nodes { id status kind createdAt } } endpoints(first: 20) { nodes { id status model { fullName } } }
        spendHolds(first: 20, status: PENDING) { nodes { id summary estimateUsd expiresAt } } spend { monthUsd cap { limitUsd mode } } } }`,
    ],
    [
      'one run with everything',
      `query ($run: ID!) { run(id: $run) { id status recipe { template hyperparams } config { keys { path value } diff { changedKeys } } checkpoints { items { step path } }
        metrics { keys series { key points } } gateResults { step passCount cells { name status } } attempts { attempt claimedBy } forks { nodes { id status } } parent { id } } }`,
    ],
    [
      'a repo with its files and history',
      `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { fullName description tags card { dof document }
        files(first: 1000) { nodes { path size sha256 updatedAt } pageInfo { hasNextPage endCursor } } history(first: 50) { nodes { seq action actor { handle } time } }
        snapshots { nodes { name seq } } runs(first: 50) { nodes { id status } } checks { nodes { id status } } endpoints { nodes { id } } } }`,
    ],
  ])('%s', async (_what, query) => {
    const variables = { handle: ada.handle, run: 'run_none', owner: ada.handle, slug: 'none' }
    expect((await post({ query, variables })).json.errors).toBeUndefined()
  })
})
