// @module-tag sampled
/**
 * The money of several accounts, whatever happens in whatever order: hosted runs, checks and endpoints of people and agents, holds and their decisions, caps that change,
 * and transactions that die in the middle. Contract, "Money that is reserved", "Spend holds" and "Endpoint cost".
 */

import { newId } from '@hub/formats/ids'
import { type Random, randomFrom } from '@hub/testing/random'
import { itInTorture, sampled, sampleSize } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { addApiKey } from '../../src/accounts/api-keys.ts'
import { expireHolds } from '../../src/billing/holds/expire-holds.ts'
import { setSpendCap } from '../../src/billing/set-spend-cap.ts'
import { spendSummary } from '../../src/billing/spend-summary.ts'
import { claimCheck } from '../../src/checks/claim/claim-check.ts'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import { sweepChecks } from '../../src/checks/end/sweep-checks.ts'
import { reportCheck } from '../../src/checks/report/report-check.ts'
import { claimEndpoint } from '../../src/endpoints/claim/claim-endpoint.ts'
import { createEndpoint } from '../../src/endpoints/create/create-endpoint.ts'
import { renewReservations } from '../../src/endpoints/end/renew-reservations.ts'
import { stopEndpoint } from '../../src/endpoints/end/stop-endpoint.ts'
import { sweepEndpoints } from '../../src/endpoints/end/sweep-endpoints.ts'
import { reportEndpoint } from '../../src/endpoints/report/report-endpoint.ts'
import { noViewer } from '../../src/operation/audit.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { readConfig } from '../../src/platform/config.ts'
import { HubError } from '../../src/platform/errors.ts'
import { claimRun } from '../../src/runs/claim/claim-run.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { cancelRun } from '../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { reportRun } from '../../src/runs/report/report-run.ts'
import { approveHold } from '../../src/spend/approve-hold.ts'
import { cancelHold, denyHold } from '../../src/spend/end-hold.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

const ROUNDS = sampleSize(120, 80)
const ALLOWANCE_USD = 0.7
const config = readConfig({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'boss-one,boss-two',
  HOSTED_ALLOWANCE_USD: String(ALLOWANCE_USD),
  ROBOT_CHECK_DAILY_QUOTA: '100000',
  RUN_DAILY_GPU_HOUR_QUOTA: '1000000',
})
const policy = Buffer.from('not read here')
const t = testDb({ poolMax: 12 })
let world: World
let bosses: Owner[]

interface Owner {
  readonly account: AccountRef
  readonly robot: WorldRepo
  readonly model: WorldRepo
  readonly agentId: string
  readonly isListed: boolean
  /** What the month may not be above: the cap, or what the month already was when the cap was set. */
  ceiling: number
}

async function newOwner(handle?: string): Promise<Owner> {
  const account = await world.user(handle)
  const robot = await world.repo(account, { kind: 'robot' })
  await world.upload(world.as(account), robot, 'arm.xml', Buffer.from('<mujoco/>'))
  const model = await world.repo(account, { kind: 'model' })
  await world.upload(world.as(account), model, 'policy.onnx', policy)
  await world.sql(`insert into model_meta (repo_id, policy_type, control_class) values ($1, 'act', 'skill')`, [
    model.id,
  ])
  const { id } = await t.db.withTx((tx) =>
    addApiKey({
      tx,
      ctx: noViewer,
      owner: account,
      createdBy: account.id,
      input: { name: 'agent', scope: 'train', agent: true },
    }),
  )
  return { account, robot, model, agentId: id, isListed: handle !== undefined, ceiling: Number.POSITIVE_INFINITY }
}

beforeAll(async () => {
  const { hosted, dailyRobotChecks, runs } = config
  world = await makeWorld({ db: t.db, config: { hosted, dailyRobotChecks, runs } })
  bosses = [await newOwner('boss-one'), await newOwner('boss-two')]
  return () => world.close()
})

const agentOf = ({ account, agentId }: Owner) =>
  world.as(account, { kind: 'key', credentialId: agentId, agent: true, name: 'agent' })
const someone = (owner: Owner, random: Random) => (random.chance(0.5) ? agentOf(owner) : world.as(owner.account))

class Killed extends Error {}

