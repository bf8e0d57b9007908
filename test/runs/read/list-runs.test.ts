import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canSeeRun } from '../../../src/auth/policy.ts'
import type { AccountRef, Credentialed, RequestContext } from '../../../src/operation/context.ts'
import { getRun, getRunsById } from '../../../src/runs/read/get-run.ts'
import { type ListRunsInput, listRuns, runFacets } from '../../../src/runs/read/list-runs.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

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
    viewers.push(world.as(ada, key({ repoIds: [one.id], job: { jobId: ownRun, repoIds: [], operations: null } })))
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

  it('gets null for a hidden run, as for a missing one', async () => {
    const id = await putRun(t.db, { ownerId: ada.id })
    expect(await getRun(world.as(bob), id)).toBeNull()
    expect(await getRun(world.as(bob), 'run_no')).toBeNull()
    expect((await getRun(world.as(ada), id))?.id).toBe(id)
  })
})

describe('a listing', () => {
  it('supports all filters, newest first, and pages without gaps or duplicates while runs are created', async () => {
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

  it('ends a page early after the run that brings it past 4 MiB, and continues from there', async () => {
    const owner = await world.user()
    const ctx = world.as(owner)
    const recipe = { template: 'act', hyperparams: { text: 'x'.repeat(1_500_000) } }
    const made = await Promise.all(Array.from({ length: 5 }, () => putRun(t.db, { ownerId: owner.id, recipe })))
    const page = await listRuns(ctx, {})
    expect([page.nodes.length, page.hasNextPage]).toEqual([3, true])
    expect((await walk(ctx, 20)).sort()).toEqual(made.sort())
  })

  it('rejects a cursor of another listing and a forged one', async () => {
    const owner = await world.user()
    for (let at = 0; at < 3; at += 1) await putRun(t.db, { ownerId: owner.id })
    const page = await listRuns(world.as(owner), { first: 1 })
    const after = page.nodes[0] ? page.cursorOf(page.nodes[0]) : ''
    await expect(listRuns(world.as(owner), { status: 'queued', after })).rejects.toMatchObject({
      type: 'validation.cursor',
    })
    await expect(listRuns(world.as(owner), { after: 'x' })).rejects.toMatchObject({ type: 'validation.cursor' })
  })

  it('counts every value over all that the caller sees, ignoring the letter case of robots, and both values of gated', async () => {
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
