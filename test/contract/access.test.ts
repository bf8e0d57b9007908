import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { type Asked, bodyOf, casesOf, pathOf } from '../support/cases.ts'
import { contractHub, newName, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let secretRepo: string
let openRepo: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  secretRepo = await hub.repo(ada)
  openRepo = await hub.repo(ada, { visibility: 'public' })
  await hub.upload(ada, secretRepo, { 'a.txt': 'secret' })
  await hub.upload(ada, openRepo, { 'a.txt': 'open' })
})

const ofRepo = routes.filter((route) => route.path.includes(':owner/:repo'))

const ask = (who: Who, route: Asked, repo: string) =>
  hub.call(
    who,
    route.method,
    pathOf(route, { repo }),
    bodyOf(route, { robot: repo, file: 'a.txt', handle: ada.handle }),
  )

async function statuses(who: Who, name: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const route of ofRepo) found[route.operation] = (await ask(who, route, name)).status
  found.resolve = (await hub.send(who, 'GET', `/v1/repos/${name}/resolve/a.txt`)).status
  return found
}

/** By the status of a download and of a write. */
const expected = (ofRead: number, write: number) => {
  const may = { read: ofRead === 302 ? 200 : ofRead, write }
  const statusOf = ({ operation, method }: Asked) =>
    casesOf(operation).access?.(may) ?? (method === 'GET' ? may.read : may.write)
  return { ...Object.fromEntries(ofRepo.map((route) => [route.operation, statusOf(route)])), resolve: ofRead }
}

describe("another user's private repo", () => {
  it('is 404 for every operation of a signed-in user', async () => {
    expect(await statuses(bob, secretRepo)).toEqual(expected(404, 404))
  })

  it.each(['read', 'write', 'train'] as const)('is 404 for every operation of a %s key', async (scope) => {
    expect(await statuses(await hub.key(bob, { scope }), secretRepo)).toEqual(expected(404, 404))
  })

  it('for anonymous callers is 404 where no credential is needed and 401 elsewhere', async () => {
    expect(await statuses(null, secretRepo)).toEqual(expected(404, 401))
  })

  it('is 404 for a key of its owner that is limited to other repos', async () => {
    expect(await statuses(await hub.key(ada, { repos: [openRepo] }), secretRepo)).toEqual(expected(404, 404))
  })

  it('cannot be distinguished from a repo that does not exist', async () => {
    for (const route of ofRepo) {
      const [hidden, absent] = await Promise.all([ask(bob, route, secretRepo), ask(bob, route, `${ada.handle}/none`)])
      const { instance: _a, request_id: _b, ...one } = hidden.json
      const { instance: _c, request_id: _d, ...other } = absent.json
      expect(JSON.stringify(one).replaceAll(secretRepo, 'X')).toBe(
        JSON.stringify(other).replaceAll(`${ada.handle}/none`, 'X'),
      )
    }
  })

  it('is null in GraphQL, by name and by id, and NOT_FOUND for its mutations', async () => {
    const { id } = (await hub.call(ada, 'GET', `/v1/repos/${secretRepo}`)).json
    const [owner, slug] = secretRepo.split('/')
    const query = `query ($owner: String!, $slug: String!, $id: ID!) {
      repo(owner: $owner, slug: $slug) { id } tree(owner: $owner, slug: $slug) { nodes { path } } node(id: $id) { id } nodes(ids: [$id]) { id } }`
    expect(await hub.graphql(bob, query, { owner, slug, id })).toEqual({
      data: { repo: null, tree: null, node: null, nodes: [null] },
    })
    expect((await hub.graphql(ada, query, { owner, slug, id })).data).toMatchObject({ repo: { id }, node: { id } })
    const mutation = `mutation ($input: DeleteRepoInput!) { deleteRepo(input: $input) { id } }`
    expect((await hub.graphql(bob, mutation, { input: { owner, repo: slug } })).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND', status: 404, problem: { type: '/problems/not_found' } } },
    ])
  })
})

