/** What an account spends, its cap and its ledger. Contract, "What an account spends". */

import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, newName, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let owner: Person
let member: Person
let org: string
let who: Record<string, Who>

beforeAll(async () => {
  ;[owner, member] = [await hub.person(), await hub.person()]
  org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  const repo = await hub.repo(member, { owner: org })
  who = {
    nobody: null,
    owner,
    member,
    stranger: await hub.person(),
    orgKey: await hub.key(org, { scope: 'read' }),
    memberKey: await hub.key(member, { scope: 'train', agent: true }),
    limited: await hub.key(org, { scope: 'train', repos: [repo] }),
  }
})

const accountId = (handle: string) => `(select id from accounts where handle = '${handle}')`
const record = (handle: string, kind: string, usd: number, at = 'now()') =>
  hub.sql(
    `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd, at)
      values ($4, ${accountId(handle)}, $2, $1, 1, 'gpu', 'l4', 90.5, $3, ${at})`,
    [newName('job'), kind, usd, newId('led')],
  )
const reserve = (handle: string, kind: string, usd: number) =>
  hub.sql(
    `insert into spend_reservations (job_id, job_kind, account_id, amount_usd, allowance) values ($1, $2, ${accountId(handle)}, $3, false)`,
    [newName('job'), kind, usd],
  )
const summary = (by: Who, more = '') => hub.call(by, 'GET', `/v1/spend${more}`)
const setCap = (by: Who, body: object) => hub.call(by, 'PUT', '/v1/spend/cap', { account: org, ...body })
const statuses = async (ask: (by: Who) => Promise<{ status: number }>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(who).map(async ([name, by]) => [name, (await ask(by)).status] as const)),
  )

describe('the summary of a month', () => {
  it('is an edge of its account too, and null for a caller who cannot see it', async () => {
    const ask = async (by: Who) =>
      (await hub.graphql(by, `{ repos(owner: "${org}") { nodes { owner { spend { month account { handle } } } } } }`))
        .data.repos.nodes
    const seen = await ask(owner)
    expect(seen[0].owner.spend).toMatchObject({
      account: { handle: org },
      month: expect.stringMatching(/^20\d\d-\d\d$/),
    })
    expect((await ask(who.memberKey as Who))[0].owner.spend.account.handle).toBe(org)
    expect((await ask(who.limited as Who))[0].owner.spend).toBeNull()
    const stranger = await hub.repo(owner, { visibility: 'public' })
    const [ownerName, slug] = stranger.split('/')
    const { data } = await hub.graphql(
      who.stranger as Who,
      `{ repo(owner: "${ownerName}", slug: "${slug}") { owner { spend { month } } } }`,
    )
    expect(data.repo.owner.spend).toBeNull()
  })

  it('has what is recorded and reserved, by kind of work, the cap and the allowance', async () => {
    const eve = await hub.person()
    await record(eve.handle, 'run', 1.25)
    await record(eve.handle, 'run', 0.5)
    await record(eve.handle, 'endpoint_session', 0.1)
    await record(eve.handle, 'robot_check', 0.2)
    await record(eve.handle, 'run', 9, `date_trunc('month', now(), 'UTC') - interval '1 second'`)
    await reserve(eve.handle, 'endpoint', 3)
    await reserve(eve.handle, 'run', 0.4)
    const { json } = await summary(eve)
    expect(json).toMatchObject({
      account: { handle: eve.handle },
      recorded_usd: 2.05,
      reserved_usd: 3.4,
      month_usd: 5.45,
      kinds: [
        { kind: 'endpoint', entries: 1, recorded_usd: 0.1, under_way: 1, reserved_usd: 3 },
        { kind: 'robot_check', entries: 1, recorded_usd: 0.2, under_way: 0, reserved_usd: 0 },
        { kind: 'run', entries: 2, recorded_usd: 1.75, under_way: 1, reserved_usd: 0.4 },
      ],
      cap: null,
      cap_passed_at: null,
      allowance_limit_usd: 5,
      allowance: { used_usd: 0.2, reserved_usd: 0, remaining_usd: 4.8 },
    })
    expect(json.starts_at.startsWith(`${json.month}-01T00:00:00`)).toBe(true)
    const last = new Date(Date.parse(json.starts_at) - 1).toISOString().slice(0, 7)
    const before = await summary(eve, `?month=${last}`)
    expect(before.json).toMatchObject({
      month: last,
      ends_at: json.starts_at,
      recorded_usd: 9,
      reserved_usd: 0,
      kinds: [{ kind: 'run' }],
      allowance: null,
    })
    expect((await summary(eve, `?month=${json.month}`)).json).toEqual(json)
    for (const month of ['2026-13', '2026', '1999-01']) expect((await summary(eve, `?month=${month}`)).status).toBe(422)
  })

  it('is for the user, the members of the org and their keys, but not for keys limited to repos', async () => {
    expect(await statuses((by) => summary(by, `?account=${org}`))).toEqual({
      nobody: 401,
      owner: 200,
      member: 200,
      stranger: 403,
      orgKey: 200,
      memberKey: 200,
      limited: 403,
    })
    expect((await summary(owner, `?account=${newName('none')}`)).status).toBe(404)
  })
})

