import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'
import { prismaQueries, shapes } from '../support/prisma-queries.ts'

const hub = contractHub()
const account = 'accounts: handle, id, kind, name'
let ada: Person
let org: string
let repos: string[]

beforeAll(async () => {
  ada = await hub.person()
  org = await hub.org([{ user: ada.handle, role: 'owner' }])
  repos = [await hub.repo(ada, { owner: org }), await hub.repo(ada)]
  for (const name of ['one', 'two', 'three']) await makeKey(ada, { name, repos })
})

async function makeKey(who: Who, input: Record<string, unknown> = {}): Promise<Json> {
  const text = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { id name repos owner { handle } } } }`
  const { data } = await hub.graphql(who, text, { input: { name: 'a', scope: 'READ', ...input } })
  return data.createApiKey
}

async function queries(who: Who, text: string): Promise<string[]> {
  const sent = await prismaQueries(async () => {
    expect((await hub.graphql(who, text)).errors).toBeUndefined()
  })
  return shapes(sent)
}

/** Every row of a listing, two a page; then a cursor that is not of it. */
async function pages(who: Who, field: string, args = ''): Promise<Json[]> {
  const seen = []
  for (let after = 'null', more = true; more; ) {
    const text = `{ ${field}(first: 2, after: ${after}${args}) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`
    const { nodes, edges, pageInfo } = (await hub.graphql(who, text)).data[field]
    expect(edges.map(({ node }: Json) => node)).toEqual(nodes)
    expect(pageInfo).toMatchObject({ hasPreviousPage: after !== 'null', endCursor: edges.at(-1).cursor })
    seen.push(...nodes)
    after = JSON.stringify(pageInfo.endCursor)
    more = pageInfo.hasNextPage
  }
  return seen.map(({ id }) => id)
}

async function refusal(who: Who, text: string): Promise<string> {
  const { errors } = await hub.graphql(who, text)
  return errors?.[0].extensions.problem.errors[0].type
}

describe('API keys', () => {
  it("are read with only the selected columns, and never with the token's digest", async () => {
    expect(await queries(ada, '{ apiKeys { nodes { name scope } } }')).toEqual(['api_keys: id, name, scope'])
    expect(await queries(ada, '{ apiKeys { pageInfo { endCursor } } }')).toEqual(['api_keys: id'])
    expect(await queries(ada, '{ apiKeys { edges { node { expiresAt owner { handle } } } } }')).toEqual([
      'api_keys: account_id, expires_at, id',
      account,
    ])
  })

  it('cost as many queries for a page of three as for one, with repos and owners', async () => {
    const text = (first: number) => `{ apiKeys(first: ${first}) { nodes { repos owner { handle } } } }`
    const expected = [
      'api_keys: account_id, id, limited, repo_ids',
      account,
      'repos: id, owner_id, slug',
      'accounts: handle, id',
    ]
    expect(await queries(ada, text(1))).toEqual(expected)
    expect(await queries(ada, text(3))).toEqual(expected)
  })

  it('are returned by the mutations as selected', async () => {
    const made = 'mutation { createApiKey(input: { name: "k", scope: READ }) { key { id name } } }'
    expect(await queries(ada, made)).toEqual(['api_keys: id, name'])
    const { key } = await makeKey(ada)
    const ended = `mutation { revokeApiKey(input: { id: "${key.id}" }) { key { revokedAt } } }`
    const guard = ['api_keys: account_id, created_by, id, name', account]
    expect(await queries(ada, ended)).toEqual([...guard, 'api_keys: id, revoked_at'])
  })

  it('come page by page, newest first, with cursors valid only for that account', async () => {
    const made = await hub.sql<{ id: string }>('select id from api_keys where account_id = $1 order by id desc', [
      ada.id,
    ])
    expect(made.length).toBeGreaterThan(3)
    expect(await pages(ada, 'apiKeys')).toEqual(made.map(({ id }) => id))
    const { data } = await hub.graphql(ada, '{ apiKeys { pageInfo { endCursor } } }')
    const cursor = data.apiKeys.pageInfo.endCursor
    const types = await Promise.all(
      [`owner: "${org}", after: "${cursor}"`, 'after: "key_1"', 'first: 0', 'first: 101', 'last: 1'].map((args) =>
        refusal(ada, `{ apiKeys(${args}) { nodes { id } } }`),
      ),
    )
    expect(types).toEqual([
      'validation.cursor',
      'validation.cursor',
      'validation.value',
      'validation.value',
      // There is no such argument.
      'validation.request',
    ])
  })

  it('are listed only for members of their account in a session', async () => {
    const { token } = await makeKey(ada, { owner: org })
    const text = `{ apiKeys(owner: "${org}") { nodes { name owner { handle } } } }`
    expect((await hub.graphql(ada, text)).data.apiKeys.nodes).toEqual([{ name: 'a', owner: { handle: org } }])
    const asked = [await hub.person(), token, await hub.key(ada, { scope: 'train' }), null]
    expect(await Promise.all(asked.map((who) => refusal(who, text)))).toEqual([
      'forbidden.scope',
      'forbidden.scope',
      'forbidden.scope',
      'auth.missing',
    ])
  })

  it('name no repo that the person can no longer see', async () => {
    const bob = await hub.person()
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select id, $1, 'member' from accounts where handle = $2`,
      [bob.id, org],
    )
    const mine = await hub.repo(bob)
    await makeKey(bob, { repos: [...repos.slice(0, 1), mine] })
    const shown = async () => (await hub.graphql(bob, '{ apiKeys { nodes { repos } } }')).data.apiKeys.nodes[0]?.repos
    expect(await shown()).toEqual([repos[0], mine].toSorted())
    await hub.sql('delete from memberships where user_id = $1', [bob.id])
    expect(await shown()).toEqual([mine])
  })

  it('of a hosted job are not shown', async () => {
    const { key } = await makeKey(ada)
    await hub.sql(`update api_keys set job_id = 'run_1' where id = $1`, [key.id])
    expect(await pages(ada, 'apiKeys')).not.toContain(key.id)
  })
})

