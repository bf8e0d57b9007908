// @module-tag full
/** Pages of repos, sessions, devices, keys, the ledger and the audit log, and the counts of an account, among 100,000 rows: each reads about what it shows. */
import { graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { schema } from '../../schema/index.ts'
import { countsOfAccounts, MAX_COUNTED } from '../../src/accounts/account-counts.ts'
import { visibleRepos } from '../../src/auth/policy.ts'
import { devicesOfAccounts } from '../../src/devices/account-devices.ts'
import { listDevices } from '../../src/devices/list-devices.ts'
import { listEndpoints } from '../../src/endpoints/read/list-endpoints.ts'
import {
  sessionsOfApprovals,
  sessionsOfDevices,
  sessionsOfEndpoints,
} from '../../src/endpoints/sessions/list-sessions.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { reposOfAccounts } from '../../src/repos/account-repos.ts'
import { type RepoFilter, repoPageStatement } from '../../src/repos/list-sql.ts'
import { type NamedStatement, orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { putEndpoint } from '../support/endpoints.ts'
import { blocksOf, type Plan, passedOver, plansOf, scansOf } from '../support/plans.ts'
import { prismaQueries } from '../support/prisma-queries.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
const MANY = 100_000
const ENDPOINTS = 20_000
const FIRST = 20
const id = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`
let world: World
let owner: AccountRef
let few: AccountRef
let ctx: RequestContext
/** Of which most endpoints are, one, and none; and the robots that most models name, ten, and none. */
let models: readonly string[]
let robots: readonly string[]

/**
 * Nine tenths are the owner's, and of the rest ten rows at the very beginning `few`'s. One endpoint has nine tenths of the sessions, which are of one device
 * under one approval.
 */
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  owner = await world.user()
  few = await world.user()
  const other = await world.user()
  ctx = world.as(owner)
  const whose = `case when n <= 10 then '${few.id}' when n % 10 = 0 then '${other.id}' else '${owner.id}' end`
  const lpad = (prefix: string, n = 'n') => `'${prefix}_' || lpad((${n})::text, 26, '0')`
  const rows = `generate_series(1, ${MANY}) n`
  const statements = [
    `insert into repos (id, owner_id, slug, kind, visibility, description, tags, updated_at)
      select ${lpad('repo')}, ${whose}, 'slug-' || n, (array['dataset','model','robot'])[1 + n % 3]::"RepoKind", (case when n % 2 = 0 then 'public' else 'private' end)::"Visibility",
        case when n % 10000 = 5 then 'a rareword' end, case when n % 10000 = 7 then array['rare'] else array['common'] end, now() - make_interval(secs => ${MANY} - n) from ${rows}`,
    `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd) select ${lpad('led')}, ${whose}, 'run', ${lpad('run')}, 1, 'gpu', 1, 1 from ${rows}`,
    `insert into sessions (id, account_id, expires_at) select ${lpad('sess')}, ${whose}, now() from ${rows}`,
    // Of a hundred keys, ninety-nine are those of hosted jobs.
    `insert into api_keys (id, account_id, name, scope, token_sha256, job_id)
      select ${lpad('key')}, ${whose}, 'a key', 'read', sha256(n::text::bytea), case when n % 100 > 1 then 'run_' || n end from ${rows}`,
    `insert into audit_log (id, account_id, action, target_id) select ${lpad('aud')}, ${whose}, 'repo.create', ${lpad('repo')} from ${rows}`,
    `insert into devices (id, owner_id, name) select ${lpad('dev')}, ${whose}, 'arm ' || n from ${rows}`,
  ]
  const named = (n: number) => `${owner.handle}/slug-${n}`
  models = [103, 106, 109].map(named)
  robots = [104, 107, 113].map(named)
  const sample = await putEndpoint(t.db, {
    ownerId: owner.id,
    modelRepo: { id: id('repo', 103), name: named(103) },
  })
  const changed = (n: string) =>
    `jsonb_build_object('id', ${lpad('ep', n)}, 'owner_id', ${whose.replaceAll(/\bn\b/g, n)}, 'status', case when ${n} % 50 = 0 then 'queued' else 'failed' end, 'finished_at', case when ${n} % 50 <> 0 then now() end)`
  statements.push(
    `insert into endpoints select (jsonb_populate_record(e, ${changed('n')})).* from endpoints e, generate_series(1, ${ENDPOINTS}) n where e.id = '${sample}'`,
    `update endpoints set model_repo_id = '${id('repo', 106)}' where id = '${id('ep', 11)}'`,
    `insert into model_meta (repo_id, policy_type, robot, robot_repo_id)
      select ${lpad('repo')}, 'act', case when n % 10000 = 7 then '${robots[1]}' else '${robots[0]}' end,
        case when n % 10000 = 7 then '${id('repo', 107)}' when n % 20000 <> 1 then '${id('repo', 104)}' end from ${rows} where n % 3 = 1`,
    `insert into endpoint_sessions (id, endpoint_id, device_id, approval_id, status, opened_by, expires_at, closed_at)
      select ${lpad('esess')}, case when n % 10 = 0 then '${id('ep', 200)}' else '${id('ep', 100)}' end, case when n % 10 = 0 then '${id('dev', 200)}' else '${id('dev', 100)}' end,
        case when n % 10 = 0 then '${id('appr', 2)}' else '${id('appr', 1)}' end, 'closed', 'key_x', now(), now() from ${rows}`,
  )
  for (const text of statements)
    await t.db.withTx(async (tx) => {
      // Neither references are looked up nor changes noted, row by row.
      await tx.query({ name: '', text: 'set local session_replication_role = replica' })
      await tx.query({ name: '', text })
    })
  await world.sql('checkpoint')
  const tables = [
    'repos',
    'devices',
    'ledger',
    'audit_log',
    'sessions',
    'api_keys',
    'endpoints',
    'endpoint_sessions',
    'model_meta',
  ]
  for (const table of tables) await world.sql(`vacuum analyze ${table}`)
})
afterAll(() => world?.close())

type Asked = readonly [NamedStatement<unknown, object>, object]

/** The first statement that is sent, with its values. */
async function sentFor(ask: () => Promise<unknown>): Promise<Asked> {
  const query = vi.spyOn(t.db, 'query')
  try {
    await ask()
    const [sent] = query.mock.calls as unknown as Asked[]
    if (!sent) throw new Error('Nothing was asked.')
    return sent
  } finally {
    query.mockRestore()
  }
}

const rowsRead = (plan: readonly Plan[], table: string) =>
  plan
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)

/** Under both kinds of plan: no table from end to end, no more rows than a few times the page, and few blocks. */
const expectFlat = ([statement, values]: Asked, table: string): Promise<void> =>
  expectFlatText(statement.text, orderedValues(statement, values), table)

async function expectFlatText(text: string, values: readonly unknown[], table: string): Promise<void> {
  for (const plan of await plansOf(t.db, text, values)) {
    expect(scansOf(plan, table)).toEqual([])
    // One in six is of a kind and a visibility.
    expect(passedOver(plan, table)).toBeLessThan(8 * (FIRST + 1))
    expect(rowsRead(plan, table)).toBeLessThanOrEqual(8 * (FIRST + 1))
    expect(blocksOf(plan)).toBeLessThan(600)
  }
}

const anonymous = () => world.anonymous()
describe('a page of repos', () => {
  it.each(['created', 'updated'] as const)('of accounts, in the order of %s', async (sort) => {
    for (const caller of [ctx, anonymous()])
      await expectFlat(
        await sentFor(() => reposOfAccounts(caller, [owner.id, few.id, 'user_none'], { sort, first: FIRST })),
        'repos',
      )
  })

  const filters: RepoFilter[] = [{}, { kind: 'model' }, { visibility: 'private' }, { visibility: 'public' }]
  it.each(['created', 'updated'] as const)('of all that a caller sees, in the order of %s', async (sort) => {
    const middle = {
      created: [id('repo', MANY / 2)],
      updated: [new Date(Date.now() - 5e7).toISOString(), id('repo', MANY / 2)],
    }
    for (const caller of [ctx, world.as(few), anonymous()])
      for (const ownerId of [null, owner.id, few.id])
        for (const after of [null, middle[sort]])
          for (const filter of filters) {
            const query = { filter: { ...filter, ownerId }, sort, after, limit: FIRST + 1, cards: false }
            const { statement, values } = repoPageStatement(visibleRepos(caller.viewer), query)
            await expectFlat([statement, values] as unknown as Asked, 'repos')
          }
  })
})

it.each([
  ['that few name', 1],
  ['that none names', 2],
] as const)('a page of the models of a robot %s', async (_which, nth) => {
  const robot = robots[nth] ?? ''
  for (const caller of [ctx, world.as(few), anonymous()])
    for (const after of [null, [id('repo', MANY / 2)]]) {
      const query = {
        filter: { robot, ownerId: null },
        sort: 'created',
        after,
        limit: FIRST + 1,
        cards: false,
      } as const
      const { statement, values } = repoPageStatement(visibleRepos(caller.viewer), query)
      await expectFlat([statement, values] as unknown as Asked, 'repos')
      await expectFlat([statement, values] as unknown as Asked, 'model_meta')
    }
})

it.each([
  ['that most are of', 1],
  ['that one is of', 2],
  ['that none is of', 3],
] as const)('a page of endpoints of a model %s', async (_which, nth) => {
  const modelRepo = models[nth - 1] ?? ''
  for (const after of [null, id('ep', ENDPOINTS / 2)]) {
    const [statement, values] = await sentFor(() => listEndpoints(ctx, { modelRepo, first: FIRST }))
    await expectFlat([statement, { ...values, after }], 'endpoints')
  }
})

it.each([null, 'queued', 'running'] as const)('a page of endpoints (status %s)', async (status) => {
  for (const after of [null, id('ep', ENDPOINTS / 2)]) {
    const [statement, values] = await sentFor(() => listEndpoints(ctx, { status, first: FIRST }))
    await expectFlat([statement, { ...values, after }], 'endpoints')
  }
})

it.each([
  ['an endpoint', sessionsOfEndpoints, 'ep'],
  ['a device', sessionsOfDevices, 'dev'],
  ['an approval', sessionsOfApprovals, 'appr'],
] as const)('a page of the sessions of %s', async (_of, pages, prefix) => {
  const of = prefix === 'appr' ? [id('appr', 1), id('appr', 2)] : [id(prefix, 100), id(prefix, 200)]
  const [statement, values] = await sentFor(() => pages(ctx, { of, first: FIRST }))
  for (const after of [null, id('esess', MANY / 2)])
    await expectFlat([statement, { ...values, after }], 'endpoint_sessions')
})

it('a page of the devices of a caller', async () => {
  for (const caller of [ctx, world.as(few)]) {
    const [statement, values] = await sentFor(() => listDevices(caller, { first: FIRST }))
    for (const owner of [null, few.handle])
      for (const after of [null, id('dev', MANY / 2)])
        await expectFlat([statement, { ...values, owner, after }], 'devices')
  }
})

it('a page of the devices of accounts', async () => {
  const of = [owner.id, few.id, 'user_none']
  const [statement, values] = await sentFor(() => devicesOfAccounts(ctx, of, { first: FIRST, after: null }))
  for (const after of [null, id('dev', MANY / 2)]) await expectFlat([statement, { ...values, after }], 'devices')
})

it.each([
  ['ledger', 'ledger(account: "HANDLE", PAGE)'],
  ['audit_log', 'auditLog(account: "HANDLE", PAGE)'],
  ['sessions', 'sessions(PAGE)'],
  ['api_keys', 'apiKeys(PAGE)'],
] as const)('a page of the table %s of an account', async (table, listing) => {
  const [field = ''] = listing.split('(')
  const ask = async (account: AccountRef, after = ''): Promise<string> => {
    const page = listing.replace('HANDLE', account.handle).replace('PAGE', `first: ${FIRST}${after}`)
    const source = `{ ${page} { nodes { id } pageInfo { endCursor } } }`
    const { data, errors } = await graphql({ schema, source, contextValue: world.as(account) })
    expect(errors).toBeUndefined()
    return JSON.parse(JSON.stringify(data))[field].pageInfo.endCursor
  }
  for (const account of [owner, few]) {
    let cursor = ''
    const first = await prismaQueries(async () => {
      cursor = await ask(account)
    })
    const next = await prismaQueries(() => ask(account, `, after: "${cursor}"`))
    const sent = [...first, ...next].filter((query) => query.table === table)
    expect(sent).toHaveLength(2)
    for (const { text, values } of sent) await expectFlatText(text, values, table)
  }
})

it('the counts of accounts, which end at their cap', async () => {
  const [statement, values] = await sentFor(() => countsOfAccounts(ctx, [owner.id]))
  for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
    for (const table of ['runs', 'robot_checks', 'endpoints', 'spend_holds']) expect(scansOf(plan, table)).toEqual([])
    expect(plan.map((node) => node['Node Type'])).toContain('Index Only Scan')
    expect(rowsRead(plan, 'endpoints')).toBeLessThanOrEqual(2 * (MAX_COUNTED + 1))
    expect(passedOver(plan, 'endpoints')).toBe(0)
    expect(blocksOf(plan)).toBeLessThan(600)
  }
})