describe('the spend cap', () => {
  it('is set, replaced and removed by an owner in a session, and by nobody else', async () => {
    expect(await statuses((by) => setCap(by, { usd: 1, mode: 'notify' }))).toEqual({
      nobody: 401,
      owner: 200,
      member: 403,
      stranger: 403,
      orgKey: 403,
      memberKey: 403,
      limited: 403,
    })
    const set = await setCap(owner, { usd: 12.34567, mode: 'stop' })
    expect([set.json.account.handle, set.json.cap]).toEqual([org, { mode: 'stop', limit_usd: 12.3457 }])
    const gone = await setCap(owner, { usd: null, mode: null })
    expect(gone.json.cap).toBeNull()
    const changes = await hub.sql<{ before: unknown; after: unknown }>(
      `select before, after from audit_log where action = 'spend.cap' and account_id = ${accountId(org)} order by id`,
    )
    expect(changes.slice(1)).toEqual([
      {
        before: { cap: { mode: 'notify', limitUsd: '1.0000' } },
        after: { cap: { mode: 'stop', limitUsd: '12.3457' } },
      },
      { before: { cap: { mode: 'stop', limitUsd: '12.3457' } }, after: { cap: null } },
    ])
    expect((await hub.call(owner, 'PUT', '/v1/spend/cap', { usd: 0, mode: 'stop' })).json).toMatchObject({
      account: { handle: owner.handle },
      cap: { limit_usd: 0 },
    })
  })

  it.each([
    [{ usd: 1 }, 'validation.required', ['body', 'mode']],
    [{ mode: 'stop' }, 'validation.required', ['body', 'usd']],
    [{ usd: -1, mode: 'stop' }, 'validation.value', ['body', 'usd']],
    [{ usd: 1, mode: 'STOP' }, 'validation.value', ['body', 'mode']],
  ])('of %j is 422, and nothing changes', async (body, type, loc) => {
    const before = (await summary(owner, `?account=${org}`)).json.cap
    const refused = await setCap(owner, body)
    expect([refused.status, types(refused), refused.json.errors[0].loc]).toEqual([422, [type], loc])
    expect((await summary(owner, `?account=${org}`)).json.cap).toEqual(before)
  })
})

describe('the ledger of an account', () => {
  const ask = (by: Who, handle: string, more = '') =>
    hub.graphql(
      by,
      `{ ledger(account: "${handle}"${more}) { nodes { jobKind jobId kind tier seconds amountUsd at } pageInfo { hasNextPage endCursor } } }`,
    )

  it('is newest first, in pages, for a session of the user or of a member', async () => {
    const eve = await hub.person()
    for (const usd of [1, 2, 3]) await record(eve.handle, 'run', usd)
    const first = (await ask(eve, eve.handle, ', first: 2')).data.ledger
    const rest = (await ask(eve, eve.handle, `, after: "${first.pageInfo.endCursor}"`)).data?.ledger
    const amounts = [...first.nodes, ...(rest?.nodes ?? [])].map(({ amountUsd }: { amountUsd: number }) => amountUsd)
    expect(amounts).toEqual([3, 2, 1])
    expect(first.nodes[0]).toMatchObject({ jobKind: 'run', kind: 'gpu', tier: 'l4', seconds: 90.5 })
    expect((await ask(member, org)).errors).toBeUndefined()
    for (const by of [who.stranger, who.orgKey, who.memberKey])
      expect((await ask(by ?? null, org)).errors[0].extensions.status).toBe(403)
  })

  it('joins a run and a check to what they cost', async () => {
    const run = (await hub.call(owner, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    const train = await hub.key(owner, { scope: 'train' })
    await hub.call(train, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' })
    const read = async () =>
      (await hub.graphql(owner, `{ run(id: "${run}") { ledger { jobId amountUsd } } }`)).data.run.ledger
    expect(await read()).toEqual([])
    await hub.call(train, 'POST', `/v1/runs/${run}/report`, { status: 'succeeded' })
    expect(await read()).toEqual([{ jobId: run, amountUsd: 0 }])
  })
})
