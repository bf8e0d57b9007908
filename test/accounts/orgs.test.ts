import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { keysOfJobs } from './support/keys-of-jobs.ts'

const hub = contractHub()

const mutation = {
  createOrg: 'mutation ($input: CreateOrgInput!) { createOrg(input: $input) { org { id kind handle name } } }',
  addOrgMember:
    'mutation ($input: AddOrgMemberInput!) { addOrgMember(input: $input) { membership { user { handle } role } } }',
  removeOrgMember:
    'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } revokedKeyIds } }',
  createApiKey:
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { id name scope repos agent expiresAt revokedAt owner { handle } } } }',
  revokeApiKey: 'mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { key { id revokedAt } } }',
} as const

/** Of a payload, the member that has the value. */
const member: Partial<Record<keyof typeof mutation, string>> = {
  createOrg: 'org',
  addOrgMember: 'membership',
  revokeApiKey: 'key',
}

/** The mutation's value, or the status and type of its error. */
async function mutate(who: Who, name: keyof typeof mutation, input: Record<string, unknown>): Promise<Json> {
  const text: string = mutation[name]
  const { data, errors } = await hub.graphql(who, text, { input })
  if (!errors) return member[name] ? data[name][member[name]] : data[name]
  const { status, problem } = errors[0].extensions
  return { status, type: problem.errors?.[0]?.type ?? problem.type.split('/').at(-1) }
}

const put = (who: Who, org: string, user: Person, role: string) =>
  mutate(who, 'addOrgMember', { org, user: user.handle, role })
const remove = (who: Who, org: string, user: Person) => mutate(who, 'removeOrgMember', { org, user: user.handle })
const owners = (org: string) =>
  hub.sql<{ handle: string }>(
    `select u.handle from memberships m join accounts u on u.id = m.user_id join accounts o on o.id = m.org_id
     where o.handle = $1 and m.role = 'owner' order by u.handle`,
    [org],
  )
const me = async (token: string) => (await hub.send(token, 'GET', '/v1/me')).status

/** Holds the org's row, lets `meanwhile` start and wait for it, does `change`, and lets go. */
async function holdingOrg<T>(org: string, change: string, values: unknown[], meanwhile: () => Promise<T>): Promise<T> {
  let waiting: Promise<T> | undefined
  await hub.running.deps.db.withTx(async (tx) => {
    await tx.query({ name: '', text: 'select from accounts where handle = $1 for no key update' }, [org])
    waiting = meanwhile()
    const blocked =
      "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await hub.sql<{ n: number }>(blocked))[0]?.n, { interval: 20 }).toBeGreaterThan(0)
    await tx.query({ name: '', text: change }, values)
  })
  if (!waiting) throw new Error('Nothing was started.')
  return waiting
}