describe('missing scope is 403 if the target is visible', () => {
  it('a read key that writes is 403, even in its own repos', async () => {
    const key = await hub.key(ada, { scope: 'read' })
    expect(await statuses(key, secretRepo)).toEqual(expected(302, 403))
    expect((await hub.call(key, 'POST', '/v1/repos', { kind: 'model', slug: newName() })).status).toBe(403)
  })

  it("a user who writes to another user's public repo is 403", async () => {
    expect(await statuses(bob, openRepo)).toEqual(expected(302, 403))
  })

  it('an anonymous caller reads a public repo and gets 401 with WWW-Authenticate: Bearer elsewhere', async () => {
    expect(await statuses(null, openRepo)).toEqual(expected(302, 401))
    const refused = await hub.call(null, 'DELETE', `/v1/repos/${openRepo}`)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(refused.json.errors).toMatchObject([{ type: 'auth.missing' }])
  })

  it('a key limited to other repos reads public ones and is 403 when it writes them', async () => {
    const other = await hub.repo(ada)
    const key = await hub.key(ada, { repos: [other] })
    // To have a model read needs a scope, which the key has for its own repos alone.
    expect(await statuses(key, openRepo)).toEqual({ ...expected(302, 403), validateRobotCard: 403 })
    expect((await hub.call(key, 'PATCH', `/v1/repos/${other}`, { description: 'x' })).status).toBe(200)
    const listed = await hub.call(key, 'GET', '/v1/repos?limit=100')
    const names = listed.json.items.map((item: { full_name: string }) => item.full_name)
    expect(names).toContain(other)
    expect(names).toContain(openRepo)
    expect(names).not.toContain(secretRepo)
  })
})

describe('a credential', () => {
  it('that is present but bad is 401 everywhere, even where none is needed', async () => {
    const good = await hub.key(ada)
    const altered = `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`
    for (const token of ['nonsense', 'hub_key_', altered, `${ada.token}x`, `hub_key_${'0'.repeat(36)}`]) {
      for (const path of ['/v1/repos', `/v1/repos/${openRepo}`, '/v1/me', `/v1/repos/${openRepo}/resolve/a.txt`]) {
        const answer = await hub.send(token, 'GET', path)
        expect([token, path, answer.status]).toEqual([token, path, 401])
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
        expect(answer.json.errors).toMatchObject([{ type: 'auth.invalid' }])
      }
    }
    const basic = await hub.send(null, 'GET', '/v1/repos', { headers: { authorization: 'Basic YTpi' } })
    expect(basic.status).toBe(401)
    expect((await hub.send('nonsense', 'POST', '/graphql', jsonOf({ query: '{ viewer { kind } }' }))).status).toBe(401)
  })

  it('that expired or was revoked is 401', async () => {
    const made = await hub.graphql(
      ada,
      `mutation { createApiKey(input: { name: "a key", scope: READ }) { token key { id name scope repos agent dailyGpuHourQuota expiresAt revokedAt lastUsedAt owner { handle } } } }`,
    )
    const { token, key } = made.data.createApiKey
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_/),
      scope: 'READ',
      repos: null,
      agent: false,
      revokedAt: null,
    })
    expect(token).toMatch(/^hub_key_[0-9A-Za-z]{36}$/)
    expect((await hub.call(token, 'GET', '/v1/me')).status).toBe(200)
    await hub.graphql(ada, `mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { key { revokedAt } } }`, {
      id: key.id,
    })
    expect((await hub.call(token, 'GET', '/v1/me')).status).toBe(401)
    const ending = await hub.key(ada, { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect((await hub.call(ending, 'GET', '/v1/repos')).status).toBe(200)
    await hub.sql('update api_keys set expires_at = now() where expires_at is not null')
    expect((await hub.call(ending, 'GET', '/v1/repos')).status).toBe(401)
  })

  it('is described by /v1/me with its scope and limits', async () => {
    const key = await hub.key(ada, { scope: 'read', repos: [openRepo], agent: true, name: 'robot' })
    expect((await hub.call(key, 'GET', '/v1/me')).json).toMatchObject({
      kind: 'key',
      name: 'robot',
      scope: 'read',
      session: false,
      agent: true,
      repos: [openRepo],
      account: { id: ada.id, handle: ada.handle, kind: 'user', name: null },
    })
    expect((await hub.call(ada, 'GET', '/v1/me')).json).toMatchObject({
      kind: 'session',
      session: true,
      scope: 'train',
    })
    expect((await hub.call(null, 'GET', '/v1/me')).status).toBe(401)
    expect((await hub.graphql(ada, '{ viewer { kind account { handle } } }')).data).toEqual({
      viewer: { kind: 'SESSION', account: { handle: ada.handle } },
    })
  })

  it('of a key cannot manage accounts: only a session can', async () => {
    const key = await hub.key(ada, { scope: 'train' })
    for (const text of [
      `mutation { createOrg(input: { handle: "${newName()}" }) { org { id } } }`,
      `mutation { createApiKey(input: { name: "x", scope: READ }) { token } }`,
      `{ apiKeys { nodes { id } } }`,
    ]) {
      expect((await hub.graphql(key, text)).errors).toMatchObject([
        { extensions: { code: 'FORBIDDEN', status: 403, problem: { errors: [{ type: 'forbidden.scope' }] } } },
      ])
    }
  })
})

