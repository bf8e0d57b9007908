import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { visibleRuns } from '../../../src/auth/policy.ts'
import { foldFacets } from '../../../src/jobs/fold-facets.ts'
import { dispatchWaiting } from '../../../src/jobs/hosted-kinds.ts'
import type { AccountRef, Credentialed, RequestContext } from '../../../src/operation/context.ts'
import { claimNextRun } from '../../../src/runs/claim/claim-next-run.ts'
import { assertGpuHours } from '../../../src/runs/create/reserve-gpu-hours.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { runFacetStatement } from '../../../src/runs/read/facets-sql.ts'
import { producersOfRepos, runsUsingRepos } from '../../../src/runs/read/lineage.ts'
import { type ListRunsInput, listRuns, runFacets } from '../../../src/runs/read/list-runs.ts'
import { type RunFilter, runPageStatement } from '../../../src/runs/read/list-sql.ts'
import { runsOfAccounts } from '../../../src/runs/read/related-runs.ts'
import { sortedPageStatement } from '../../../src/runs/read/sorted-sql.ts'
import { type NamedStatement, orderedValues } from '../../../src/store/statement.ts'
import { testDb } from '../../support/database.ts'
import { blocksOf, type Plan, passedOver, plansOf, scansOf } from '../../support/plans.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
const PARENT = `run_${'0'.repeat(22)}9999`
let world: World
let owner: AccountRef
let org: AccountRef
let ctx: RequestContext
let credential: Credentialed
let stranger: string
/** A dataset that all runs use, and a model with the forks of the parent. */
let lineage: string[]
/** A robot that runs name, which keep its id. */
let robot: string