describe('an org', () => {
  it('is created in a session, by its first owner, under an unused handle', async () => {
    const ada = await hub.person()
    const handle = newName('org')
    expect(await mutate(ada, 'createOrg', { handle, name: 'Acme' })).toMatchObject({
      kind: 'ORG',
      handle,
      name: 'Acme',
    })
    expect(await owners(handle)).toEqual([{ handle: ada.handle }])
    expect(await mutate(await hub.person(), 'createOrg', { handle })).toMatchObject({
      status: 409,
      type: 'conflict.taken',
    })
    expect(await mutate(ada, 'createOrg', { handle: ada.handle })).toMatchObject({ status: 409 })
    for (const wrong of ['', 'A', '-a', 'a-', 'a b', 'é', 'x'.repeat(65), 'graphql', 'me', 'a\u0000'])
      expect([wrong, await mutate(ada, 'createOrg', { handle: wrong })]).toEqual([
        wrong,
        expect.objectContaining({ status: 422 }),
      ])
    expect(await mutate(await hub.key(ada, { scope: 'train' }), 'createOrg', { handle: newName() })).toMatchObject({
      status: 403,
    })
  })

  it('is changed only by its owners', async () => {
    const [boss, member, other] = [await hub.person(), await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: member.handle, role: 'member' },
    ])
    expect(await put(member, org, other, 'MEMBER')).toMatchObject({ status: 403 })
    expect(await put(other, org, other, 'OWNER')).toMatchObject({ status: 403 })
    expect(await put(null, org, other, 'MEMBER')).toMatchObject({ status: 401 })
    expect(await put(await hub.key(boss, { scope: 'train' }), org, other, 'MEMBER')).toMatchObject({ status: 403 })
    expect(await remove(member, org, boss)).toMatchObject({ status: 403 })
    expect(await put(boss, 'nothing-here', other, 'MEMBER')).toMatchObject({ status: 404 })
    expect(await mutate(boss, 'addOrgMember', { org, user: 'nobody-here' })).toMatchObject({ status: 404 })
    expect(await mutate(boss, 'addOrgMember', { org, user: org })).toMatchObject({ status: 404 })
    expect(await remove(boss, org, other)).toMatchObject({ status: 404 })
    expect(await put(boss, org, other, 'OWNER')).toEqual({ user: { handle: other.handle }, role: 'OWNER' })
    expect(await put(other, org, member, 'OWNER')).toMatchObject({ role: 'OWNER' })
  })

  it('lists its creator as a member in the response that creates it', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const text = `mutation { createOrg(input: { handle: "${newName('org')}" }) { org { id members { nodes { role user { handle } } } } } }`
    const createOrg = (await hub.graphql(ada, text)).data.createOrg.org
    expect(createOrg.members.nodes).toEqual([{ role: 'OWNER', user: { handle: ada.handle } }])
    const members = async (who: Person | string) =>
      (await hub.graphql(who, `{ node(id: "${createOrg.id}") { ... on Account { members { nodes { role } } } } }`)).data
        .node.members.nodes
    expect([await members(ada), await members(bob)]).toEqual([[{ role: 'OWNER' }], []])
    const repo = await hub.repo(ada)
    expect(await members(await hub.key(ada, { repos: [repo] }))).toEqual(await members(await hub.key(ada)))
  })

  it('goes on with its hosted jobs when the member leaves who asked for them, and with no key of theirs', async () => {
    const [boss, member] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: member.handle, role: 'member' },
    ])
    const { key, call } = await keysOfJobs(hub, member, org)
    expect([await me(key), await me(call)]).toEqual([200, 200])
    expect((await remove(boss, org, member)).revokedKeyIds).toHaveLength(1)
    expect([await me(key), await me(call)]).toEqual([401, 200])
  })

  it('keeps its last owner, who can leave once there is another', async () => {
    const [boss, member] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: member.handle, role: 'member' },
    ])
    expect(await remove(boss, org, boss)).toMatchObject({ status: 409, type: 'conflict.last_owner' })
    expect(await put(boss, org, boss, 'MEMBER')).toMatchObject({ status: 409, type: 'conflict.last_owner' })
    expect(await remove(member, org, member)).toMatchObject({ user: { handle: member.handle } })
    await put(boss, org, member, 'OWNER')
    expect(await remove(boss, org, boss)).toMatchObject({ user: { handle: boss.handle } })
    expect(await owners(org)).toEqual([{ handle: member.handle }])
  })

  it('keeps one of two owners who remove each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const [ada, bob] = [await hub.person(), await hub.person()]
      const org = await hub.org([
        { user: ada.handle, role: 'owner' },
        { user: bob.handle, role: 'owner' },
      ])
      const answers = await Promise.all([remove(ada, org, bob), remove(bob, org, ada)])
      expect(answers.map(({ status }) => status === undefined).sort()).toEqual([false, true])
      expect(await owners(org)).toHaveLength(1)
    }
  })

  it('rejects an owner who was removed during their request', async () => {
    const [ada, bob, carol] = [await hub.person(), await hub.person(), await hub.person()]
    const org = await hub.org([ada, bob, carol].map(({ handle }) => ({ user: handle, role: 'owner' as const })))
    const away = 'delete from memberships where user_id = $1'
    const late = [
      await holdingOrg(org, away, [bob.id], () => remove(bob, org, carol)),
      await holdingOrg(org, away, [carol.id], () =>
        mutate(carol, 'createApiKey', { name: 'late', scope: 'TRAIN', owner: org }),
      ),
    ]
    for (const answer of late) expect(answer).toMatchObject({ status: 403 })
    expect(await owners(org)).toEqual([{ handle: ada.handle }])
    expect(await hub.sql("select from api_keys where name = 'late'")).toEqual([])
  })

  it("revokes the org's keys that a person created when that person leaves, and no others", async () => {
    const [boss, worker] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: worker.handle, role: 'member' },
    ])
    const make = (who: Person, owner: string) => mutate(who, 'createApiKey', { name: 'k', scope: 'READ', owner })
    const [ofWorker, ofBoss, own] = [await make(worker, org), await make(boss, org), await make(worker, worker.handle)]
    expect((await remove(boss, org, worker)).revokedKeyIds).toEqual([ofWorker.key.id])
    expect([await me(ofWorker.token), await me(ofBoss.token), await me(own.token)]).toEqual([401, 200, 200])
  })
})

