/** Who can do what with an endpoint: every kind of credential on every operation, in both dialects. Contract, "Credentials" and "Keys of hosted jobs". */
import { beforeAll, describe, expect, it } from 'vitest'
import { putEndpoint } from '../support/endpoints.ts'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'
import { endpointsOf, onnxSha256 } from '../support/hub-endpoints.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
let ada: Person
let org: string
let orgId: string
let model: { id: string; name: string }
let who: Record<string, Who>

/** The model is of an org of two members; one who made its endpoints has left since. */
beforeAll(async () => {
  ada = await hub.person()
  const [member, left, stranger] = [await hub.person(), await hub.person(), await hub.person()]
  org = await hub.org([ada, member].map(({ handle }, at) => ({ user: handle, role: at ? 'member' : 'owner' })))
  orgId = (await hub.sql<{ id: string }>('select id from accounts where handle = $1', [org]))[0]?.id ?? ''
  const name = await endpoints.model(ada, undefined, { owner: org })
  model = { name, id: (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id }
  leaver = left
  const train = { scope: 'train' } as const
  who = {
    nobody: null,
    owner: ada,
    member,
    left,
    stranger,
    read: await hub.key(ada, { scope: 'read' }),
    write: await hub.key(ada, { scope: 'write' }),
    train: await hub.key(ada, train),
    agent: await hub.key(ada, { ...train, agent: true }),
    org: await hub.key(org, train),
    limited: await hub.key(ada, { ...train, repos: [name] }),
    elsewhere: await hub.key(ada, { ...train, repos: [await hub.repo(ada)] }),
    job: await hub.key(org, { ...train, name: 'endpoint job' }),
  }
})
let leaver: Person

/** A queued endpoint that the one who has left made, and that the job's key is for. */
async function queued(): Promise<string> {
  const set = { created_by: leaver.id, model_sha256: onnxSha256 }
  const id = await putEndpoint(hub.running.deps.db, { ownerId: orgId, modelRepo: model, set })
  await hub.sql(`update api_keys set job_id = $1, limited = true where name = 'endpoint job'`, [id])
  return id
}

/** An operation over `/v1`, and the same in the graph. */
interface Operation {
  readonly rest: (id: string) => readonly [method: string, path: string, body?: Json]
  readonly graph: (id: string) => readonly [document: string, input?: Json]
}
const at = (id: string, verb = '') => `/v1/endpoints/${id}${verb}`
const mutation = (name: string, shown: string) =>
  `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${shown} } }`
const url = 'wss://box/policy'
const operations: Record<string, Operation> = {
  createEndpoint: {
    rest: () => ['POST', '/v1/endpoints', { model_repo: model.name, params: 5, owner: org }],
    graph: () => [
      mutation('createEndpoint', 'result { __typename }'),
      { modelRepo: model.name, params: 5, owner: org },
    ],
  },
  estimateEndpoint: {
    rest: () => ['POST', '/v1/endpoints/estimate', { model_repo: model.name, params: 5, owner: org }],
    graph: () => [mutation('estimateEndpoint', 'tier'), { modelRepo: model.name, params: 5, owner: org }],
  },
  getEndpoint: { rest: (id) => ['GET', at(id)], graph: (id) => [`{ endpoint(id: "${id}") { id } }`] },
  listEndpoints: { rest: () => ['GET', '/v1/endpoints'], graph: () => ['{ endpoints { nodes { id } } }'] },
  claimEndpoint: {
    rest: (id) => ['POST', at(id, '/claim'), { worker: 'w', url, model_sha256: onnxSha256 }],
    graph: (endpointId) => [
      mutation('claimEndpoint', 'endpoint { id }'),
      { endpointId, worker: 'w', url, modelSha256: onnxSha256 },
    ],
  },
  reportEndpoint: {
    rest: (id) => ['POST', at(id, '/report'), {}],
    graph: (endpointId) => [mutation('reportEndpoint', 'endpoint { id }'), { endpointId }],
  },
  stopEndpoint: {
    rest: (id) => ['DELETE', at(id)],
    graph: (endpointId) => [mutation('stopEndpoint', 'endpoint { id }'), { endpointId }],
  },
}

/** Whoever works for the org: the endpoint is queued, so a report is a conflict. */
const works = {
  createEndpoint: 201,
  estimateEndpoint: 200,
  getEndpoint: 200,
  listEndpoints: 200,
  claimEndpoint: 200,
  reportEndpoint: 409,
  stopEndpoint: 202,
}
const each = (status: number) => Object.fromEntries(Object.keys(works).map((name) => [name, status]))
const reads = { ...each(403), getEndpoint: 200, listEndpoints: 200 }
const outside = { ...each(404), listEndpoints: 200 }
const expected: Record<string, Record<string, number>> = {
  nobody: each(401),
  owner: works,
  member: works,
  train: works,
  agent: works,
  org: works,
  limited: works,
  read: reads,
  write: reads,
  stranger: outside,
  elsewhere: outside,
  // Having made it does not outlast the membership.
  left: outside,
  // It serves its own endpoint, and sees no other.
  job: { ...works, createEndpoint: 403, estimateEndpoint: 403, listEndpoints: 403, stopEndpoint: 403 },
}

describe.each(Object.keys(expected))('the credential %s', (name) => {
  it('has the same rights in `/v1` and in the graph, those of the table', async () => {
    const [rest, graph]: Record<string, number>[] = [{}, {}]
    for (const [operation, { rest: asRest, graph: asGraph }] of Object.entries(operations)) {
      const [method, path, body] = asRest(await queued())
      const answer = await hub.call(who[name] ?? null, method, path, body)
      if (rest) rest[operation] = answer.status
      const [document, input] = asGraph(await queued())
      const { data, errors } = await hub.graphql(who[name] ?? null, document, input && { input })
      const shown = data && Object.values(data as Json)[0]
      const found = shown === null ? 404 : (expected[name]?.[operation] ?? 0)
      if (graph) graph[operation] = errors ? errors[0].extensions.status : found
    }
    expect({ rest, graph }).toEqual({ rest: expected[name], graph: expected[name] })
  })
})