/** The same request in a process that dies before the statement at `fuse` of its transaction. */
function dying(ctx: RequestContext, fuse: number): RequestContext {
  const fused = (tx: Tx, left: { count: number }): Tx =>
    new Proxy(tx, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'query') return typeof member === 'function' ? member.bind(target) : member
        return (...given: Parameters<Tx['query']>) => {
          left.count -= 1
          if (left.count < 0) throw new Killed()
          return target.query(...given)
        }
      },
    })
  const db: Db = Object.assign(Object.create(ctx.deps.db), {
    withTx: <T>(work: (tx: Tx) => Promise<T>) => t.db.withTx((tx) => work(fused(tx, { count: fuse }))),
  })
  return { ...ctx, deps: { ...ctx.deps, db } }
}

interface JobRow {
  readonly id: string
  readonly call: string | null
  readonly key: string | null
  readonly kind: 'run' | 'check' | 'endpoint'
}

/** Jobs that have not ended. */
const openJobs = ({ account }: Owner) =>
  world.sql<JobRow>(
    `select id, hosted_call_id as call, hosted_credential as key, 'run' as kind from runs
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running')
      union all select id, hosted_call_id, hosted_credential, 'check' from robot_checks
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running')
      union all select id, hosted_call_id, hosted_credential, 'endpoint' from endpoints
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running') order by 1`,
    [account.id],
  )
const tables = { run: 'runs', check: 'robot_checks', endpoint: 'endpoints' } as const
const tableOf = ({ kind }: JobRow) => tables[kind]
const keyOf = ({ account }: Owner, { id, key }: JobRow) =>
  world.as(account, {
    kind: 'key',
    credentialId: key ?? 'none',
    level: 'train',
    repoIds: [],
    job: { jobId: id, repoIds: [], operations: null },
  })

type Step = (owner: Owner, random: Random, as: (ctx: RequestContext) => RequestContext) => Promise<unknown>

const onJob =
  (
    work: (owner: Owner, job: JobRow, random: Random, as: (ctx: RequestContext) => RequestContext) => Promise<unknown>,
  ): Step =>
  async (owner, random, as) => {
    const jobs = await openJobs(owner)
    return jobs.length > 0 && work(owner, random.pick(jobs), random, as)
  }

const onHold =
  (
    work: (
      owner: Owner,
      holdId: string,
      random: Random,
      as: (ctx: RequestContext) => RequestContext,
    ) => Promise<unknown>,
  ): Step =>
  async (owner, random, as) => {
    const holds = await world.sql<{ id: string }>(
      'select id from spend_holds where account_id = $1 order by id desc limit 4',
      [owner.account.id],
    )
    return holds.length > 0 && work(owner, random.pick(holds).id, random, as)
  }

/** The job with a call and its key, as dispatch leaves it. */
async function dispatched(job: JobRow): Promise<JobRow> {
  if (job.call !== null) return job
  await world.sql(
    `update ${tableOf(job)} set hosted_call_id = 'call_' || id, hosted_credential = 'key_' || id, dispatched_at = now()
      where id = $1 and status = 'queued'`,
    [job.id],
  )
  return { ...job, call: `call_${job.id}`, key: `key_${job.id}` }
}

const aged = (job: JobRow, random: Random) =>
  world.sql(
    `update ${tableOf(job)} set claimed_at = claimed_at - make_interval(secs => $2) where id = $1 and status = 'running'`,
    [job.id, random.int(0, 5000)],
  )

/** Opens a session of a claimed endpoint, as a device does; false for any other. */
async function opened({ id }: JobRow): Promise<boolean> {
  const made = await world.sql(
    `with held as (update endpoints set sessions_open = sessions_open + 1, sessions_total = sessions_total + 1
        where id = $1 and status = 'running' returning id, priced)
      insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at, priced)
        select $2, id, 'open', 'key_device', now() + interval '1 hour', priced from held returning id`,
    [id, newId('esess')],
  )
  return made.length > 0
}

type OnJob = (ctx: RequestContext, job: JobRow, random: Random) => Promise<unknown>

const claims: Readonly<Record<JobRow['kind'], (ctx: RequestContext, job: JobRow) => Promise<unknown>>> = {
  run: (ctx, { id, call }) => claimRun(ctx, { runId: id, worker: 'function', hostedCallId: call }),
  check: (ctx, { id }) => claimCheck(ctx, { checkId: id, worker: 'function' }),
  endpoint: (ctx, { id }) =>
    claimEndpoint(ctx, { endpointId: id, worker: 'function', url: 'wss://host.test', modelSha256: sha256Of(policy) }),
}