describe('createApiKey and revokeApiKey', () => {
  it("show a token once, for the caller's own key or one of their org", async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const name = await hub.repo(ada, { owner: org })
    const own = await mutate(ada, 'createApiKey', { name: 'laptop', scope: 'WRITE', repos: [name, name], agent: true })
    expect(own).toMatchObject({
      token: expect.stringMatching(/^hub_key_/),
      key: {
        name: 'laptop',
        scope: 'WRITE',
        repos: [name],
        agent: true,
        revokedAt: null,
        owner: { handle: ada.handle },
      },
    })
    expect((await mutate(ada, 'createApiKey', { name: 'org', scope: 'READ', owner: org })).key.owner.handle).toBe(org)
    const list = await hub.graphql(ada, '{ apiKeys { nodes { name owner { handle } } } }')
    expect(list.data.apiKeys.nodes).toEqual([{ name: 'laptop', owner: { handle: ada.handle } }])
    expect(JSON.stringify(list)).not.toContain(own.token)
    expect(await mutate(bob, 'createApiKey', { name: 'x', scope: 'READ', owner: org })).toMatchObject({ status: 403 })
    expect(await mutate(bob, 'createApiKey', { name: 'x', scope: 'READ', owner: ada.handle })).toMatchObject({
      status: 403,
    })
    expect(await mutate(bob, 'createApiKey', { name: 'x', scope: 'READ', owner: 'nobody-here' })).toMatchObject({
      status: 404,
    })
    expect(await mutate(own.token, 'createApiKey', { name: 'x', scope: 'READ' })).toMatchObject({ status: 403 })
  })

  it('reject invalid inputs', async () => {
    const ada = await hub.person()
    const hidden = await hub.repo(await hub.person())
    const wrong: Record<string, unknown>[] = [
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'a\u0000b' },
      { repos: [] },
      { repos: ['nonsense'] },
      { repos: [`${ada.handle}/nothing`] },
      { repos: [hidden] },
      { expiresAt: '2001-01-01T00:00:00Z' },
      { dailyGpuHourQuota: -1 },
      { dailyGpuHourQuota: 1e12 },
    ]
    for (const change of wrong)
      expect([change, await mutate(ada, 'createApiKey', { name: 'k', scope: 'READ', ...change })]).toEqual([
        change,
        expect.objectContaining({ status: 422 }),
      ])
    expect(await hub.sql('select from api_keys where account_id = $1', [ada.id])).toEqual([])
  })

  it('revoke a key permanently, by its user, its creator or an owner of its org', async () => {
    const [boss, maker, member, stranger] = [
      await hub.person(),
      await hub.person(),
      await hub.person(),
      await hub.person(),
    ]
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: maker.handle, role: 'member' },
      { user: member.handle, role: 'member' },
    ])
    const make = async () => (await mutate(maker, 'createApiKey', { name: 'k', scope: 'READ', owner: org })) as Json
    const [first, second] = [await make(), await make()]
    expect(await mutate(stranger, 'revokeApiKey', { id: first.key.id })).toMatchObject({ status: 404 })
    expect(await mutate(member, 'revokeApiKey', { id: first.key.id })).toMatchObject({ status: 403 })
    expect(await mutate(second.token, 'revokeApiKey', { id: first.key.id })).toMatchObject({ status: 403 })
    expect(await me(first.token)).toBe(200)
    const ended = await mutate(maker, 'revokeApiKey', { id: first.key.id })
    expect(ended).toEqual({ id: first.key.id, revokedAt: expect.stringMatching(/Z$/) })
    expect(await me(first.token)).toBe(401)
    expect(await mutate(boss, 'revokeApiKey', { id: first.key.id })).toEqual(ended)
    expect((await mutate(boss, 'revokeApiKey', { id: second.key.id })).revokedAt).not.toBeNull()
    for (const id of ['nonsense', 'key_00000000000000000000000000'])
      expect(await mutate(boss, 'revokeApiKey', { id })).toMatchObject({ status: 404 })
  })
})