describe('sessions', () => {
  it('are those of the caller, newest first, with the current one marked', async () => {
    await hub.sql(
      `insert into sessions (id, account_id, issuer, expires_at, revoked_at) values ($1, $2, 'https://id.example', now(), now())`,
      [newId('sess'), ada.id],
    )
    const { data } = await hub.graphql(
      ada,
      '{ sessions { nodes { id user { handle } issuer current createdAt expiresAt revokedAt } } }',
    )
    const time = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
    const shown = {
      id: expect.stringMatching(/^sess_/),
      user: { handle: ada.handle },
      createdAt: time,
      expiresAt: time,
    }
    expect(data.sessions.nodes).toEqual([
      { ...shown, issuer: 'https://id.example', current: false, revokedAt: time },
      { ...shown, issuer: null, current: true, revokedAt: null },
    ])
    expect(await pages(ada, 'sessions')).toEqual(data.sessions.nodes.map(({ id }: Json) => id))
  })

  it('are read with only the selected columns', async () => {
    expect(await queries(ada, '{ sessions { nodes { current } } }')).toEqual(['sessions: id'])
    expect(await queries(ada, '{ sessions { nodes { revokedAt user { name } } } }')).toEqual([
      'sessions: account_id, id, revoked_at',
      account,
    ])
  })

  it('are hidden from all others, and from keys', async () => {
    const [bob, key] = [await hub.person(), await hub.key(ada)]
    const [mine] = await pages(ada, 'sessions')
    expect(await pages(bob, 'sessions')).not.toContain(mine)
    expect(await refusal(key, '{ sessions { nodes { id } } }')).toBe('forbidden.scope')
    expect(await refusal(null, '{ sessions { nodes { id } } }')).toBe('auth.missing')
  })
})

describe('the audit log', () => {
  it('is read with only the selected columns, and its accounts in one query', async () => {
    const ask = (fields: string) => queries(ada, `{ auditLog(account: "${ada.handle}") { ${fields} } }`)
    expect(await ask('nodes { action }')).toEqual(['audit_log: action, id'])
    expect(await ask('nodes { action actor { handle } }')).toEqual(['audit_log: action, actor_id, id', account])
    expect(await ask('edges { cursor node { before after } }')).toEqual(['audit_log: after, before, id'])
  })

  it('comes page by page, newest first', async () => {
    const made = await hub.sql<{ id: string }>('select id from audit_log where account_id = $1 order by id desc', [
      ada.id,
    ])
    expect(made.length).toBeGreaterThan(3)
    expect(await pages(ada, 'auditLog', `, account: "${ada.handle}"`)).toEqual(made.map(({ id }) => id))
  })
})

it('keys, sessions and audit entries are not nodes, for any caller', async () => {
  const [key, session] = [(await pages(ada, 'apiKeys'))[0], (await pages(ada, 'sessions'))[0]]
  const [entry] = await pages(ada, 'auditLog', `, account: "${ada.handle}"`)
  const text = `{ nodes(ids: ${JSON.stringify([key, session, entry])}) { id } }`
  for (const who of [ada, await hub.person(), null])
    expect(await hub.graphql(who, text)).toEqual({ data: { nodes: [null, null, null] } })
})
