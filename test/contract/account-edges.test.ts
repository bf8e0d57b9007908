/** The page of an account: what it has, as far as each viewer sees it. */

import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { putEndpoint } from '../support/endpoints.ts'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()

const people = {} as Record<'owner' | 'member' | 'left' | 'stranger', Person>
let org: string
let viewers: Record<string, Who>
const repos = {} as Record<'open' | 'model' | 'robot', string>
const runs = {} as Record<'ofOwner' | 'ofLeft', string>
const checks = {} as Record<'ofOwner' | 'ofLeft', string>
let endpoint: string
/** Of the org's agent, and of an agent of the person that left. */
const holds = {} as Record<'ofOrg' | 'ofLeft', string>

const ok = async (answer: ReturnType<typeof hub.call>, status: number): Promise<Json> => {
  const { status: got, json } = await answer
  expect([got, json?.errors]).toEqual([status, undefined])
  return json
}

async function putHold(accountId: string, createdBy: string | null, filedBy: string): Promise<string> {
  const id = newId('spend')
  await hub.sql(
    `insert into spend_holds (id, status, kind, account_id, created_by, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
      values ($1, 'pending', 'run', $2, $3, $4, 'x', '{}', 'x', 1, 1, 0, now() + interval '1 day')`,
    [id, accountId, createdBy, filedBy],
  )
  return id
}

beforeAll(async () => {
  for (const name of ['owner', 'member', 'left', 'stranger'] as const) people[name] = await hub.person()
  const { owner, member, left } = people
  org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
    { user: left.handle, role: 'member' },
  ])
  repos.open = await hub.repo(owner, { owner: org, visibility: 'public' })
  repos.model = await hub.repo(owner, { owner: org, kind: 'model' })
  repos.robot = await hub.repo(owner, { owner: org, kind: 'robot' })
  await hub.upload(owner, repos.robot, { 'arm.xml': '<mujoco/>' })
  const recipe = { template: 'act', dataset: [`svc://${repos.open}`] }
  const asked = { kind: 'robot', robot_repo: repos.robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
  for (const [name, who] of [
    ['ofOwner', owner],
    ['ofLeft', left],
  ] as const) {
    runs[name] = (await ok(hub.call(who, 'POST', '/v1/runs', { recipe, owner: org }), 201)).id
    checks[name] = (await ok(hub.call(who, 'POST', '/v1/robot-checks', asked), 201)).id
  }
  const { db } = hub.running.deps
  const accountOf = async (handle: string) =>
    (await hub.sql<{ id: string }>('select id from accounts where handle = $1', [handle]))[0]?.id ?? ''
  const orgId = await accountOf(org)
  const model = (await ok(hub.call(owner, 'GET', `/v1/repos/${repos.model}`), 200)).id
  endpoint = await putEndpoint(db, { ownerId: orgId, modelRepo: { id: model, name: repos.model } })
  holds.ofOrg = await putHold(orgId, null, 'key_of_the_org')
  holds.ofLeft = await putHold(orgId, left.id, 'key_of_left')
  // What others own is never on the page.
  await hub.repo(owner)
  await putRun(db, { ownerId: owner.id })
  await putEndpoint(db, { ownerId: owner.id })
  await putHold(owner.id, owner.id, 'key_of_owner')
  const removal = 'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } } }'
  expect((await hub.graphql(owner, removal, { input: { org, user: left.handle } })).errors).toBeUndefined()
  viewers = {
    ...people,
    'an org key': await hub.key(org, { scope: 'read' }),
    'a key limited to the public repo': await hub.key(org, { repos: [repos.open] }),
    'a key limited to the robot': await hub.key(org, { repos: [repos.robot] }),
    anonymous: null,
  }
})

const page = async (who: string, fields: string): Promise<Json> => {
  const text = `{ account(handle: "${org}") { handle kind ${fields} } }`
  const { data, errors } = await hub.graphql(viewers[who] ?? null, text)
  expect(errors).toBeUndefined()
  expect(data.account).toMatchObject({ handle: org, kind: 'ORG' })
  return data.account
}

const everything =
  'repos { nodes { fullName } } runs { nodes { id } } checks { nodes { id } } endpoints { nodes { id } } spendHolds { nodes { id } }'

const all = () => ({
  repos: [repos.robot, repos.model, repos.open],
  runs: [runs.ofLeft, runs.ofOwner],
  checks: [checks.ofLeft, checks.ofOwner],
  endpoints: [endpoint],
  spendHolds: [holds.ofLeft, holds.ofOrg],
})
const open = () => ({ repos: [repos.open], runs: [], checks: [], endpoints: [], spendHolds: [] })

