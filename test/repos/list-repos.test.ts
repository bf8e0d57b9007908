import { beforeAll, describe, expect, it } from 'vitest'
import { plainMembers } from '../../src/repos/plain-repo.ts'
import { contractHub, type Json, type Person, places, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let bob: Person

beforeAll(async () => {
  bob = await hub.person()
})

/** What is selected of members that are objects. */
const below: Readonly<Record<string, string>> = {
  owner: ' { id kind handle name }',
  fileSummary: ' { count totalBytes verifiedCount }',
  files: ' { nodes { path } }',
}

const list = (who: Who, query: string) => hub.call(who, 'GET', `/v1/repos?${query}`)
const names = (answer: { json: Json }): string[] => answer.json.items.map((item: Json) => item.full_name)

describe('listing repos', () => {
  it('shows public ones and the caller’s own and orgs’ private ones, newest first', async () => {
    const [cleo, olga] = [await hub.person(), await hub.person()]
    const org = await hub.org([{ user: cleo.handle, role: 'member' }])
    const mine = await hub.repo(cleo)
    const ours = await hub.repo(cleo, { owner: org })
    const open = await hub.repo(olga, { visibility: 'public' })
    const hidden = await hub.repo(olga)
    expect(names(await list(cleo, 'limit=100')).slice(0, 3)).toEqual([open, ours, mine])
    expect(names(await list(cleo, 'limit=100'))).not.toContain(hidden)
    expect(names(await list(null, 'limit=100'))).toContain(open)
    expect(names(await list(null, 'limit=100'))).not.toContain(mine)
    expect(names(await list(cleo, `visibility=private`))).toEqual([ours, mine])
    expect(names(await list(cleo, `visibility=public&owner=${olga.handle}`))).toEqual([open])
    expect(names(await list(null, 'visibility=private'))).toEqual([])
  })

  it('reads the same whether computed members are selected beside them or not', async () => {
    const finn = await hub.person()
    for (const kind of ['robot', 'model', 'dataset'])
      await hub.repo(finn, { kind, tags: ['x'], description: 'd', visibility: 'public' })
    const plain = [...plainMembers].map((name) => `${name}${below[name] ?? ''}`).join(' ')
    const ask = async (selected: string) => {
      const text = `query ($owner: String!) { repos(owner: $owner, first: 2) { ${selected} pageInfo { hasNextPage endCursor } } }`
      const { data, errors } = await hub.graphql(finn, text, { owner: finn.handle })
      expect(errors).toBeUndefined()
      return data.repos
    }
    const whole = await ask(`nodes { ${plain} commitId policyCount cardTags }`)
    expect(whole.nodes.map(({ kind }: Json) => kind)).toEqual(['DATASET', 'MODEL'])
    const without = ({ commitId, policyCount, cardTags, ...rest }: Json) => rest
    expect(await ask(`nodes { ${plain} }`)).toEqual({ ...whole, nodes: whole.nodes.map(without) })
    const { edges } = await ask(`edges { cursor node { __typename ... on Repo { ${plain} } } }`)
    expect(edges.map(({ node: { __typename, ...node } }: Json) => node)).toEqual(whole.nodes.map(without))
    // One computed member among the fragments, and all of a row is read.
    const mixed = await ask(
      `nodes { id ... on Repo { slug ... on Repo { commitId license modelMeta { policyType } } } }`,
    )
    expect(mixed.nodes.map(({ commitId }: Json) => commitId)).toEqual(whole.nodes.map(({ commitId }: Json) => commitId))
  })

  it('narrows by q, kind, owner and all of the tags', async () => {
    const dora = await hub.person()
    const a = await hub.repo(dora, { slug: 'pick-and-place', tags: ['a', 'b'], description: 'Fifty% of_it' })
    const b = await hub.repo(dora, { kind: 'model', slug: 'walker', tags: ['b', 'c'], description: 'places its feet' })
    const of = async (query: string) => names(await list(dora, `owner=${dora.handle}&${query}`))
    expect(await of('q=PLACE')).toEqual([b, a])
    expect(await of('q=walker')).toEqual([b])
    expect(await of('q=%25')).toEqual([a])
    expect(await of('q=_')).toEqual([a])
    expect(await of('q=%5C')).toEqual([])
    expect(await of('q=fifty%25%20of_')).toEqual([a])
    // No sign means anything but itself.
    for (const q of ['p.ck', '^pick', '***', '***:(', '[', 'pick-*', '(?i)pick', '\\w', 'p{1'])
      expect(await of(`q=${encodeURIComponent(q)}`)).toEqual([])
    expect(await of('q=')).toEqual([b, a])
    expect(await of('kind=model')).toEqual([b])
    expect(await of('kind=robot')).toEqual([])
    expect(await of('tag=b')).toEqual([b, a])
    expect(await of('tag=b&tag=a')).toEqual([a])
    expect(await of('tag=a&tag=c')).toEqual([])
    expect(names(await list(dora, 'owner=nobody-here'))).toEqual([])
    const search = `query ($owner: String!) { repos(owner: $owner, tag: ["b", "a"], kind: DATASET) { nodes { fullName } } }`
    expect((await hub.graphql(dora, search, { owner: dora.handle })).data.repos.nodes).toEqual([{ fullName: a }])
  })

  it('finds models and datasets of a robot, ignoring letter case, and robots of an interface', async () => {
    const eve = await hub.person()
    const robot = await hub.repo(eve, { kind: 'robot', visibility: 'public' })
    const model = await hub.repo(eve, { kind: 'model' })
    const dataset = await hub.repo(eve)
    await hub.call(eve, 'PUT', `/v1/models/${model}/meta`, { policy_type: 'act', robot })
    const meta = { episode_count: 1, total_frames: 1, robot_type: robot.toUpperCase() }
    await hub.call(eve, 'PUT', `/v1/datasets/${dataset}/meta`, meta)
    expect(names(await list(eve, `robot=${encodeURIComponent(robot)}`))).toEqual([dataset, model])
    expect(names(await list(eve, `robot=${encodeURIComponent(robot.toUpperCase())}&kind=model`))).toEqual([model])
    expect(names(await list(eve, 'robot=no/one'))).toEqual([])
    const policies = async (who: Who) => (await hub.call(who, 'GET', `/v1/repos/${robot}`)).json.policy_count
    expect([await policies(eve), await policies(bob), await policies(null)]).toEqual([1, 0, 0])
    const { id } = (await hub.call(eve, 'GET', `/v1/repos/${robot}`)).json
    const fingerprint = 'c'.repeat(64)
    await hub.sql(
      'insert into robot_cards (repo_id, card, card_bytes, interface_fingerprint) values ($1, \'{"dof":1,"actuators":[]}\', 24, $2)',
      [id, fingerprint],
    )
    expect(names(await list(null, `interface_fingerprint=${fingerprint}`))).toEqual([robot])
    expect(names(await list(null, `interface_fingerprint=${'d'.repeat(64)}`))).toEqual([])
    expect((await list(null, 'interface_fingerprint=short')).status).toBe(422)
  })

  it('counts facets over every visible repo, ignoring q, tag, visibility and robot', async () => {
    const finn = await hub.person()
    await hub.repo(finn, { tags: ['b', 'a'] })
    await hub.repo(finn, { tags: ['b'], kind: 'model', visibility: 'public' })
    await hub.repo(finn)
    const facets = async (who: Who, query: string) => (await list(who, `owner=${finn.handle}&${query}`)).json.facets
    const whole = {
      total: 3,
      tags: [
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ],
      licenses: [],
    }
    for (const wanted of ['facets=1', 'facets=true', 'facets=tags'])
      for (const filter of ['', '&q=zzz', '&tag=a', '&visibility=public', '&robot=no/one', '&limit=1'])
        expect(await facets(finn, `${wanted}${filter}`)).toEqual(whole)
    expect(await facets(finn, 'facets=1&kind=model')).toEqual({
      total: 1,
      tags: [{ value: 'b', count: 1 }],
      licenses: [],
    })
    expect(await facets(null, 'facets=1')).toEqual({ total: 1, tags: [{ value: 'b', count: 1 }], licenses: [] })
    for (const off of ['', 'facets=', 'facets=0', 'facets=false'])
      expect((await list(finn, `owner=${finn.handle}&${off}`)).json).not.toHaveProperty('facets')
    expect((await list(finn, 'facets=yes')).status).toBe(422)
  })

  it('has at most 100 buckets, by count descending, then tag ascending', async () => {
    const gus = await hub.person()
    for (let at = 0; at < 6; at += 1)
      await hub.repo(gus, {
        tags: Array.from({ length: 20 }, (_, tag) => `t${String(at * 20 + tag).padStart(3, '0')}`),
      })
    await hub.repo(gus, { tags: ['t119', 't118'] })
    const { tags } = (await list(gus, `owner=${gus.handle}&facets=1&limit=1`)).json.facets
    expect(tags).toHaveLength(100)
    expect(tags.slice(0, 4).map((bucket: Json) => `${bucket.value} ${bucket.count}`)).toEqual([
      't118 2',
      't119 2',
      't000 1',
      't001 1',
    ])
  })

  it('accepts limit 1 to 100, 20 by default; other values and unknown parameters are 422', async () => {
    const hal = await hub.person()
    for (let at = 0; at < 21; at += 1) await hub.repo(hal)
    const own = `owner=${hal.handle}`
    expect(names(await list(hal, own))).toHaveLength(20)
    expect(names(await list(hal, `${own}&limit=100`))).toHaveLength(21)
    expect(names(await list(hal, `${own}&limit=1`))).toHaveLength(1)
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=1.5',
      'limit=a',
      'limit=',
      'sort=name',
      'kind=thing',
      'visibility=all',
    ])
      expect([query, (await list(hal, query)).status]).toEqual([query, 422])
    const unknown = await list(hal, 'colour=red')
    expect([unknown.status, types(unknown), places(unknown)]).toEqual([
      422,
      ['validation.unknown_member'],
      [['query', 'colour']],
    ])
  })

  it.each(['created', 'updated'])('by %s: skips and repeats nothing under inserts and deletes', async (sort) => {
    const ida = await hub.person()
    const all: string[] = []
    for (let at = 0; at < 7; at += 1) all.unshift(await hub.repo(ida))
    const base = `owner=${ida.handle}&sort=${sort}&limit=2`
    const first = await list(ida, base)
    expect(names(first)).toEqual(all.slice(0, 2))
    await hub.repo(ida)
    await hub.call(ida, 'DELETE', `/v1/repos/${all[1]}`)
    const second = await list(ida, `${base}&cursor=${first.json.next_cursor}`)
    expect(names(second)).toEqual(all.slice(2, 4))
    await hub.call(ida, 'DELETE', `/v1/repos/${all[3]}`)
    const next = second.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1] ?? ''
    const third = await hub.call(ida, 'GET', next)
    expect(names(third)).toEqual(all.slice(4, 6))
    const last = await list(ida, `${base}&cursor=${third.json.next_cursor}`)
    expect([names(last), last.json.next_cursor, last.headers.get('link')]).toEqual([all.slice(6), null, null])
  })

  it('rejects a cursor that is malformed or of another listing', async () => {
    const jan = await hub.person()
    const name = await hub.repo(jan)
    await hub.repo(jan)
    await hub.upload(jan, name, { a: 'a', b: 'b' })
    const mine = (await list(jan, `owner=${jan.handle}&limit=1`)).json.next_cursor
    const tree = (await hub.call(jan, 'GET', `/v1/repos/${name}/tree?limit=1`)).json.next_cursor
    expect(mine).toMatch(/^[\w-]+$/)
    for (const query of [
      `cursor=${mine}`,
      `owner=${jan.handle}&sort=updated&cursor=${mine}`,
      `owner=${jan.handle}&q=a&cursor=${mine}`,
      `owner=${jan.handle}&cursor=${tree}`,
      `owner=${jan.handle}&cursor=${mine}x`,
      `owner=${jan.handle}&cursor=!`,
      `owner=${jan.handle}&cursor=${'a'.repeat(513)}`,
    ]) {
      const refused = await list(jan, query)
      expect([query, refused.status, places(refused)]).toEqual([query, 422, [['query', 'cursor']]])
    }
    expect((await hub.call(jan, 'GET', `/v1/repos/${name}/tree?limit=1&cursor=${mine}`)).status).toBe(422)
    const graph = await hub.graphql(jan, `query ($after: String) { repos(after: $after) { nodes { id } } }`, {
      after: tree,
    })
    expect(graph.errors[0].extensions).toMatchObject({
      status: 422,
      problem: { errors: [{ type: 'validation.cursor' }] },
    })
  })

  it('rejects a forged cursor with invalid parts before they reach the database', async () => {
    const kim = await hub.person()
    await hub.repo(kim)
    await hub.repo(kim)
    const forged = (cursor: string, key: readonly unknown[]) => {
      const mark = Buffer.from(cursor, 'base64url').toString().slice(0, 12)
      return Buffer.from(mark + JSON.stringify(key)).toString('base64url')
    }
    const query = `owner=${kim.handle}&sort=updated&limit=1`
    const good = (await list(kim, query)).json.next_cursor as string
    const [at, id] = JSON.parse(Buffer.from(good, 'base64url').toString().slice(12))
    expect((await list(kim, `${query}&cursor=${forged(good, [at, id])}`)).status).toBe(200)
    for (const key of [
      ['2024-02-31T00:00:00.000Z', id],
      ['0000-01-01T00:00:00.000Z', id],
      [at, id, id],
      [at, 'repo_1'],
      [null, id],
      [id],
    ]) {
      const refused = await list(kim, `${query}&cursor=${forged(good, key)}`)
      expect([key, refused.status, places(refused)]).toEqual([key, 422, [['query', 'cursor']]])
    }
    const audit = (after: string | null) =>
      hub.graphql(
        kim,
        `query ($after: String) { auditLog(account: "${kim.handle}", first: 1, after: $after) { edges { cursor } } }`,
        { after },
      )
    const entry = (await audit(null)).data.auditLog.edges[0].cursor as string
    for (const key of [[null], [7], ['zzz'], []])
      expect([key, (await audit(forged(entry, key))).errors?.[0].extensions.status]).toEqual([key, 422])
  })
})
