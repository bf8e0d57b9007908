import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canSeeRun, runViewerParams } from '../../src/auth/policy.ts'
import type { AccountRef, Credentialed, RequestContext } from '../../src/context.ts'
import { claimNextRun } from '../../src/runs/claim-next-run.ts'
import { getRun, getRunsById } from '../../src/runs/get-run.ts'
import { type ListRunsInput, listRuns, runFacets } from '../../src/runs/list-runs.ts'
import { runFacetStatement, runPageStatement } from '../../src/runs/list-sql.ts'
import { sweepLeases } from '../../src/runs/sweep-leases.ts'
import { testDb } from '../support/database.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
let bob: AccountRef
let acme: AccountRef
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  bob = await world.user()
  acme = await world.org([ada])
})
afterAll(() => world?.close())

const ids = async (ctx: RequestContext, input: ListRunsInput = {}) =>
  (await listRuns(ctx, { first: 100, ...input })).nodes.map((run) => run.id)

/** Every page of `size`, one after the other. */
async function walk(ctx: RequestContext, size: number, input: ListRunsInput = {}): Promise<string[]> {
  const seen: string[] = []
  for (let after: string | null = null; ; ) {
    const page = await listRuns(ctx, { ...input, first: size, after })
    seen.push(...page.nodes.map((run) => run.id))
    const last = page.nodes.at(-1)
    if (!page.hasNextPage || !last) return seen
    after = page.cursorOf(last)
  }
}

describe('who sees a run', () => {
  it('is one rule, in the list, by id, in the counts and in code', async () => {
    const [one, two] = [await world.repo(ada), await world.repo(ada)]
    const key = (change: Partial<Credentialed> = {}) => ({ kind: 'key' as const, credentialId: 'key_ada', ...change })
    const inOrg = { accountIds: [ada.id, acme.id] }
    const viewers = [
      world.as(ada),
      world.as(ada, inOrg),
      world.as(bob),
      world.as(ada, key(inOrg)),
      world.as(ada, key({ ...inOrg, repoIds: [one.id] })),
      world.as(ada, key({ ...inOrg, repoIds: [one.id, two.id] })),
      world.as(ada, key({ ...inOrg, repoIds: [] })),
      world.as(bob, key({ repoIds: [one.id] })),
      // Made by ada, for the org alone: her own runs are none of its business.
      world.as(acme, key({ credentialId: 'key_org', personId: ada.id, accountIds: [acme.id] })),
      world.anonymous(),
    ]
    const ownRun = await putRun(t.db, { ownerId: ada.id, executor: 'hosted' })
    viewers.push(world.as(ada, key({ repoIds: [one.id], job: { runId: ownRun, repoIds: [] } })))
    for (const owner of [ada, bob, acme])
      for (const createdBy of [ada.id, bob.id, null])
        for (const filedBy of ['key_ada', 'key_org', 'sess_x'])
          for (const repoIds of [[], [one.id], [one.id, two.id]])
            await putRun(t.db, { ownerId: owner.id, createdBy, filedBy, repoIds })
    const targets = await world.sql<{ id: string } & Parameters<typeof canSeeRun>[0]>(
      `select id, owner_id as "ownerId", created_by as "createdBy", filed_by as "filedBy", to_json(repo_ids) as "repoIds" from runs order by id desc`,
    )
    const all = targets.map(({ id }) => id)
    const counts: number[] = []
    for (const ctx of viewers) {
      const expected = targets.filter((target) => canSeeRun(target, ctx.viewer)).map(({ id }) => id)
      expect(await ids(ctx)).toEqual(expected)
      const byId = await getRunsById(t.db, ctx.viewer, all)
      expect(byId.flatMap((run) => (run ? [run.id] : []))).toEqual(expected)
      expect((await runFacets(ctx)).total).toBe(expected.length)
      counts.push(expected.length)
    }
    // 82 runs in all: ada sees hers and acme's, 55, and the 9 that she made for bob.
    expect(counts[1]).toBe(64)
    expect([counts[9], counts[10]]).toEqual([0, 1])
    expect(counts[6]).toBeGreaterThan(0)
    expect(counts[7]).toBeGreaterThan(0)
    expect(counts[8]).toBe(27)
  })

  it('hides it behind the same null as one that is not', async () => {
    const id = await putRun(t.db, { ownerId: ada.id })
    expect(await getRun(world.as(bob), id)).toBeNull()
    expect(await getRun(world.as(bob), 'run_no')).toBeNull()
    expect((await getRun(world.as(ada), id))?.id).toBe(id)
  })
})

