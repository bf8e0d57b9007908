/** Spec, "GET /v1/endpoints" and "GET /v1/endpoints/{endpoint_id}": filters, bounds and cursors, and who sees an endpoint. */
import { beforeAll, describe, expect, it } from 'vitest'
import { putEndpoint } from '../support/endpoints.ts'
import { contractHub, type Json, type Person, places, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let org: string
let model: { id: string; name: string }
let other: { id: string; name: string }
/** Newest first. */
const ids: string[] = []

const idOf = async (handle: string) =>
  (await hub.sql<{ id: string }>('select id from accounts where handle = $1', [handle]))[0]?.id ?? ''
const newModel = async () => {
  const name = await hub.repo(ada, { kind: 'model' })
  return { name, id: (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id as string }
}

beforeAll(async () => {
  ada = await hub.person()
  org = await hub.org([{ user: ada.handle, role: 'owner' }])
  model = await newModel()
  other = await newModel()
  const of = (given: Partial<Parameters<typeof putEndpoint>[1]>) =>
    putEndpoint(hub.running.deps.db, { ownerId: ada.id, modelRepo: model, ...given })
  ids.unshift(await of({}))
  ids.unshift(await of({ status: 'running' }))
  ids.unshift(await of({ modelRepo: other, executor: 'hosted', status: 'stopped' }))
  ids.unshift(await of({ ownerId: await idOf(org) }))
})

const list = (query: string, who: Who = ada) => hub.call(who, 'GET', `/v1/endpoints?${query}`)
const idsOf = ({ items }: Json) => items.map(({ id }: Json) => id)
const at = (...places: number[]) => places.map((place) => ids[place])

describe('listEndpoints', () => {
  it.each([
    ['', () => ids],
    ['status=queued', () => at(0, 3)],
    ['status=running', () => at(2)],
    ['status=failed', () => []],
    ['executor=hosted', () => at(1)],
    ['status=queued&executor=worker', () => at(0, 3)],
    ['model_repo=MODEL', () => at(0, 2, 3)],
    ['model_repo=MODEL&status=running', () => at(2)],
    ['owner=ORG', () => at(0)],
    ['owner=ADA', () => at(1, 2, 3)],
    ['owner=nobody-there', () => []],
    ['owner=NOBODY%20AT%20ALL', () => []],
    ['model_repo=nobody/there', () => []],
    ['model_repo=nothing', () => []],
  ] as [string, () => string[]][])('lists what ?%s asks for, newest first', async (query, expected) => {
    const asked = query.replace('MODEL', model.name).replace('ORG', org).replace('ADA', ada.handle)
    const { status, json } = await list(asked)
    expect([status, idsOf(json)]).toEqual([200, expected()])
  })

  it.each([
    ['status=done', 'status'],
    ['status=QUEUED', 'status'],
    ['executor=cloud', 'executor'],
    [`model_repo=${'a'.repeat(131)}`, 'model_repo'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    [`cursor=${'a'.repeat(513)}`, 'cursor'],
    ['name=x', 'name'],
  ])('is 422 for ?%s', async (query, member) => {
    const refused = await list(query)
    expect([refused.status, places(refused)]).toEqual([422, [['query', member]]])
  })

  it('pages without a gap or a repeat, and a cursor is good for its own listing alone', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { json } = await list(`limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...idsOf(json))
      cursor = json.next_cursor
    } while (cursor)
    expect(seen).toEqual(ids)
    const { next_cursor } = (await list('limit=1')).json
    expect((await list(`limit=1&status=queued&cursor=${next_cursor}`)).status).toBe(422)
  })
})

describe('an endpoint', () => {
  it('is seen by the account that is billed, and by nobody else: 404, and not on a page', async () => {
    const [member, stranger] = [await hub.person(), await hub.person()]
    const [readKey, limited, elsewhere] = [
      await hub.key(ada, { scope: 'read' }),
      await hub.key(ada, { repos: [model.name] }),
      await hub.key(ada, { repos: [other.name] }),
    ]
    await hub.sql(`insert into memberships (user_id, org_id, role) values ($1, $2, 'member')`, [
      member.id,
      await idOf(org),
    ])
    const ofOrg = await hub.key(org)
    const seen = async (who: Who) => {
      const listed = await list('', who)
      const read = await Promise.all(ids.map((id) => hub.call(who, 'GET', `/v1/endpoints/${id}`)))
      const graph = await Promise.all(ids.map((id) => hub.graphql(who, `{ endpoint(id: "${id}") { id } }`)))
      const nodes = await hub.graphql(who, `{ nodes(ids: ${JSON.stringify(ids)}) { id } }`)
      const found = ids.filter((_, place) => read[place]?.status === 200)
      expect(read.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([])
      expect(idsOf(listed.json)).toEqual(found)
      expect(graph.flatMap(({ data }) => (data.endpoint ? [data.endpoint.id] : []))).toEqual(found)
      expect(nodes.data.nodes.flatMap((node: Json) => (node ? [node.id] : []))).toEqual(found)
      return found
    }
    expect(await seen(ada)).toEqual(ids)
    expect(await seen(readKey)).toEqual(ids)
    expect(await seen(member)).toEqual(at(0))
    expect(await seen(ofOrg)).toEqual(at(0))
    expect(await seen(limited)).toEqual(at(0, 2, 3))
    expect(await seen(elsewhere)).toEqual(at(1))
    expect(await seen(stranger)).toEqual([])
  })

  it('needs a credential, and its id may be anything: 401, 404', async () => {
    expect((await list('', null)).status).toBe(401)
    expect((await hub.call(null, 'GET', `/v1/endpoints/${ids[0]}`)).status).toBe(401)
    expect((await hub.call(ada, 'GET', '/v1/endpoints/ep_x')).status).toBe(404)
    expect((await hub.call(ada, 'GET', `/v1/endpoints/${'9'.repeat(300)}`)).status).toBe(404)
  })

  it('is joined to its model, and the model to its endpoints in pages', async () => {
    const [owner = '', slug = ''] = model.name.split('/')
    const page = (args: string) =>
      `{ repo(owner: "${owner}", slug: "${slug}") { endpoints(${args}) { nodes { id model { fullName } owner { handle } } pageInfo { endCursor hasNextPage } } } }`
    const first = (await hub.graphql(ada, page('first: 2'))).data.repo.endpoints
    expect(first.nodes).toEqual([
      { id: ids[0], model: { fullName: model.name }, owner: { handle: org } },
      { id: ids[2], model: { fullName: model.name }, owner: { handle: ada.handle } },
    ])
    expect(first.pageInfo.hasNextPage).toBe(true)
    const rest = (await hub.graphql(ada, page(`first: 2, after: "${first.pageInfo.endCursor}"`))).data.repo.endpoints
    expect(idsOf({ items: rest.nodes })).toEqual(at(3))
    const queued = (await hub.graphql(ada, page('first: 9, status: RUNNING'))).data.repo.endpoints
    expect(idsOf({ items: queued.nodes })).toEqual(at(2))
  })
})
