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
