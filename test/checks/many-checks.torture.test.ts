/** Pages of checks, and the next one to claim, read as much as they show: neither many checks of one's own nor many of others cost more. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CheckKind } from '../../src/checks/check-shape.ts'
import { claimNextCheck } from '../../src/checks/claim/claim-check.ts'
import { type ListChecksInput, listChecks } from '../../src/checks/read/list-checks.ts'
import { checksOfRepos } from '../../src/checks/read/related-checks.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { type NamedStatement, orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, type Plan, passedOver, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const t = testDb()
const FIRST = 20
/** Of eight indexes a page each, at most. */
const MOST_READ = 8 * (FIRST + 1)
/** Three levels of an index, and the row: whether that is looked at depends on what else the server has vacuumed. All rows have some 2,500 blocks. */
const BLOCKS_OF_ROW = 4
const MANY = 20_000
/** In the middle of all of them. */
const MIDDLE = `check_${String(MANY / 2).padStart(26, '0')}`
let world: World
let owner: AccountRef
let org: AccountRef
let member: AccountRef
let left: AccountRef
let stranger: AccountRef
let arm: WorldRepo
let orgArm: WorldRepo
let policy: WorldRepo

interface Seed {
  readonly count: number
  /** The first number; ids follow numbers. */
  readonly from?: number
  /** Numbers are this far apart. */
  readonly step?: number
  readonly owner: AccountRef
  readonly by: AccountRef
  readonly robot: WorldRepo
  readonly model?: WorldRepo
  readonly kind?: CheckKind
  readonly status?: string
}

/** The oldest 10 failed, and the oldest 5 of those were hosted: what a filter looks for comes last. */
async function seed({ count, from = 1, step = 1, owner, by, robot, model, kind = 'robot', status }: Seed) {
  await world.sql(
    `insert into robot_checks (id, kind, status, executor, max_seconds, owner_id, created_by, filed_by, quota_account_id, robot_repo_id, robot_repo_name,
       model_repo_id, model_repo_name, repo_ids, finished_at)
     select 'check_' || lpad(($1::int + n * $2::int)::text, 26, '0'), $3::"RobotCheckKind",
       coalesce($4, case when n < 10 then 'failed' else 'succeeded' end)::"JobStatus", case when n < 5 then 'hosted' else 'worker' end::"RunExecutor",
       case when n < 5 then 60 end, $5, $6, 'key_many', $6, $7, $8, $9, $10, array_remove(array[$7, $9], null), case when $4 is null then now() end
     from generate_series(0, $11::int - 1) n`,
    [
      from,
      step,
      kind,
      status ?? null,
      owner.id,
      by.id,
      robot.id,
      `${robot.owner}/${robot.repo}`,
      model?.id ?? null,
      model ? `${model.owner}/${model.repo}` : null,
      count,
    ],
  )
}

const settle = async () => {
  await world.sql('checkpoint')
  await world.sql('vacuum analyze robot_checks')
}

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ;[owner, member, left, stranger] = await Promise.all([world.user(), world.user(), world.user(), world.user()])
  org = await world.org([member])
  arm = await world.repo(owner, { kind: 'robot', visibility: 'public' })
  orgArm = await world.repo(org, { kind: 'robot', visibility: 'public' })
  policy = await world.repo(stranger, { kind: 'model' })
})
afterAll(() => world?.close())

type Page = 'listing' | 'robot' | 'model'
type Filter = Pick<ListChecksInput, 'status' | 'executor' | 'robotRepo'> & { readonly kind?: CheckKind }

/** The statement that finds the page, with its values. */
async function sentFor(ctx: RequestContext, page: Page, filter: Filter, of: WorldRepo) {
  const query = vi.spyOn(t.db, 'query')
  try {
    if (page === 'listing') await listChecks(ctx, { ...filter, first: FIRST })
    else await checksOfRepos(ctx, [of.id], { ...filter, first: FIRST })
    const [sent] = query.mock.calls
    if (!sent) throw new Error('Nothing was read.')
    return { statement: sent[0] as NamedStatement<unknown, object>, values: sent[1] as object }
  } finally {
    query.mockRestore()
  }
}

/** Rows of checks that any part of the plan read. */
const checksRead = (plan: readonly Plan[]) =>
  plan
    .filter((node) => node['Relation Name'] === 'robot_checks')
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)

/** Of the first page, and of one in the middle. */
async function expectFlat(ctx: RequestContext, page: Page, filter: Filter, of: WorldRepo): Promise<void> {
  const { statement, values } = await sentFor(ctx, page, filter, of)
  for (const after of [null, MIDDLE])
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, { ...values, after }))) {
      expect(scansOf(plan, 'robot_checks')).toEqual([])
      expect(passedOver(plan, 'robot_checks')).toBeLessThan(10)
      expect(checksRead(plan)).toBeLessThanOrEqual(MOST_READ)
      expect(blocksOf(plan)).toBeLessThan(BLOCKS_OF_ROW * MOST_READ)
    }
}