const seen: Record<string, () => Record<string, string[]>> = {
  owner: all,
  member: all,
  'an org key': all,
  left: () => ({ ...open(), runs: [runs.ofLeft], checks: [checks.ofLeft], spendHolds: [holds.ofLeft] }),
  stranger: open,
  anonymous: open,
  'a key limited to the public repo': () => ({ ...open(), runs: [runs.ofLeft, runs.ofOwner] }),
  'a key limited to the robot': () => ({
    ...open(),
    repos: [repos.robot, repos.open],
    checks: [checks.ofLeft, checks.ofOwner],
  }),
}

describe('account(handle)', () => {
  it.each(Object.keys(seen))('shows what it has to %s, as far as they see it', async (who) => {
    const { repos, runs, checks, endpoints, spendHolds } = await page(who, everything)
    const ids = ({ nodes }: Json) => nodes.map(({ id, fullName }: Json) => fullName ?? id)
    const found = { runs: ids(runs), repos: ids(repos), checks: ids(checks) }
    const expected = seen[who]?.()
    expect({ ...found, endpoints: ids(endpoints), spendHolds: ids(spendHolds) }).toEqual(expected)
  })

  it.each(['owner', 'left', 'stranger', 'an org key', 'a key limited to the public repo'])(
    'lists for %s what the listings with that owner have',
    async (who) => {
      const ofPage = await page(who, 'repos { nodes { id } } runs { nodes { id } } endpoints { nodes { id } }')
      const { data } = await hub.graphql(
        viewers[who] ?? null,
        `{ repos(owner: "${org}") { nodes { id } } runs(owner: "${org}") { nodes { id } } endpoints(owner: "${org}") { nodes { id } } }`,
      )
      expect(ofPage).toMatchObject(data)
    },
  )

  it('counts what it has for its members, and for nobody else', async () => {
    const number = '{ count isCapped }'
    const byStatus = `{ queued ${number} running ${number} succeeded ${number} failed ${number} canceled ${number} }`
    const fields = `counts { runs ${byStatus} checks ${byStatus} liveEndpoints ${number} pendingHolds ${number} }`
    const exactly = (count: number) => ({ count, isCapped: false })
    const none = { running: exactly(0), succeeded: exactly(0), failed: exactly(0), canceled: exactly(0) }
    for (const who of ['owner', 'member', 'an org key'])
      expect((await page(who, fields)).counts).toEqual({
        runs: { queued: exactly(2), ...none },
        checks: { queued: exactly(2), ...none },
        liveEndpoints: exactly(1),
        pendingHolds: exactly(2),
      })
    for (const who of ['left', 'stranger', 'a key limited to the robot', 'anonymous'])
      expect((await page(who, fields)).counts).toBeNull()
  })

  it('counts to a thousand, and says that there are more', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    for (const [owner, many] of [
      [ada, 1001],
      [bob, 1000],
    ] as const)
      await hub.sql(
        `insert into runs (id, kind, status, owner_id, filed_by, template, recipe, recipe_hash, finished_at)
          select 'run_' || $1 || n, 'external', 'failed', $1, 'key_x', 'act', '{"template":"act"}', repeat('a', 64), now() from generate_series(1, $2::int) n`,
        [owner.id, many],
      )
    const failed = async (who: Person) =>
      (await hub.graphql(who, `{ viewer { account { counts { runs { failed { count isCapped } } } } } }`)).data.viewer
        .account.counts.runs.failed
    expect(await failed(ada)).toEqual({ count: 1000, isCapped: true })
    expect(await failed(bob)).toEqual({ count: 1000, isCapped: false })
  })

  it('is null for a handle that nobody has', async () => {
    expect((await hub.graphql(null, '{ account(handle: "no--one") { id } }')).data).toEqual({ account: null })
    const { errors } = await hub.graphql(null, `{ account(handle: "${'x'.repeat(257)}") { id } }`)
    expect(errors[0].extensions.problem.errors[0].loc).toEqual(['handle'])
  })
})