const reports: Readonly<Record<JobRow['kind'], OnJob>> = {
  run: (ctx, { id }, random) => reportRun(ctx, { runId: id, status: random.pick(['succeeded', 'failed']) }),
  check: (ctx, { id }, random) =>
    reportCheck(ctx, { checkId: id, status: random.pick(['succeeded', 'failed']), report: { ok: true } }),
  // What a server says of its sessions can be anything: too much, and less than before.
  endpoint: async (ctx, { id }, random) => {
    const open = await world.sql<{ id: string }>(
      'select id from endpoint_sessions where endpoint_id = $1 order by id limit 200',
      [id],
    )
    const sessions = open.map((session) => ({
      sessionId: session.id,
      state: random.pick(['open', 'open', 'closed'] as const),
      chunksServed: random.int(0, 100),
      gpuSeconds: random.int(0, 4000) + random.int(0, 999) / 1000,
    }))
    return reportEndpoint(ctx, { endpointId: id, status: random.pick([null, null, 'stopped', 'failed']), sessions })
  },
}

const cancels: Readonly<Record<JobRow['kind'], (ctx: RequestContext, job: JobRow) => Promise<unknown>>> = {
  run: (ctx, { id }) => cancelRun(ctx, { runId: id }),
  check: (ctx, { id }) => cancelCheck(ctx, { checkId: id }),
  endpoint: (ctx, { id }) => stopEndpoint(ctx, { endpointId: id }),
}

const steps: Readonly<Record<string, Step>> = {
  run: (owner, random, as) =>
    createRun(as(someone(owner, random)), {
      recipe: {
        template: 'act',
        executor: random.chance(0.9) ? 'hosted' : 'worker',
        gpu: 'l4',
        max_hours: random.pick([0.1, 0.5, 2]),
        budget_usd: random.pick([null, 0.05, 0.3]),
      },
    }),
  check: (owner, random, as) =>
    createCheck(as(someone(owner, random)), {
      kind: 'robot',
      robotRepo: `${owner.robot.owner}/${owner.robot.repo}`,
      entry: 'arm.xml',
      controlHz: 50,
      action: 'position',
      executor: random.pick([null, 'hosted', 'hosted']),
    }),
  endpoint: (owner, random, as) =>
    createEndpoint(as(someone(owner, random)), {
      modelRepo: `${owner.model.owner}/${owner.model.repo}`,
      executor: 'hosted',
      params: 1_000_000,
      maxHours: random.pick([null, 0.1, 0.5, 2]),
      budgetUsd: random.pick([null, 0.05, 0.3]),
    }),
  /** One more thing in the life of an endpoint: its claim, or a session and a report some time later. */
  serve: async (owner, random, as) => {
    const endpoints = (await openJobs(owner)).filter(({ kind }) => kind === 'endpoint')
    if (endpoints.length === 0) return
    const job = random.pick(endpoints)
    const isClaimed = await opened(job)
    if (!isClaimed) return claims.endpoint(as(keyOf(owner, await dispatched(job))), job)
    await aged(job, random)
    return reports.endpoint(as(keyOf(owner, job)), job, random)
  },
  start: onJob((_owner, job) => dispatched(job)),
  claim: onJob((owner, job, _random, as) => claims[job.kind](as(keyOf(owner, job)), job)),
  age: onJob((_owner, job, random) => aged(job, random)),
  loseLease: onJob(
    async (_owner, job) =>
      job.kind === 'run' &&
      world.sql(`update runs set lease_expires_at = now() where id = $1 and status = 'running'`, [job.id]),
  ),
  report: onJob((owner, job, random, as) => reports[job.kind](as(keyOf(owner, job)), job, random)),
  cancel: onJob((owner, job, _random, as) => cancels[job.kind](as(world.as(owner.account)), job)),
  sweep: async () => {
    await sweepLeases(world.deps)
    await sweepChecks(world.deps)
    await sweepEndpoints(world.deps)
    await renewReservations(world.deps)
  },
  approve: onHold((owner, holdId, _random, as) => approveHold(as(world.as(owner.account)), { holdId })),
  deny: onHold((owner, holdId, _random, as) => denyHold(as(world.as(owner.account)), { holdId, reason: 'no' })),
  withdraw: onHold((owner, holdId, _random, as) => cancelHold(as(agentOf(owner)), { holdId })),
  timeOut: onHold(async (_owner, holdId) => {
    await world.sql(`update spend_holds set expires_at = now() where id = $1 and status = 'pending'`, [holdId])
    await expireHolds(world.deps)
  }),
  cap: async (owner, random) => {
    // While the cap changes, nobody knows which one holds.
    owner.ceiling = Number.POSITIVE_INFINITY
    const mode = random.pick(['stop', 'stop', 'notify', null] as const)
    const usd = mode && random.pick([0, 0.5, 1, 3])
    const { recordedUsd, reservedUsd } = await setSpendCap(world.as(owner.account), { usd, mode })
    if (mode === 'stop') owner.ceiling = Math.max(usd ?? 0, Number(recordedUsd) + Number(reservedUsd))
  },
}

