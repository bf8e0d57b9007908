import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, places, types, type Who } from '../support/hub.ts'

const hub = contractHub()
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const create = (who: Who, body: unknown) => hub.call(who, 'POST', '/v1/repos', body)
const list = (who: Who, query: string) => hub.call(who, 'GET', `/v1/repos?${query}`)
const names = (answer: { json: Json }): string[] => answer.json.items.map((item: Json) => item.full_name)
const fresh = (change: Record<string, unknown> = {}) => ({ kind: 'model', slug: newName(), ...change })

describe('creating a repo', () => {
  it('returns 201 with Location and the full Repo, private by default, under the caller', async () => {
    const slug = newName()
    const made = await create(ada, { kind: 'dataset', slug })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/v1/repos/${ada.handle}/${slug}`)
    expect(made.json).toEqual({
      id: expect.stringMatching(/^repo_[0-9a-z]{26}$/),
      commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      kind: 'dataset',
      owner: { id: ada.id, kind: 'user', handle: ada.handle, name: null },
      slug,
      full_name: `${ada.handle}/${slug}`,
      visibility: 'private',
      description: null,
      tags: [],
      file_summary: { count: 0, total_bytes: 0, verified_count: 0 },
      policy_count: null,
      created_at: isTime,
      updated_at: isTime,
    })
    expect((await hub.call(ada, 'GET', `/v1/repos/${ada.handle}/${slug}`)).json).toEqual(made.json)
  })

  it('accepts null for owner, description, tags and visibility', async () => {
    const made = await create(ada, fresh({ owner: null, description: null, tags: null, visibility: null }))
    expect(made.json).toMatchObject({ description: null, tags: [], visibility: 'private' })
  })

  it('rejects a taken slug with 409, across kinds', async () => {
    const slug = newName()
    await create(ada, { kind: 'dataset', slug })
    const twin = await create(ada, { kind: 'robot', slug })
    expect([twin.status, types(twin), places(twin)]).toEqual([409, ['conflict.taken'], [['body', 'slug']]])
    expect((await create(bob, { kind: 'robot', slug })).status).toBe(201)
  })

  it('accepts only slugs of 1 to 64 lower-case letters, digits and inner hyphens', async () => {
    const one = newName().slice(-1)
    for (const slug of [one, 'a'.repeat(64), `a-${'-'.repeat(3)}b`])
      expect([slug, (await create(await hub.person(), { kind: 'model', slug })).status]).toEqual([slug, 201])
    for (const slug of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a/b', 'ä', 'a\n', 'a'.repeat(65)])
      expect([slug, (await create(ada, { kind: 'model', slug })).status]).toEqual([slug, 422])
  })

  it('accepts at most 20 tags, drops duplicates and keeps the order', async () => {
    const tags = Array.from({ length: 20 }, (_, at) => `t${at}`).reverse()
    expect((await create(ada, fresh({ tags: [...tags, 't3', 't19'] }))).json.tags).toEqual(tags)
    expect((await create(ada, fresh({ tags: [...tags, 'one-more'] }))).status).toBe(422)
    const odd = ['0', 'a.b_c:d+e-f', `a${'b'.repeat(49)}`]
    expect((await create(ada, fresh({ tags: odd }))).json.tags).toEqual(odd)
    for (const tag of ['', '-a', 'A', 'a b', `a${'b'.repeat(50)}`, 'ä'])
      expect([tag, (await create(ada, fresh({ tags: ['ok', tag] }))).status]).toEqual([tag, 422])
  })

  it('accepts a description of at most 4,000 characters', async () => {
    expect((await create(ada, fresh({ description: 'd'.repeat(4000) }))).status).toBe(201)
    const long = await create(ada, fresh({ description: 'd'.repeat(4001) }))
    expect([long.status, places(long)]).toEqual([422, [['body', 'description']]])
  })

  it('names every missing, unknown and wrongly typed member with its place', async () => {
    const refused = await create(ada, { slug: 7, visibility: 'hidden', color: 'red', tags: 'a' })
    expect(refused.status).toBe(422)
    expect(refused.json.errors).toEqual(
      expect.arrayContaining([
        { type: 'validation.required', detail: expect.any(String), loc: ['body', 'kind'] },
        { type: 'validation.type', detail: expect.any(String), loc: ['body', 'slug'] },
        { type: 'validation.value', detail: expect.any(String), loc: ['body', 'visibility'] },
        { type: 'validation.unknown_member', detail: expect.stringContaining('color'), loc: ['body', 'color'] },
        { type: 'validation.type', detail: expect.any(String), loc: ['body', 'tags'] },
      ]),
    )
    expect((await create(ada, fresh({ kind: 'DATASET' }))).status).toBe(422)
  })
})

describe('changing a repo', () => {
  it('keeps omitted members, and null clears description and tags', async () => {
    const name = await hub.repo(ada, { description: 'old', tags: ['a', 'b'] })
    const patch = (body: unknown) => hub.call(ada, 'PATCH', `/v1/repos/${name}`, body)
    expect((await patch({})).json).toMatchObject({ description: 'old', tags: ['a', 'b'], visibility: 'private' })
    expect((await patch({ tags: null })).json).toMatchObject({ description: 'old', tags: [] })
    expect((await patch({ tags: ['c', 'c'] })).json).toMatchObject({ description: 'old', tags: ['c'] })
    expect((await patch({ description: null })).json).toMatchObject({ description: null, tags: ['c'] })
    expect((await patch({ visibility: 'public' })).json).toMatchObject({ visibility: 'public', tags: ['c'] })
    expect((await patch({ visibility: null })).status).toBe(422)
    const renamed = await patch({ slug: 'other' })
    expect([renamed.status, types(renamed)]).toEqual([422, ['validation.unknown_member']])
  })

  it('updates updated_at and not created_at', async () => {
    const name = await hub.repo(ada)
    await hub.sql(
      "update repos set created_at = now() - interval '1 day', updated_at = now() - interval '1 day' where slug = $1",
      [name.split('/')[1]],
    )
    const before = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json
    const after = (await hub.call(ada, 'PATCH', `/v1/repos/${name}`, { description: 'new' })).json
    expect(after.created_at).toBe(before.created_at)
    expect(after.updated_at > before.updated_at).toBe(true)
  })
})

describe('deleting a repo', () => {
  it('returns 204, frees the slug and its storage', async () => {
    const name = await hub.repo(ada)
    const used = async () => (await hub.call(ada, 'GET', '/v1/me')).json.storage.used_bytes
    const before = await used()
    await hub.upload(ada, name, { 'a.txt': 'twelve bytes' })
    expect(await used()).toBe(before + 12)
    const gone = await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect(await used()).toBe(before)
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(404)
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}/tree`)).status).toBe(404)
    expect((await create(ada, { kind: 'robot', slug: name.split('/')[1] })).status).toBe(201)
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}/tree`)).json.items).toEqual([])
  })

  it('is 409 while something references it, listing the references', async () => {
    const name = await hub.repo(ada)
    const { id } = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json
    await hub.sql(
      "insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id) values ($1, 'run_1', 'output', 'run', $2)",
      [id, ada.id],
    )
    const refused = await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.referenced']])
    expect(refused.json.errors[0].detail).toContain('run_1')
    await hub.sql('delete from repo_references where repo_id = $1', [id])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
  })
})

describe('meta blocks', () => {
  it('are replaced as a whole, present only when set, and 409 on another kind', async () => {
    const model = await hub.repo(ada, { kind: 'model' })
    const put = (body: unknown) => hub.call(ada, 'PUT', `/v1/models/${model}/meta`, body)
    const first = await put({ policy_type: 'act', control_class: 'skill', base_model: 'x/y', robot: 'so100' })
    expect(first.json.model_meta).toEqual({
      policy_type: 'act',
      base_model: 'x/y',
      source_run_id: null,
      control_class: 'skill',
      robot: 'so100',
      embodiment_fingerprint: null,
      embodiment_check: null,
      updated_at: isTime,
    })
    expect(first.json).not.toHaveProperty('dataset_meta')
    expect((await put({ policy_type: 'ppo' })).json.model_meta).toMatchObject({ base_model: null, control_class: null })
    for (const body of [
      {},
      { policy_type: null },
      { policy_type: 'a', control_class: 'fast' },
      { policy_type: 'a', updated_at: '' },
    ])
      expect((await put(body)).status).toBe(422)
    const wrong = await hub.call(ada, 'PUT', `/v1/datasets/${model}/meta`, { episode_count: 1, total_frames: 1 })
    expect([wrong.status, types(wrong)]).toEqual([409, ['conflict.wrong_kind']])
    const dataset = await hub.repo(ada)
    const block = { episode_count: 3, total_frames: 90, fps: 29.97, robot_type: 'Koch' }
    const set = await hub.call(ada, 'PUT', `/v1/datasets/${dataset}/meta`, block)
    expect(set.json.dataset_meta).toEqual({ ...block, updated_at: isTime })
    expect((await hub.call(ada, 'PUT', `/v1/datasets/${dataset}/meta`, { episode_count: 1 })).status).toBe(422)
    expect(
      (await hub.call(ada, 'PUT', `/v1/datasets/${dataset}/meta`, { episode_count: -1, total_frames: 1 })).status,
    ).toBe(422)
  })

  it('compare the policy’s fingerprint with the robot’s current one', async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    const { id } = (await hub.call(ada, 'GET', `/v1/repos/${robot}`)).json
    const model = await hub.repo(ada, { kind: 'model' })
    const check = async (fingerprint: string | null) =>
      (
        await hub.call(ada, 'PUT', `/v1/models/${model}/meta`, {
          policy_type: 'act',
          robot,
          embodiment_fingerprint: fingerprint,
        })
      ).json.model_meta.embodiment_check
    expect(await check('a'.repeat(64))).toBe('robot_undeclared')
    await hub.sql(
      'insert into robot_cards (repo_id, card, card_bytes, interface_fingerprint) values ($1, \'{"dof":1,"actuators":[]}\', 24, $2)',
      [id, 'a'.repeat(64)],
    )
    expect([await check('a'.repeat(64)), await check('b'.repeat(64)), await check(null)]).toEqual([
      'match',
      'mismatch',
      'policy_unstamped',
    ])
  })
})

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
    }
    for (const wanted of ['facets=1', 'facets=true', 'facets=tags'])
      for (const filter of ['', '&q=zzz', '&tag=a', '&visibility=public', '&robot=no/one', '&limit=1'])
        expect(await facets(finn, `${wanted}${filter}`)).toEqual(whole)
    expect(await facets(finn, 'facets=1&kind=model')).toEqual({ total: 1, tags: [{ value: 'b', count: 1 }] })
    expect(await facets(null, 'facets=1')).toEqual({ total: 1, tags: [{ value: 'b', count: 1 }] })
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

describe('GraphQL', () => {
  it('returns nodes by id in the order requested, null for unknown ids', async () => {
    const kim = await hub.person()
    const [a, b] = [await hub.repo(kim), await hub.repo(kim)]
    const [one, two] = [
      (await hub.call(kim, 'GET', `/v1/repos/${a}`)).json.id,
      (await hub.call(kim, 'GET', `/v1/repos/${b}`)).json.id,
    ]
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Repo { fullName } ... on Account { handle } } }`
    expect(
      (
        await hub.graphql(kim, query, {
          ids: [two, 'repo_nonsense', one, kim.id, 'nonsense', 'key_01h455vb4pex5vsknk084sn02q'],
        })
      ).data.nodes,
    ).toEqual([
      { __typename: 'Repo', id: two, fullName: b },
      null,
      { __typename: 'Repo', id: one, fullName: a },
      { __typename: 'Account', id: kim.id, handle: kim.handle },
      null,
      null,
    ])
    expect((await hub.graphql(kim, `{ node(id: "${one}") { id } }`)).data.node).toEqual({ id: one })
  })

  it('pages as connections do', async () => {
    const leo = await hub.person()
    const all = [await hub.repo(leo), await hub.repo(leo), await hub.repo(leo)].reverse()
    const query = `query ($owner: String!, $after: String) { repos(owner: $owner, first: 2, after: $after) {
      nodes { fullName } edges { cursor node { fullName } } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } } }`
    const first = (await hub.graphql(leo, query, { owner: leo.handle })).data.repos
    expect(first.nodes.map((node: Json) => node.fullName)).toEqual(all.slice(0, 2))
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, endCursor: first.edges[1]?.cursor })
    const middle = (await hub.graphql(leo, query, { owner: leo.handle, after: first.edges[0]?.cursor })).data.repos
    expect(middle.nodes.map((node: Json) => node.fullName)).toEqual(all.slice(1))
    expect(middle.pageInfo.hasNextPage).toBe(false)
    for (const first of [0, 101, -1])
      expect((await hub.graphql(leo, `{ repos(first: ${first}) { nodes { id } } }`)).errors[0].extensions.status).toBe(
        422,
      )
  })

  it('carries the Problem of /v1 in extensions: code, status, problem', async () => {
    const mia = await hub.person()
    const name = await hub.repo(mia)
    const create = `mutation ($input: CreateRepoInput!) { createRepo(input: $input) { repo { id } } }`
    const refuse = async (input: unknown) => (await hub.graphql(mia, create, { input })).errors[0].extensions
    expect(await refuse({ kind: 'MODEL', slug: name.split('/')[1] })).toMatchObject({
      code: 'CONFLICT',
      status: 409,
      problem: {
        type: '/problems/conflict.taken',
        status: 409,
        title: expect.any(String),
        request_id: expect.any(String),
      },
    })
    expect(await refuse({ kind: 'MODEL', slug: 'Not A Slug' })).toMatchObject({ code: 'UNPROCESSABLE', status: 422 })
    expect(
      (await hub.graphql(null, create, { input: { kind: 'MODEL', slug: 'a' } })).errors[0].extensions,
    ).toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    })
    const made = await hub.graphql(
      mia,
      `mutation ($input: CreateRepoInput!) { createRepo(input: $input) { repo { kind visibility tags createdAt fileSummary { count totalBytes verifiedCount } owner { handle kind } policyCount } } }`,
      {
        input: { kind: 'ROBOT', slug: newName(), visibility: 'PUBLIC', tags: ['a'] },
      },
    )
    expect(made.data.createRepo.repo).toEqual({
      kind: 'ROBOT',
      visibility: 'PUBLIC',
      tags: ['a'],
      createdAt: isTime,
      fileSummary: { count: 0, totalBytes: 0, verifiedCount: 0 },
      owner: { handle: mia.handle, kind: 'USER' },
      policyCount: 0,
    })
  })
})