describe('the pages of an account', () => {
  it('continue after a cursor with the same filters, and refuse the cursor of another listing', async () => {
    const made: string[] = []
    const ada = await hub.person()
    for (let at = 0; at < 5; at += 1) made.push(await hub.repo(ada, { kind: at === 2 ? 'robot' : 'model' }))
    await ok(hub.call(ada, 'PATCH', `/v1/repos/${made[1]}`, { tags: ['new'] }), 200)
    const ask = async (args: string) =>
      hub.graphql(
        ada,
        `{ viewer { account { repos(${args}) { nodes { fullName } pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`,
      )
    const walk = async (filter: string) => {
      const pages: number[][] = []
      for (let after: string | null = ''; after !== null; ) {
        const { nodes, pageInfo }: Json = (await ask(`${filter} first: 2 after: "${after}"`)).data.viewer.account.repos
        expect(pageInfo.hasPreviousPage).toBe(after !== '')
        pages.push(nodes.map(({ fullName }: Json) => made.indexOf(fullName)))
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null
      }
      return pages
    }
    expect(await walk('')).toEqual([[4, 3], [2, 1], [0]])
    expect(await walk('sort: UPDATED')).toEqual([[1, 4], [3, 2], [0]])
    expect(await walk('kind: MODEL visibility: PRIVATE')).toEqual([
      [4, 3],
      [1, 0],
    ])
    expect(await walk('visibility: PUBLIC')).toEqual([[]])
    const { endCursor } = (await ask('first: 1')).data.viewer.account.repos.pageInfo
    const { errors } = await ask(`kind: MODEL after: "${endCursor}"`)
    expect(errors[0].extensions.problem.errors[0]).toMatchObject({ type: 'validation.cursor' })
  })

  it('of jobs and holds too', async () => {
    const ofEach = `runs(first: 1) { nodes { id } pageInfo { endCursor hasNextPage } } checks(first: 1) { nodes { id } pageInfo { endCursor hasNextPage } }
      spendHolds(first: 1) { nodes { id } pageInfo { endCursor hasNextPage } }`
    const first = await page('owner', ofEach)
    const next = await page(
      'owner',
      ['runs', 'checks', 'spendHolds']
        .map((name) => `${name}(after: "${first[name].pageInfo.endCursor}") { nodes { id } pageInfo { hasNextPage } }`)
        .join(' '),
    )
    const [newest, oldest] = [first, next].map((of) => [of.runs.nodes, of.checks.nodes, of.spendHolds.nodes].flat())
    expect(newest?.map(({ id }: Json) => id)).toEqual([runs.ofLeft, checks.ofLeft, holds.ofLeft])
    expect(oldest?.map(({ id }: Json) => id)).toEqual([runs.ofOwner, checks.ofOwner, holds.ofOrg])
    expect(next.runs.pageInfo).toEqual({ hasNextPage: false })
  })

  it('have the filters of the listings', async () => {
    const filtered = `queued: runs(status: QUEUED, executor: WORKER, kind: CLOUD) { nodes { id } } none: runs(status: RUNNING) { nodes { id } }
      robots: checks(kind: ROBOT, status: QUEUED, executor: WORKER) { nodes { id } } models: checks(kind: MODEL) { nodes { id } }
      starting: endpoints(status: QUEUED, executor: WORKER) { nodes { id } } stopped: endpoints(status: STOPPED) { nodes { id } }
      pending: spendHolds(status: PENDING) { nodes { id } } denied: spendHolds(status: DENIED) { nodes { id } }`
    const found = await page('owner', filtered)
    const counts = Object.entries<Json>(found).flatMap(([name, { nodes }]) => (nodes ? [[name, nodes.length]] : []))
    expect(Object.fromEntries(counts)).toEqual({
      queued: 2,
      none: 0,
      robots: 2,
      models: 0,
      starting: 1,
      stopped: 0,
      pending: 2,
      denied: 0,
    })
  })
})

describe('Repo.latestRun', () => {
  it('is the newest run that names the repo and that the viewer sees, of a status if one is asked for', async () => {
    const [owner = '', slug = ''] = repos.open.split('/')
    const latest = async (who: string) =>
      (
        await hub.graphql(
          viewers[who] ?? null,
          `{ repo(owner: "${owner}", slug: "${slug}") { latestRun { id } failed: latestRun(status: FAILED) { id } queued: latestRun(status: QUEUED) { id } } }`,
        )
      ).data.repo
    const newest = { latestRun: { id: runs.ofLeft }, failed: null, queued: { id: runs.ofLeft } }
    expect([await latest('owner'), await latest('left')]).toEqual([newest, newest])
    expect(await latest('stranger')).toEqual({ latestRun: null, failed: null, queued: null })
  })
})