describe('the audit log', () => {
  const query = `query ($account: String!, $first: Int, $after: String) { auditLog(account: $account, first: $first, after: $after) {
    nodes { action targetId credentialId requestId actor { handle } before after } pageInfo { hasNextPage endCursor } } }`

  it('lists who did what to what, newest first, page by page, for members of the account', async () => {
    const [boss, worker, stranger] = [await hub.person(), await hub.person(), await hub.person()]
    const org = newName('org')
    await mutate(boss, 'createOrg', { handle: org })
    await put(boss, org, worker, 'MEMBER')
    const made = await mutate(worker, 'createApiKey', { name: 'k', scope: 'READ', owner: org })
    await mutate(boss, 'revokeApiKey', { id: made.key.id })
    await remove(boss, org, worker)
    const read = async (who: Who, variables: Record<string, unknown> = {}) => {
      const { data, errors } = await hub.graphql(who, query, { account: org, ...variables })
      return errors ? errors[0].extensions.status : data.auditLog
    }
    const { nodes } = await read(boss)
    expect(nodes.map((entry: Json) => [entry.action, entry.actor.handle])).toEqual([
      ['org.member.remove', boss.handle],
      ['key.revoke', boss.handle],
      ['key.create', worker.handle],
      ['org.member.put', boss.handle],
      ['org.member.put', boss.handle],
      ['org.create', boss.handle],
    ])
    expect(nodes[2]).toMatchObject({
      targetId: made.key.id,
      credentialId: expect.stringMatching(/^sess_/),
      requestId: expect.any(String),
      after: { name: 'k', scope: 'read' },
    })
    expect(JSON.stringify(nodes)).not.toContain(made.token)
    const seen = []
    for (let after: string | null = null, more = true; more; ) {
      const page: Json = await read(boss, { first: 4, after })
      seen.push(...page.nodes)
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    expect(seen).toEqual(nodes)
    expect([await read(worker), await read(stranger), await read(null)]).toEqual([403, 403, 401])
    expect(await read(await hub.key(boss, { scope: 'train' }))).toBe(403)
    expect(await read(boss, { after: 'nonsense' })).toBe(422)
  })

  it('is append-only', async () => {
    for (const text of ["update audit_log set action = 'nothing'", 'delete from audit_log', 'truncate audit_log'])
      await expect(hub.sql(text)).rejects.toThrow()
    expect((await hub.sql<{ n: number }>('select count(*) as n from audit_log'))[0]?.n).toBeGreaterThan(0)
  })
})

it('a person is in a thousand orgs at most, whoever adds them, and may leave one for another', async () => {
  const [victim, boss] = [await hub.person(), await hub.person()]
  const [org, last] = [newName(), newName()]
  for (const handle of [org, last]) await mutate(boss, 'createOrg', { handle })
  const prefix = newName()
  await hub.sql(
    `with made as (insert into accounts (id, kind, handle)
        select $2 || n, 'org', $2 || '-' || n from generate_series(1, 999) n returning id)
      insert into memberships (org_id, user_id, role) select id, $1, 'member' from made`,
    [victim.id, prefix],
  )
  expect(await put(boss, org, victim, 'MEMBER')).toMatchObject({ role: 'MEMBER' })
  expect(await put(boss, last, victim, 'MEMBER')).toEqual({ status: 429, type: 'quota.orgs' })
  expect(await mutate(victim, 'createOrg', { handle: newName() })).toEqual({ status: 429, type: 'quota.orgs' })
  // One who is in it already may have another role.
  expect(await put(boss, org, victim, 'OWNER')).toMatchObject({ role: 'OWNER' })
  expect(await remove(victim, org, victim)).toMatchObject({ user: { handle: victim.handle } })
  // There is room for one: of those who add them at the same moment one does.
  for (let round = 0; round < 5; round += 1) {
    const added = await Promise.all([org, last].map((handle) => put(boss, handle, victim, 'MEMBER')))
    expect(added.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1)
    for (const handle of [org, last]) await remove(victim, handle, victim)
  }
})