describe('a listing', () => {
  it('filters by everything it says, newest first, and pages without loss or repeat while runs come', async () => {
    const owner = await world.user()
    const ctx = world.as(owner)
    const parent = await putRun(t.db, { ownerId: owner.id, kind: 'external', status: 'succeeded' })
    const made: Record<string, string> = {
      running: await putRun(t.db, { ownerId: owner.id, status: 'running' }),
      hosted: await putRun(t.db, { ownerId: owner.id, executor: 'hosted' }),
      fork: await putRun(t.db, { ownerId: owner.id, set: { parent_run_id: parent } }),
      robot: await putRun(t.db, { ownerId: owner.id, recipe: { template: 'act', robot: 'Ada/Arm' } }),
      gated: await putRun(t.db, { ownerId: owner.id, status: 'failed', set: { gate_total: 2, gate_passed: 1 } }),
      ungated: await putRun(t.db, { ownerId: owner.id, status: 'canceled', set: { gate_total: 0, gate_passed: 0 } }),
    }
    const only = async (input: ListRunsInput) => {
      const found = await ids(ctx, input)
      expect(found).toEqual([...found].sort().reverse())
      return found.sort()
    }
    const of = (...names: string[]) => names.map((name) => made[name] ?? parent).sort()
    expect(await only({ status: 'running' })).toEqual(of('running'))
    expect(await only({ status: 'queued', executor: 'worker' })).toEqual(of('fork', 'robot'))
    expect(await only({ executor: 'hosted' })).toEqual(of('hosted'))
    expect(await only({ kind: 'external' })).toEqual([parent])
    expect(await only({ kind: 'orchestration' })).toEqual([])
    expect(await only({ parentRunId: parent })).toEqual(of('fork'))
    expect(await only({ parentRunId: 'no such id' })).toEqual([])
    expect(await only({ robot: 'ada/arm' })).toEqual(of('robot'))
    expect(await only({ gated: true })).toEqual(of('gated'))
    expect(await only({ gated: false, status: 'canceled' })).toEqual(of('ungated'))
    expect(await only({ owner: owner.handle })).toHaveLength(7)
    expect(await only({ owner: bob.handle })).toEqual([])
    expect(await only({ owner: 'nobody-of-that-name' })).toEqual([])
    const before = await ids(ctx)
    const first = await listRuns(ctx, { first: 2 })
    await putRun(t.db, { ownerId: owner.id })
    expect([...first.nodes.map((run) => run.id), ...(await walkFrom(ctx, first))]).toEqual(before)
    expect(await walk(ctx, 3)).toEqual(await ids(ctx))
  })

  async function walkFrom(ctx: RequestContext, page: Awaited<ReturnType<typeof listRuns>>): Promise<string[]> {
    const last = page.nodes.at(-1)
    if (!page.hasNextPage || !last) return []
    const next = await listRuns(ctx, { first: 2, after: page.cursorOf(last) })
    return [...next.nodes.map((run) => run.id), ...(await walkFrom(ctx, next))]
  }

  it('ends a page early behind the run that takes it past 4 MiB, and goes on from there', async () => {
    const owner = await world.user()
    const ctx = world.as(owner)
    const recipe = { template: 'act', hyperparams: { text: 'x'.repeat(1_500_000) } }
    const made = await Promise.all(Array.from({ length: 5 }, () => putRun(t.db, { ownerId: owner.id, recipe })))
    const page = await listRuns(ctx, {})
    expect([page.nodes.length, page.hasNextPage]).toEqual([3, true])
    expect((await walk(ctx, 20)).sort()).toEqual(made.sort())
  })

  it('takes no cursor of another listing or a forged one', async () => {
    const owner = await world.user()
    for (let at = 0; at < 3; at += 1) await putRun(t.db, { ownerId: owner.id })
    const page = await listRuns(world.as(owner), { first: 1 })
    const after = page.nodes[0] ? page.cursorOf(page.nodes[0]) : ''
    await expect(listRuns(world.as(owner), { status: 'queued', after })).rejects.toMatchObject({
      type: 'validation.cursor',
    })
    await expect(listRuns(world.as(owner), { after: 'x' })).rejects.toMatchObject({ type: 'validation.cursor' })
  })

  it('counts every value over all that the caller sees, letter case of robots aside, and both sides of gated', async () => {
    const owner = await world.user()
    expect(await runFacets(world.as(owner))).toMatchObject({
      total: 0,
      kind: [],
      gated: [
        { value: 'true', count: 0 },
        { value: 'false', count: 0 },
      ],
    })
    await putRun(t.db, { ownerId: owner.id, recipe: { template: 'act', robot: 'Ada/Arm' } })
    await putRun(t.db, { ownerId: owner.id, recipe: { template: 'act', robot: 'ada/arm' } })
    await putRun(t.db, {
      ownerId: owner.id,
      kind: 'external',
      status: 'failed',
      set: { gate_total: 1, gate_passed: 0 },
    })
    const facets = await runFacets(world.as(owner))
    expect(facets.total).toBe(3)
    expect(facets.kind).toEqual([
      { value: 'cloud', count: 2 },
      { value: 'external', count: 1 },
    ])
    expect(facets.executor).toEqual([{ value: 'worker', count: 2 }])
    expect(facets.status).toEqual([
      { value: 'queued', count: 2 },
      { value: 'failed', count: 1 },
    ])
    expect(facets.robot.map(({ value, count }) => [value.toLowerCase(), count])).toEqual([['ada/arm', 2]])
    expect(facets.gated).toEqual([
      { value: 'true', count: 1 },
      { value: 'false', count: 2 },
    ])
  })
})

