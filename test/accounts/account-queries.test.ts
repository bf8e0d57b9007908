import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { contractHub, newName, type Person, type Who } from '../support/hub.ts'
import { prismaQueries, shapes } from '../support/prisma-queries.ts'

const hub = contractHub()
let boss: Person
let org: string
let orgId: string

beforeAll(async () => {
  boss = await hub.person()
  const people = await Promise.all(Array.from({ length: 4 }, () => hub.person()))
  const members = people.map(({ handle }) => ({ user: handle, role: 'member' as const }))
  org = await hub.org([{ user: boss.handle, role: 'owner' }, ...members])
  orgId = (await hub.sql<{ id: string }>('select id from accounts where handle = $1', [org]))[0]?.id ?? ''
})

const queries = (who: Who, text: string, variables = {}) =>
  prismaQueries(async () => {
    expect((await hub.graphql(who, text, variables)).errors).toBeUndefined()
  })
const account = 'accounts: handle, id, kind, name'

describe('accounts of the graph', () => {
  it('cost one query for any number of ids', async () => {
    const ids = (await hub.sql<{ id: string }>('select id from accounts limit 20')).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(5)
    const sent = await queries(boss, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Account { handle } } }', {
      ids,
    })
    expect(shapes(sent)).toEqual([account])
  })

  it('are null for an unknown id', async () => {
    const nobody = newId('user')
    const { data, errors } = await hub.graphql(
      boss,
      `{ node(id: "${nobody}") { id } nodes(ids: ["${orgId}", "${nobody}"]) { id } }`,
    )
    expect([data, errors]).toEqual([{ node: null, nodes: [{ id: orgId }, null] }, undefined])
  })

  it('are not read again if a repo or a run was read with its owner', async () => {
    await hub.repo(boss, { owner: org })
    const text = `{ repos(owner: "${org}") { nodes { owner { id kind handle name } } } viewer { account { handle } orgs { name } } }`
    expect(await queries(boss, text)).toEqual([])
  })

  it('are returned by a mutation as selected', async () => {
    const text = (fields: string) =>
      `mutation { createOrg(input: { handle: "${newName('org')}" }) { org { ${fields} } } }`
    expect(shapes(await queries(boss, text('id handle')))).toEqual([account])
    const sent = await queries(boss, text('handle members { nodes { role user { handle } } }'))
    expect(shapes(sent)).toEqual([account, 'memberships: org_id, role, user_id', account])
  })
})

describe('members of an org', () => {
  const members = (fields: string) => `{ node(id: "${orgId}") { ... on Account { members ${fields} } } }`

  it('are read with only the selected columns', async () => {
    const shown = async (fields: string) => shapes(await queries(boss, members(fields)))
    expect(await shown('{ nodes { role } }')).toEqual([account, 'memberships: org_id, role, user_id'])
    expect(await shown('{ edges { cursor node { since } } }')).toEqual([
      account,
      'memberships: created_at, org_id, user_id',
    ])
    expect(await shown('{ nodes { role user { handle } } }')).toEqual([
      account,
      'memberships: org_id, role, user_id',
      account,
    ])
    expect(await shown('{ nodes { user { id } } edges { node { role } } }')).toEqual([
      account,
      'memberships: org_id, role, user_id',
      account,
    ])
  })

  it('are hidden from all others through every relation: no query is sent for them', async () => {
    const [stranger, visible] = [await hub.person(), await hub.repo(boss, { owner: org, visibility: 'public' })]
    const [owner, slug] = visible.split('/')
    const byRepo = `{ repo(owner: "${owner}", slug: "${slug}") { owner { members { nodes { user { handle members { nodes { role } } } } pageInfo { hasNextPage } } } } }`
    for (const who of [stranger, null, await hub.key(stranger)]) {
      const { data } = await hub.graphql(who, byRepo)
      expect(data.repo.owner.members).toEqual({ nodes: [], pageInfo: { hasNextPage: false } })
      expect(shapes(await queries(who, members('{ nodes { role } }')))).toEqual([account])
    }
    expect((await hub.graphql(boss, byRepo)).data.repo.owner.members.nodes).toHaveLength(5)
  })

  it('omit a member who leaves while the page is read', async () => {
    const gone = await hub.person()
    await hub.sql(`insert into memberships (org_id, user_id, role) values ($1, $2, 'member')`, [orgId, gone.id])
    const { pool } = hub.running.deps.db
    const send = pool.query.bind(pool) as (sent: { text?: string }) => Promise<unknown>
    const spy = vi.spyOn(pool, 'query').mockImplementation((async (sent: { text?: string }) => {
      if (sent.text?.includes('FROM "public"."memberships"'))
        await hub.sql('delete from memberships where user_id = $1', [gone.id])
      return send(sent)
    }) as never)
    const { data, errors } = await hub.graphql(boss, members('{ edges { cursor node { user { handle } } } }'))
    spy.mockRestore()
    expect(errors).toBeUndefined()
    expect(data.node.members.edges).toHaveLength(5)
  })

  it('come page by page, oldest first, with cursors valid only for that org', async () => {
    const page = async (after: string | null, first = 2) => {
      const text = `query ($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on Account { members(first: $first, after: $after) {
        nodes { user { handle } } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`
      const { data, errors } = await hub.graphql(boss, text, { id: orgId, first, after })
      return errors ? errors[0].extensions.problem.errors[0].type : data.node.members
    }
    const all = await hub.sql<{ handle: string }>(
      'select handle from memberships join accounts on id = user_id where org_id = $1 order by memberships.created_at, user_id',
      [orgId],
    )
    const seen: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, edges, pageInfo } = await page(after)
      expect(pageInfo).toMatchObject({ hasPreviousPage: after !== null, endCursor: edges.at(-1).cursor })
      seen.push(...nodes.map((node: { user: { handle: string } }) => node.user.handle))
      after = pageInfo.endCursor
      more = pageInfo.hasNextPage
    }
    expect(seen).toEqual(all.map(({ handle }) => handle))
    expect(await page('nonsense')).toBe('validation.cursor')
    const other = await hub.graphql(
      boss,
      `mutation { createOrg(input: { handle: "${newName('org')}" }) { org { members { pageInfo { endCursor } } } } }`,
    )
    expect(await page(other.data.createOrg.org.members.pageInfo.endCursor)).toBe('validation.cursor')
    expect([await page(null, 0), await page(null, 101)]).toEqual(['validation.value', 'validation.value'])
  })
})