const frequent = [
  'run',
  'run',
  'check',
  'endpoint',
  ...Array.from({ length: 6 }, () => 'serve'),
  'start',
  'claim',
  'claim',
  'approve',
  'approve',
  'age',
  'age',
  'report',
  'report',
]

/** Whoever comes late is refused; anything else is a fault. */
const refusedOnly = (error: unknown) => {
  if (error instanceof Killed || (error instanceof HubError && error.status < 500)) return
  throw error
}

interface Books {
  readonly jobs: number
  readonly ledgerIsCosts: boolean
  readonly ended: number
  readonly openWithoutReservation: number
  readonly reservedWithoutJob: number
  readonly aboveReserve: number
  readonly aboveHold: number
  /** Runs and endpoints that an agent asked for, and those of approved holds. */
  readonly agentJobs: number
  readonly approvedJobs: number
  /** Endpoints that have more GPU time than the hub counts since their claim, or another sum than their sessions. */
  readonly overtime: number
  /** Endpoints that cost something. */
  readonly billedEndpoints: number
  readonly resultsWithoutJob: number
}

/** As reservations are rounded. */
const upSql = (usd: string) => `ceil(${usd} * 10000) / 10000`

/** Compared in the database, in exact decimals. */
async function booksOf({ account, agentId }: Owner): Promise<Books> {
  const [books] = await world.sql<Books>(
    `with jobs as (
        select id, 'run' as kind, status::text, executor::text, priced, cost_usd, filed_by,
          least(${upSql('rate_usd_per_hour * max_hours')}, coalesce(budget_usd, 1000000)) as most from runs where owner_id = $1
        union all select id, 'robot_check', status::text, executor::text, priced, cost_usd, filed_by,
          ${upSql('rate_usd_per_hour * max_seconds / 3600')} from robot_checks where owner_id = $1
        union all select id, 'endpoint', status::text, executor::text, priced, cost_usd, filed_by,
          least(${upSql('rate_usd_per_hour * max_hours')}, budget_usd) from endpoints where owner_id = $1),
      open as (select * from jobs where priced and status in ('queued', 'running')),
      reserved as (select * from spend_reservations where account_id = $1),
      holds as (select h.*, j.cost_usd, j.most, j.id as job from spend_holds h left join jobs j on j.id = h.result_id where h.account_id = $1)
    select (select count(*)::int from jobs) as jobs,
      (select coalesce(sum(cost_usd), 0) from jobs) = (select coalesce(sum(amount_usd), 0) from ledger where account_id = $1) as "ledgerIsCosts",
      (select count(*)::int from jobs where priced and status not in ('queued', 'running') and cost_usd is null) as ended,
      (select count(*)::int from open o left join reserved r on r.job_id = o.id and r.amount_usd = coalesce(o.most, r.amount_usd) where r.job_id is null) as "openWithoutReservation",
      (select count(*)::int from reserved r left join open o on o.id = r.job_id where o.id is null) as "reservedWithoutJob",
      -- An endpoint without a limit has none: it reserves a month after the other.
      (select count(*)::int from jobs where cost_usd > coalesce(most, case when kind = 'endpoint' then cost_usd else 0 end)) as "aboveReserve",
      (select count(*)::int from holds where cost_usd > reserve_usd or most > reserve_usd) as "aboveHold",
      (select count(*)::int from jobs where kind <> 'robot_check' and executor = 'hosted' and filed_by = $2) as "agentJobs",
      (select count(*)::int from holds where status = 'approved' and kind <> 'robot_check') as "approvedJobs",
      (select count(*)::int from endpoints e where owner_id = $1 and (gpu_seconds > extract(epoch from coalesce(finished_at, now()) - claimed_at) + 0.001
        or gpu_seconds <> (select coalesce(sum(s.gpu_seconds), 0) from endpoint_sessions s where s.endpoint_id = e.id))) as overtime,
      (select count(*)::int from endpoints where owner_id = $1 and cost_usd > 0) as "billedEndpoints",
      (select count(*)::int from holds where (status = 'approved') <> (job is not null)) as "resultsWithoutJob"`,
    [account.id, agentId],
  )
  if (!books) throw new Error('Sums have one row.')
  return books
}