describe('among 10,000 runs', () => {
  let owner: AccountRef
  let org: AccountRef
  let ctx: RequestContext
  beforeAll(async () => {
    owner = await world.user()
    org = await world.org([owner])
    const strangers = await Promise.all(Array.from({ length: 20 }, () => world.user()))
    ctx = world.as(owner, { accountIds: [owner.id, org.id] })
    await world.sql(
      `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, finished_at, gate_total, gate_passed)
       select 'run_' || lpad(n::text, 26, '0'), case when n / 40 % 50 = 0 then 'external' else 'cloud' end::"RunKind",
         case n / 40 % 50 when 1 then 'queued' when 2 then 'failed' else 'succeeded' end::"JobStatus",
         case n / 40 % 50 when 0 then null when 3 then 'hosted' else 'worker' end::"RunExecutor",
         accounts.ids[1 + n % 40], case when n % 40 < 20 or n % 800 = 20 then $1 else accounts.ids[1 + n % 40] end, 'key_many', 'act',
         case when n / 40 % 50 = 4 then 'ada/arm' end, '{"template":"act"}', repeat('a', 64),
         case when n / 40 % 50 <> 1 then now() end, case when n / 40 % 50 = 5 then 1 end, case when n / 40 % 50 = 5 then 1 end
       from generate_series(1, 10000) n,
         (select array_fill($1::text, array[10]) || array_fill($2::text, array[10]) || $3::text[] as ids) accounts`,
      [owner.id, org.id, strangers.map(({ id }) => id)],
    )
    // A page counts as visible to all only when its commit is on disk, and the tests' server takes its time with that.
    await world.sql('checkpoint')
    await world.sql('vacuum analyze runs')
  })

  interface Plan {
    readonly 'Node Type': string
    readonly 'Relation Name'?: string
    readonly 'Actual Loops': number
    readonly 'Rows Removed by Filter'?: number
    readonly Plans?: readonly Plan[]
  }
  const isScan = (node: Plan) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'runs'
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  async function planOf(text: string, values: readonly unknown[]): Promise<Plan[]> {
    const [row] = await t.db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      { name: '', text: `explain (analyze, format json) ${text}` },
      values,
    )
    return row ? nodes(row['QUERY PLAN'][0].Plan) : []
  }

  it.each<[string, ListRunsInput]>([
    ['no filter', {}],
    ['status', { status: 'failed' }],
    ['work that waits', { status: 'queued', executor: 'worker' }],
    ['kind', { kind: 'external' }],
    ['robot', { robot: 'ada/arm' }],
    ['gated', { gated: true }],
    ['executor', { executor: 'hosted' }],
  ])('a page by %s reads no table from end to end', async (_name, filter) => {
    const { statement, values } = runPageStatement(runViewerParams(ctx.viewer), { filter, after: null, limit: 21 })
    const plan = await planOf(statement.text, values)
    expect(plan.filter(isScan)).toEqual([])
    const removed = plan.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'], 0)
    expect(removed).toBeLessThan(1000)
  })

  it('a limited key finds its runs by index', async () => {
    const repo = await world.repo(owner)
    const viewer = runViewerParams({ ...(ctx.viewer as Credentialed), credentialId: 'key_few', repoIds: [repo.id] })
    const { statement, values } = runPageStatement(viewer, { filter: {}, after: null, limit: 21 })
    const plan = await planOf(statement.text, values)
    expect(plan.filter(isScan)).toEqual([])
  })

  it('the counts of an account are read from an index alone', async () => {
    const viewer = runViewerParams(ctx.viewer)
    const plan = await planOf(runFacetStatement(viewer).text, viewer)
    expect(plan.filter(isScan)).toEqual([])
    expect(plan.map((node) => node['Node Type'])).toContain('Index Only Scan')
  })

  it('the oldest that waits, and leases that ran out, are found by index', async () => {
    const sent = t.record()
    const key = { ...ctx, viewer: { ...(ctx.viewer as Credentialed), kind: 'key' as const } }
    expect((await claimNextRun(key, { worker: 'w' }))?.status).toBe('running')
    expect(await sweepLeases(world.deps)).toBe(0)
    const [oldest = '', lost = ''] = sent.filter((text) => /skip locked|lease_expires_at <= now/.test(text))
    const plans = [await planOf(oldest, [[owner.id, org.id], null, 'key_x']), await planOf(lost, [[]])]
    for (const plan of plans) {
      expect(plan.length).toBeGreaterThan(0)
      expect(plan.filter(isScan)).toEqual([])
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
    const statements = t.record()
    await runFacets(ctx)
    expect(statements).toHaveLength(1)
  })
})