describe('an agent key', () => {
  it('may not delete a repo or make one public, at its creation or later', async () => {
    const key = await hub.key(ada, { agent: true, scope: 'train' })
    const mine = await hub.repo(ada)
    const refused = [
      await hub.call(key, 'DELETE', `/v1/repos/${mine}`),
      await hub.call(key, 'PATCH', `/v1/repos/${mine}`, { visibility: 'public' }),
      await hub.call(key, 'POST', '/v1/repos', { kind: 'model', slug: newName(), visibility: 'public' }),
    ]
    for (const answer of refused) expect([answer.status, answer.json.errors[0].type]).toEqual([403, 'forbidden.agent'])
    expect((await hub.call(key, 'POST', '/v1/repos', { kind: 'model', slug: newName() })).status).toBe(201)
    expect((await hub.call(key, 'PATCH', `/v1/repos/${mine}`, { visibility: 'private' })).status).toBe(200)
  })
})

describe('an org', () => {
  it('lets owners and members write its repos, and hides the private ones from all others', async () => {
    const [olga, max] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: olga.handle, role: 'owner' },
      { user: max.handle, role: 'member' },
    ])
    const made = await hub.call(max, 'POST', '/v1/repos', { kind: 'robot', slug: 'arm', owner: org })
    expect([made.status, made.json.owner]).toEqual([
      201,
      { id: expect.stringMatching(/^org_/), kind: 'org', handle: org, name: null },
    ])
    for (const who of [olga, max, await hub.key(max), await hub.key(org)])
      expect((await hub.call(who, 'PATCH', `/v1/repos/${org}/arm`, { description: newName() })).status).toBe(200)
    expect((await hub.call(bob, 'GET', `/v1/repos/${org}/arm`)).status).toBe(404)
    const foreign = await hub.call(bob, 'POST', '/v1/repos', { kind: 'robot', slug: 'leg', owner: org })
    expect([foreign.status, foreign.json.errors[0].type]).toEqual([403, 'forbidden.scope'])
    const unknown = await hub.call(bob, 'POST', '/v1/repos', { kind: 'robot', slug: 'leg', owner: 'nobody-here' })
    expect([unknown.status, unknown.json.errors[0].type]).toEqual([404, 'not_found'])
  })

  it('allows only owners to change members, and a former member no longer sees its private repos', async () => {
    const [olga, max] = [await hub.person(), await hub.person()]
    const org = newName('org')
    await hub.graphql(olga, `mutation { createOrg(input: { handle: "${org}" }) { org { id } } }`)
    const add = `mutation ($input: AddOrgMemberInput!) { addOrgMember(input: $input) { membership { role user { handle } } } }`
    const input = { org, user: max.handle }
    expect((await hub.graphql(max, add, { input })).errors[0].extensions).toMatchObject({ status: 403 })
    expect((await hub.graphql(olga, add, { input })).data.addOrgMember.membership).toEqual({
      role: 'MEMBER',
      user: { handle: max.handle },
    })
    expect((await hub.graphql(max, add, { input: { org, user: bob.handle } })).errors[0].extensions.status).toBe(403)
    await hub.call(olga, 'POST', '/v1/repos', { kind: 'robot', slug: 'arm', owner: org })
    expect((await hub.call(max, 'GET', `/v1/repos/${org}/arm`)).status).toBe(200)
    const remove = `mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } } }`
    expect((await hub.graphql(olga, remove, { input })).errors).toBeUndefined()
    expect((await hub.call(max, 'GET', `/v1/repos/${org}/arm`)).status).toBe(404)
    expect(
      (await hub.graphql(olga, remove, { input: { org, user: olga.handle } })).errors[0].extensions.problem,
    ).toMatchObject({ status: 409, errors: [{ type: 'conflict.last_owner' }] })
  })

  it('shares one namespace with users, without the reserved handles', async () => {
    const create = (handle: string) =>
      hub.graphql(ada, `mutation ($input: CreateOrgInput!) { createOrg(input: $input) { org { handle kind } } }`, {
        input: { handle },
      })
    expect((await create(bob.handle)).errors[0].extensions).toMatchObject({ code: 'CONFLICT', status: 409 })
    for (const handle of 'v1 graphql admin api auth docs health metrics objects orgs users me'.split(' '))
      expect([handle, (await create(handle)).errors?.[0].extensions.status]).toEqual([
        handle,
        expect.toBeOneOf([409, 422]),
      ])
    for (const handle of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a/b', 'a'.repeat(65)])
      expect([handle, (await create(handle)).errors?.[0].extensions.status]).toEqual([handle, 422])
    expect((await create(`${newName()}-${'a'.repeat(64)}`.slice(0, 64))).data.createOrg.org.kind).toBe('ORG')
  })
})

function jsonOf(body: unknown): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