async function assertSound(owner: Owner): Promise<void> {
  const { jobs: _jobs, billedEndpoints: _billed, agentJobs, approvedJobs, ...books } = await booksOf(owner)
  expect(books).toEqual({
    ledgerIsCosts: true,
    ended: 0,
    openWithoutReservation: 0,
    reservedWithoutJob: 0,
    aboveReserve: 0,
    aboveHold: 0,
    resultsWithoutJob: 0,
    overtime: 0,
  })
  // An agent's hosted run or endpoint is there if and only if a person approved its hold.
  expect(agentJobs).toBe(approvedJobs)
  const { recordedUsd, reservedUsd, allowance } = await spendSummary(world.as(owner.account), {})
  expect(Number(recordedUsd) + Number(reservedUsd)).toBeLessThanOrEqual(owner.ceiling + 1e-9)
  expect(Number(allowance?.remainingUsd)).toBeGreaterThanOrEqual(0)
  if (!owner.isListed)
    expect(Number(allowance?.usedUsd) + Number(allowance?.reservedUsd)).toBeLessThanOrEqual(ALLOWANCE_USD + 1e-9)
}

describe('money', () => {
  let billed = 0

  it.each(sampled([1, 2, 3, 4, 5, 6], 3))(
    'stays whole, whatever happens in whatever order (sequence %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const owners = [...bosses, await newOwner()]
      const made = new Set<string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        const capped = random.chance(0.1)
        const together = Array.from({ length: random.int(1, 5) }, async () => {
          const own = random.fork()
          const owner = own.pick(owners)
          const name = own.pick([...frequent, ...Object.keys(steps).filter((step) => step !== 'cap')])
          const fuse = own.int(0, 12)
          const isKilled = own.chance(0.15)
          made.add(name)
          await steps[name]?.(owner, own, (ctx) => (isKilled ? dying(ctx, fuse) : ctx)).catch(refusedOnly)
        })
        const cap = capped ? steps.cap?.(random.pick(owners), random, (ctx) => ctx) : undefined
        await Promise.all([...together, cap])
        for (const owner of owners) await assertSound(owner)
      }
      expect(made.size).toBeGreaterThan(6)
      const books = await Promise.all(owners.map(booksOf))
      expect(books.reduce((sum, { jobs }) => sum + jobs, 0)).toBeGreaterThan(5)
      billed += books.reduce((sum, { billedEndpoints }) => sum + billedEndpoints, 0)
    },
  )

  itInTorture('was billed to endpoints in those sequences', async () => expect(billed).toBeGreaterThan(10))

  it('is never overspent by one: of a hundred approvals and creates at once, as many are accepted as fit under the cap', async () => {
    const [owner] = bosses as [Owner]
    const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1, budget_usd: 0.4 } as const
    const many = sampleSize(50, 12)
    await setSpendCap(world.as(owner.account), { usd: null, mode: null })
    const holds = await Promise.all(Array.from({ length: many }, () => createRun(agentOf(owner), { recipe })))
    const { recordedUsd, reservedUsd } = await spendSummary(world.as(owner.account), {})
    await setSpendCap(world.as(owner.account), { usd: Number(recordedUsd) + Number(reservedUsd) + 2.3, mode: 'stop' })
    owner.ceiling = Number(recordedUsd) + Number(reservedUsd) + 2.3
    const asked = holds.flatMap(({ id }) => [
      approveHold(world.as(owner.account), { holdId: id }),
      createRun(world.as(owner.account), { recipe }),
    ])
    const ended = await Promise.allSettled(asked)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    const refusals = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason.type] : []))
    expect(new Set(refusals)).toEqual(new Set(['quota.spend_cap']))
    await assertSound(owner)
  })
})
