/** `datasets` and `base_model` of a card are edges between repos of this hub, from both ends, as far as the caller sees both. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../../support/hub.ts'
import { statementsOf } from '../../support/request-statements.ts'

const hub = contractHub()
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const slugOf = (name: string) => name.split('/')[1] ?? ''
const card = (yaml: string) => ({ 'README.md': `---\n${yaml}\n---\n# ${newName()}\n` })
const modelOf = async (yaml: string, fields: Json = {}, who: Person = ada) => {
  const repo = await hub.repo(who, { kind: 'model', ...fields })
  await hub.upload(who, repo, card(yaml))
  return repo
}

const QUERY = `query ($owner: String!, $slug: String!, $first: Int, $after: String) { repo(owner: $owner, slug: $slug) {
  sources { relation name repo { fullName } }
  usedBy { repos(first: $first, after: $after) { nodes { fullName } pageInfo { hasNextPage endCursor } } } } }`

const lineage = async (who: Who, repo: string, page: Json = {}) => {
  const [owner = '', slug = ''] = repo.split('/')
  const { data, errors } = await hub.graphql(who, QUERY, { owner, slug, ...page })
  expect(errors).toBeUndefined()
  return data.repo
}
const sources = async (who: Who, repo: string): Promise<Json> =>
  (await lineage(who, repo)).sources.map((one: Json) => [one.relation, one.name, one.repo?.fullName ?? null])
const users = async (who: Who, repo: string): Promise<Json> =>
  (await lineage(who, repo)).usedBy.repos.nodes.map((one: Json) => one.fullName)

describe('the sources of a repo', () => {
  it('are what its card names, in its order, with the repos here that have these names and are of that kind', async () => {
    const data = await hub.repo(ada)
    const base = await hub.repo(ada, { kind: 'model' })
    const yaml = `datasets: [${data}, else/where, ${base}]\nbase_model: [${base}, ${data}, no name at all, ""]`
    const model = await modelOf(yaml)
    expect(await sources(ada, model)).toEqual([
      ['DATASET', data, data],
      ['DATASET', 'else/where', null],
      ['DATASET', base, null],
      ['BASE_MODEL', base, base],
      ['BASE_MODEL', data, null],
      ['BASE_MODEL', 'no name at all', null],
    ])
    expect([await users(ada, data), await users(ada, base)]).toEqual([[model], [model]])
    await hub.upload(ada, model, card('license: mit'))
    expect([await sources(ada, model), await users(ada, data)]).toEqual([[], []])
  })

  it('are found by the slug, and by the name as another client gave it, in any letter case', async () => {
    const name = `Pick_${newName().replace('-', '.')}`
    const made = await hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', hf_name: name })
    expect(made.status).toBe(201)
    const data = made.json.full_name
    const given = `${ada.handle}/${name}`
    const mixed = given.replaceAll('_', '-')
    const found = []
    for (const one of [data, given, given.toUpperCase(), mixed]) {
      const model = await modelOf(`datasets: ${one}`)
      found.unshift([model, (await sources(ada, model))[0][2]])
    }
    // The last one is neither: it has a hyphen for the one sign, and a dot for the other.
    expect(found.map(([, repo]) => repo)).toEqual([null, data, data, data])
    expect(await users(ada, data)).toEqual(found.slice(1).map(([model]) => model))
  })

  it('may come later, move, and go', async () => {
    const slug = newName()
    const model = await modelOf(`datasets: ${ada.handle}/${slug}`)
    expect((await sources(ada, model))[0][2]).toBeNull()
    const data = await hub.repo(ada, { slug })
    expect([(await sources(ada, model))[0][2], await users(ada, data)]).toEqual([data, [model]])
    const moved = (await hub.call(ada, 'POST', `/v1/repos/${data}/move`, { slug: newName() })).json.full_name
    expect([(await sources(ada, model))[0][2], await users(ada, moved)]).toEqual([moved, [model]])
    // Whoever takes the name is meant from then on.
    const other = await hub.repo(ada, { slug })
    expect([(await sources(ada, model))[0][2], await users(ada, moved)]).toEqual([other, []])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${other}`)).status).toBe(204)
    expect((await sources(ada, model))[0][2]).toBeNull()
  })
})

describe('/v1', () => {
  it('has the sources of a repo, and a page of the repos that are made from it', async () => {
    const data = await hub.repo(ada, { visibility: 'public' })
    const secret = await hub.repo(ada)
    const yaml = `datasets: [${data}, ${secret}, Else/Where]`
    const [first, second] = [await modelOf(yaml, { visibility: 'public' }), await modelOf(yaml)]
    const get = (who: Who, path: string) => hub.call(who, 'GET', `/v1/repos/${path}`)
    const of = async (who: Who) =>
      (await get(who, `${first}/sources`)).json.sources.map((one: Json) => [one.relation, one.name, one.repo])
    const { id } = (await get(ada, data)).json
    const shown = { id, kind: 'dataset', full_name: data, visibility: 'public' }
    expect(await of(bob)).toEqual([
      ['dataset', data, shown],
      ['dataset', secret, null],
      ['dataset', 'Else/Where', null],
    ])
    expect((await of(ada))[1][2]).toMatchObject({ full_name: secret, visibility: 'private' })
    const uses = async (who: Who, query = '') => (await get(who, `${data}/used-by/repos${query}`)).json
    const page = await uses(ada, '?limit=1')
    const rest = await uses(ada, `?limit=1&cursor=${encodeURIComponent(page.next_cursor)}`)
    expect([page, rest].map(({ items }: Json) => items[0].full_name)).toEqual([second, first])
    expect([page.items.length, rest.items.length, rest.next_cursor]).toEqual([1, 1, null])
    // As in every list of repos: what is not set is left out.
    expect(page.items[0]).toMatchObject({ kind: 'model', card_data: { datasets: [data, secret, 'Else/Where'] } })
    expect(page.items[0]).not.toHaveProperty('license')
    expect((await uses(bob)).items.map((one: Json) => one.full_name)).toEqual([first])
    for (const path of ['sources', 'used-by/repos']) {
      expect((await get(bob, `${secret}/${path}`)).status).toBe(404)
      expect((await get(ada, `${secret}/${path}`)).status).toBe(200)
    }
    expect((await get(ada, `${data}/used-by/repos?cursor=zzz`)).status).toBe(422)
  })
})

describe('a hidden repo', () => {
  it('is no source and no use for whom does not see it, whatever cards say', async () => {
    const secret = await hub.repo(ada)
    const open = await hub.repo(ada, { visibility: 'public' })
    const yaml = `datasets: [${secret}, ${open}]`
    const shown = await modelOf(yaml, { visibility: 'public' })
    const hidden = await modelOf(yaml)
    const theirs = await modelOf(yaml, {}, bob)
    const limited = await hub.key(ada, { repos: [hidden] })
    for (const who of [bob, null, limited])
      expect((await sources(who, shown)).map((one: Json) => one[2])).toEqual([null, open])
    expect((await sources(ada, shown)).map((one: Json) => one[2])).toEqual([secret, open])
    expect(await users(ada, open)).toEqual([hidden, shown])
    expect(await users(bob, open)).toEqual([theirs, shown])
    expect(await users(null, open)).toEqual([shown])
    expect(await users(limited, open)).toEqual([hidden, shown])
    expect((await hub.graphql(bob, QUERY, { owner: ada.handle, slug: slugOf(secret) })).data.repo).toBeNull()
  })
})

describe('a page of uses', () => {
  it('goes on where the one before ended, and a repo is no use of itself', async () => {
    const data = await hub.repo(ada)
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) made.unshift(await modelOf(`datasets: [${data}]`))
    await hub.upload(ada, data, card(`datasets: [${data}]`))
    const { nodes, pageInfo } = (await lineage(ada, data, { first: 3 })).usedBy.repos
    const rest = (await lineage(ada, data, { first: 3, after: pageInfo.endCursor })).usedBy.repos
    expect([...nodes, ...rest.nodes].map((one: Json) => one.fullName)).toEqual(made)
    expect([pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false])
    const other = await hub.graphql(ada, QUERY, { owner: ada.handle, slug: slugOf(data), after: 'zzz' })
    expect(other.errors[0].extensions.problem.status).toBe(422)
  })

  it('costs as many statements for a page of repos as for one, and so do sources and headers', async () => {
    // The newest two of the page are both ends of an edge.
    const slug = newName()
    for (let at = 0; at < 6; at += 1) await modelOf(`datasets: ${ada.handle}/${slug}`)
    await hub.repo(ada, { slug })
    await modelOf(`datasets: ${ada.handle}/${slug}`)
    const ask = (first: number) =>
      statementsOf(hub.running.deps.db, async () => {
        const { errors } = await hub.graphql(
          ada,
          `query ($owner: String!, $first: Int!) { repos(owner: $owner, first: $first) { nodes { cardData cardTags
            sources { name repo { fullName cardData } } usedBy { repos(first: 5) { nodes { fullName cardData } } } } } }`,
          { owner: ada.handle, first },
        )
        expect(errors).toBeUndefined()
      })
    const [small, large] = [await ask(2), await ask(8)]
    expect(large).toBe(small)
    expect(large).toBeLessThanOrEqual(9)
  })
})