const listings = (robot: () => WorldRepo): [string, Page, () => Filter][] => {
  const robotRepo = () => `${robot().owner}/${robot().repo}`
  return [
    ['every check', 'listing', () => ({})],
    ['status', 'listing', () => ({ status: 'failed' })],
    ['a status that most have', 'listing', () => ({ status: 'succeeded' })],
    ['executor', 'listing', () => ({ executor: 'hosted' })],
    ['status and executor', 'listing', () => ({ status: 'failed', executor: 'worker' })],
    ['robot', 'listing', () => ({ robotRepo: robotRepo() })],
    ['robot and status', 'listing', () => ({ robotRepo: robotRepo(), status: 'failed' })],
    ['robot and executor', 'listing', () => ({ robotRepo: robotRepo(), executor: 'hosted' })],
    ['a robot that no check names', 'listing', () => ({ robotRepo: 'no/robot' })],
    ['repo', 'robot', () => ({})],
    ['repo and status', 'robot', () => ({ status: 'failed' })],
    ['repo and executor', 'robot', () => ({ executor: 'hosted' })],
    ['repo and kind', 'robot', () => ({ kind: 'model' })],
    ['repo, kind and status', 'robot', () => ({ kind: 'robot', status: 'running' })],
  ]
}

describe('with 4,000 of 20,000 checks on one robot, as many of an org, and the others by strangers against both', () => {
  beforeAll(async () => {
    await seed({ count: 4000, from: 1, step: 5, owner, by: owner, robot: arm })
    await seed({ count: 2000, from: 2, step: 10, owner: org, by: member, robot: orgArm })
    await seed({ count: 2000, from: 7, step: 10, owner: org, by: left, robot: orgArm })
    const foreign = { step: 5, owner: stranger, by: stranger, model: policy, kind: 'model' } as const
    await seed({ ...foreign, count: 4000, from: 3, robot: arm })
    await seed({ ...foreign, count: 4000, from: 4, robot: orgArm })
    await seed({ ...foreign, count: 4000, from: 5, robot: arm })
    await settle()
  })

  describe.each<[string, () => RequestContext, () => WorldRepo]>([
    ['its owner', () => world.as(owner), () => arm],
    ['a member', () => world.as(member, { accountIds: [member.id, org.id] }), () => orgArm],
    ['one who made checks and has left', () => world.as(left), () => orgArm],
    ['one who made none', () => world.as({ ...owner, id: 'user_none' }), () => arm],
  ])('for %s', (_who, ctxOf, robotOf) => {
    it.each(listings(robotOf))('a page by %s reads what it shows', async (_name, page, filterOf) => {
      await expectFlat(ctxOf(), page, filterOf(), robotOf())
    })
  })

  it('the page of a model, for the owner of its checks', async () => {
    for (const filter of [{}, { status: 'failed' }, { executor: 'hosted' }, { kind: 'robot' }] as const)
      await expectFlat(world.as(stranger), 'model', filter, policy)
  })

  it('shows the newest of what the caller sees, under every filter', async () => {
    const ctx = world.as(left)
    const numbers = (checks: readonly { id: string }[]) => checks.map(({ id }) => Number(id.slice(6)))
    const newest = Array.from({ length: FIRST }, (_, at) => 7 + 10 * (1999 - at))
    const robotRepo = `${orgArm.owner}/${orgArm.repo}`
    for (const filter of [{}, { robotRepo }, { status: 'succeeded' }, { executor: 'worker' }] as const)
      expect(numbers((await listChecks(ctx, { ...filter, first: FIRST })).nodes)).toEqual(newest)
    const failed = Array.from({ length: 10 }, (_, at) => 7 + 10 * (9 - at))
    expect(numbers((await listChecks(ctx, { status: 'failed', first: FIRST })).nodes)).toEqual(failed)
    const [ofRepo] = await checksOfRepos(ctx, [orgArm.id], { status: 'failed', executor: 'hosted' })
    expect(numbers(ofRepo?.nodes ?? [])).toEqual(failed.slice(5))
    const [none] = await checksOfRepos(ctx, [arm.id], {})
    expect(none?.nodes).toEqual([])
  })
})

describe('with all 20,000 on one robot', () => {
  beforeAll(async () => {
    await world.sql('truncate robot_checks cascade')
    await seed({ count: MANY, owner, by: owner, robot: arm })
    await settle()
  })

  it.each(listings(() => arm))('its owner: a page by %s reads what it shows', async (_name, page, filterOf) => {
    await expectFlat(world.as(owner), page, filterOf(), arm)
  })

  it.each(listings(() => arm))('a stranger: a page by %s reads none of them', async (_name, page, filterOf) => {
    const { statement, values } = await sentFor(world.as(stranger), page, filterOf(), arm)
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      expect(checksRead(plan) + passedOver(plan, 'robot_checks')).toBe(0)
      expect(blocksOf(plan)).toBeLessThan(300)
    }
  })
})

describe('with 20,000 checks that wait', () => {
  beforeAll(async () => {
    await world.sql('truncate robot_checks cascade')
    await seed({ count: 5, owner, by: owner, robot: arm })
    const waiting = { status: 'queued', robot: arm, count: MANY / 2, step: 2, from: 100 } as const
    await seed({ ...waiting, owner, by: owner })
    await seed({ ...waiting, from: 101, owner: stranger, by: stranger })
    await settle()
  })

  it.each<[string, () => AccountRef]>([
    ['one whose queue is long', () => owner],
    ['one without a queue', () => left],
  ])('the oldest is found by index for %s', async (_who, whose) => {
    const sent = t.record()
    await claimNextCheck(world.as(whose(), { kind: 'key', credentialId: 'key_next' }), { worker: 'w' })
    const text = sent.find((each) => /skip locked/.test(each)) ?? ''
    for (const plan of await plansOf(t.db, text, [[whose().id], null, 'key_next'])) {
      expect(scansOf(plan, 'robot_checks')).toEqual([])
      expect(passedOver(plan, 'robot_checks')).toBeLessThan(10)
      expect(blocksOf(plan)).toBeLessThan(500)
    }
  })
})