/** A quarter is the owner's, a quarter the org's, half are other accounts'; every 25th has a parent, the same one for the last 20 of those. */
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  owner = await world.user()
  org = await world.org([owner])
  const strangers = await Promise.all(Array.from({ length: 20 }, () => world.user()))
  stranger = strangers[0]?.id ?? ''
  ctx = world.as(owner, { accountIds: [owner.id, org.id] })
  credential = ctx.viewer as Credentialed
  await world.sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, finished_at, gate_total, gate_passed,
       dispatched_at, parent_run_id, priced)
     select 'run_' || lpad(n::text, 26, '0'), case when n / 40 % 50 = 0 then 'external' else 'cloud' end::"RunKind",
       case n / 40 % 50 when 1 then 'queued' when 2 then 'failed' else 'succeeded' end::"JobStatus",
       case n / 40 % 50 when 0 then null when 3 then 'hosted' else 'worker' end::"RunExecutor",
       accounts.ids[1 + n % 40], case when n % 40 < 20 or n % 800 = 20 then $1 else accounts.ids[1 + n % 40] end, 'key_many', 'act',
       case when n / 40 % 50 = 4 then 'ada/arm' end, '{"template":"act"}', repeat('a', 64),
       case when n / 40 % 50 <> 1 then now() end, case when n / 40 % 50 = 5 then 1 end, case when n / 40 % 50 = 5 then 1 end,
       case when n / 40 % 50 = 3 then now() end,
       case when n % 25 = 0 then 'run_' || lpad(case when n <= 500 then '9999' else (n - 1)::text end, 26, '0') end, n / 40 % 50 = 3
     from generate_series(1, 10000) n,
       (select array_fill($1::text, array[10]) || array_fill($2::text, array[10]) || $3::text[] as ids) accounts`,
    [owner.id, org.id, strangers.map(({ id }) => id)],
  )
  const arm = await world.repo(owner, { kind: 'robot' })
  robot = `${arm.owner}/${arm.repo}`
  await world.sql(`update runs set robot = $1, robot_repo_id = $2 where substr(id, 5)::int / 40 % 50 = 6`, [
    robot,
    arm.id,
  ])
  const [data, model] = [await world.repo(owner), await world.repo(owner, { kind: 'model' })]
  lineage = [data.id, model.id]
  // Every run pins the dataset, three of the owner's publish to the model, of which one has a fork, and as many checks as there are runs refer to the dataset.
  await world.sql(
    `insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id)
     select $1, id, 'dataset', 'run', owner_id from runs
     union all select $1, 'check_' || lpad(n::text, 26, '0'), 'check', 'robot_check', $3 from generate_series(1, 10000) n
     union all select $2, id, 'output', 'run', owner_id from runs where id = any($4)`,
    [data.id, model.id, owner.id, [524, 9, 10].map((n) => `run_${String(n).padStart(26, '0')}`)],
  )
  // Of each account 50 runs of another project, group, tag and template, and a loss of every third run.
  await world.sql(
    `update runs set project = 'p' || p.n, run_group = 'g' || p.n, tags = array['t' || p.n], template = 'act' || p.n
     from (select id, substr(id, 5)::int / 2000 as n from runs) p where p.id = runs.id`,
  )
  await world.sql(
    `insert into run_metric_summaries (run_id, key, owner_id, position, count, last, last_step, min, min_step, max, max_step, mean)
     select id, key, owner_id, 1, 1, 1, 1, n % 100, 1, 1, 1, 1 from
       (select id, owner_id, substr(id, 5)::int as n from runs) one, unnest(array['loss', 'lr', 'reward']) key where n % 3 = 0`,
  )
  await world.sql('vacuum analyze repo_references')
  await world.sql('vacuum analyze run_metric_summaries')
  // A page counts as visible to all only when its commit is on disk, and the tests' server takes its time with that.
  await world.sql('checkpoint')
  await world.sql('vacuum analyze runs')
})
afterAll(() => world?.close())

const scansOfRuns = (plan: readonly Plan[]) => scansOf(plan, 'runs')

describe('among 10,000 runs', () => {
  it.each<[string, (given: { owner: AccountRef; org: AccountRef }) => RunFilter]>([
    ['no filter', () => ({})],
    ['status', () => ({ status: 'failed' })],
    ['work that waits', () => ({ status: 'queued', executor: 'worker' })],
    ['kind', () => ({ kind: 'external' })],
    ['robot', () => ({ robot })],
    ['robot that is text', () => ({ robot: 'ada/arm' })],
    ['robot that nothing names', () => ({ robot: 'no/robot' })],
    ['gated', () => ({ gated: true })],
    ['executor', () => ({ executor: 'hosted' })],
    ['owner', ({ org: { id } }) => ({ ownerId: id })],
    ['owner and status', ({ owner: { id } }) => ({ ownerId: id, status: 'failed' })],
    ['an owner of no runs that are seen', () => ({ ownerId: 'user_none' })],
    ['parent of many forks', () => ({ parentRunId: PARENT })],
    ['parent without forks', () => ({ parentRunId: `run_${'0'.repeat(22)}9998` })],
    ['project', () => ({ project: 'p1' })],
    ['project that no run has', () => ({ project: 'none' })],
    ['group', () => ({ group: 'g4' })],
    ['template', () => ({ template: 'act2' })],
    ['template that no run has', () => ({ template: 'none' })],
    ['tag', () => ({ tag: ['t3'] })],
    ['tag that no run has', () => ({ tag: ['none'] })],
    ['parent and owner', ({ org: { id } }) => ({ parentRunId: PARENT, ownerId: id })],
  ])('a page by %s reads no table from end to end, and few rows for nothing', async (_name, filterOf) => {
    const filter = filterOf({ owner, org })
    for (const after of [null, `run_${'0'.repeat(22)}5000`]) {
      const { statement, values } = runPageStatement(visibleRuns(ctx.viewer), { filter, after, limit: 21 })
      for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
        expect(scansOfRuns(plan)).toEqual([])
        expect(passedOver(plan, 'runs')).toBeLessThan(100)
      }
    }
  })

  it.each<[string, (repoIds: readonly string[]) => Promise<unknown>, RegExp]>([
    ['that a model comes from', (of) => producersOfRepos(ctx, of, { first: 20 }), /source_run_id/],
    ['that make use of a repo', (of) => runsUsingRepos(ctx, of, { first: 20 }), /parent_run_id = producer/],
    ['that use a dataset', (of) => runsUsingRepos(ctx, of, { first: 20, as: 'dataset' }), /parent_run_id = producer/],
    [
      'that go on from a model',
      (of) => runsUsingRepos(ctx, of, { first: 20, as: 'parent' }),
      /parent_run_id = producer/,
    ],
  ])('the runs %s are found by index, however many the repo has and others have made', async (_name, ask, marked) => {
    const sent = t.record()
    const query = vi.spyOn(t.db, 'query')
    await ask(lineage)
    const [asked] = query.mock.calls as unknown as [NamedStatement<unknown, never>, never][]
    query.mockRestore()
    expect(sent).toHaveLength(2)
    if (!asked) throw new Error('nothing was asked')
    const [statement, values] = asked
    expect(statement.text).toMatch(marked)
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      for (const table of ['runs', 'repo_references', 'model_meta']) expect(scansOf(plan, table)).toEqual([])
      expect(passedOver(plan, 'runs') + passedOver(plan, 'repo_references')).toBeLessThan(100)
    }
  })

  it("the runs of accounts are found by index, of those that are the caller's and of those that are not", async () => {
    const query = vi.spyOn(t.db, 'query')
    await runsOfAccounts(ctx, [owner.id, org.id, stranger], { first: 20 })
    const [asked] = query.mock.calls as unknown as [NamedStatement<unknown, never>, never][]
    query.mockRestore()
    if (!asked) throw new Error('nothing was asked')
    const [statement, values] = asked
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      expect(scansOfRuns(plan)).toEqual([])
      expect(passedOver(plan, 'runs')).toBeLessThan(100)
    }
  })

  it.each<[string, RunFilter]>([
    ['no filter', {}],
    ['a project', { project: 'p1' }],
    ['a status', { status: 'failed' }],
  ])('a page by a metric, with %s, reads the summaries of the accounts alone, by index', async (_name, filter) => {
    const sort = { metric: 'loss', by: 'min', order: 'asc' } as const
    for (const [after, afterValue] of [
      [null, null],
      [`run_${'0'.repeat(22)}5000`, 50],
    ] as const) {
      const query = { filter, after, afterValue, limit: 21, ...sort }
      const { statement, values } = sortedPageStatement(visibleRuns(ctx.viewer), query)
      for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
        expect(scansOf(plan, 'run_metric_summaries')).toEqual([])
        // A sixth of all runs are of the two accounts and have the metric.
        const read = plan.filter((node) => node['Relation Name'] === 'run_metric_summaries')
        const rows = read.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)
        expect(rows + passedOver(plan, 'run_metric_summaries')).toBeLessThan(1800)
      }
    }
  })

  it('a search reads the runs of the accounts alone', async () => {
    const query = { filter: { q: 'nothing has it' }, after: null, limit: 21 }
    const { statement, values } = runPageStatement(visibleRuns(ctx.viewer), query)
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      expect(scansOfRuns(plan)).toEqual([])
      expect(passedOver(plan, 'runs')).toBeLessThan(5100)
    }
  })

  it('a limited key finds its runs by index', async () => {
    const repo = await world.repo(owner)
    const viewer = visibleRuns({ ...credential, credentialId: 'key_few', repoIds: [repo.id] })
    const { statement, values } = runPageStatement(viewer, { filter: {}, after: null, limit: 21 })
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values)))
      expect(scansOfRuns(plan)).toEqual([])
  })

  it('the counts of an account are kept: no run is read for them, and few counts once changes are folded in', async () => {
    const viewer = visibleRuns(ctx.viewer)
    const statement = runFacetStatement(viewer)
    const before = await runFacets(ctx)
    await foldFacets(t, AbortSignal.timeout(60_000))
    await world.sql('analyze run_facets, run_facet_changes')
    expect(await runFacets(ctx)).toEqual(before)
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, viewer))) {
      expect(scansOfRuns(plan)).toEqual([])
      expect(blocksOf(plan)).toBeLessThan(150)
    }
  })

  it.each<[string, RegExp, () => Promise<unknown>, () => unknown[]]>([
    [
      'the oldest that waits',
      /skip locked/,
      () => claimNextRun({ ...ctx, viewer: { ...credential, kind: 'key' } }, { worker: 'w' }),
      () => [[owner.id, org.id], null, 'key_x'],
    ],
    ['leases that ran out', /lease_expires_at <= now/, () => sweepLeases(world.deps), () => [[]]],
    ['hosted runs that no call is under way for', /dispatched_at is null/, () => dispatchWaiting(world.deps), () => []],
    [
      'the GPU hours of a person',
      /max_hours::float8/,
      () => t.db.withTx((tx) => assertGpuHours(tx, credential, 1, 1e6)),
      () => [owner.id, 'key_x'],
    ],
    [
      'the GPU hours of keys that nobody made',
      /max_hours::float8/,
      () => t.db.withTx((tx) => assertGpuHours(tx, { ...credential, personId: null }, 1, 1e6)),
      () => [owner.id, 'key_x'],
    ],
  ])('%s are found by index', async (_name, marked, ask, values) => {
    const sent = t.record()
    await ask()
    const text = sent.find((each) => marked.test(each)) ?? ''
    for (const plan of await plansOf(t.db, text, values())) {
      expect(scansOfRuns(plan)).toEqual([])
      expect(passedOver(plan, 'runs')).toBeLessThan(100)
    }
  })

  it('a page costs one statement whatever its size, and an owner one more', async () => {
    const count = async (input: ListRunsInput) => {
      const statements = t.record()
      await listRuns(ctx, input)
      return statements.length
    }
    expect([await count({ first: 5 }), await count({ first: 100 })]).toEqual([1, 1])
    expect(await count({ first: 5, owner: owner.handle })).toBe(2)
    expect([await count({ first: 5, sortMetric: 'loss' }), await count({ first: 100, sortMetric: 'loss' })]).toEqual([
      1, 1,
    ])
    const statements = t.record()
    await runFacets(ctx)
    expect(statements).toHaveLength(1)
  })
})
