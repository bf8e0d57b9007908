// @module-tag sampled
/**
 * The money of hosted checks, whatever happens to them in whatever order: reserved and used never pass the allowance, and the ledger is the sum of what checks
 * cost. Contract, "Hosted checks".
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomFrom } from '@hub/testing/random'
import { describeOnce, sampled, sampleSize } from '@hub/testing/torture'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAllowance } from '../../src/billing/allowance.ts'
import { claimCheck } from '../../src/checks/claim/claim-check.ts'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { hostedCheck } from '../../src/checks/dispatch/hosted-check.ts'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import { sweepChecks } from '../../src/checks/end/sweep-checks.ts'
import { reportCheck } from '../../src/checks/report/report-check.ts'
import { failJob } from '../../src/hosting/fail-job.ts'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { dispatchHosted } from '../../src/jobs/hosted-kinds.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { readConfig } from '../../src/platform/config.ts'
import { HubError } from '../../src/platform/errors.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const LIMIT_USD = 0.7
const MAX_USD = 0.2
const ROUNDS = sampleSize(80, 30)
const config = readConfig({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'boss',
  HOSTED_ALLOWANCE_USD: String(LIMIT_USD),
  ROBOT_CHECK_DAILY_QUOTA: '10000',
})
const t = testDb({ poolMax: 12 })
const dir = mkdtempSync(join(tmpdir(), 'hub-hosted-ledger-'))
let world: World
let boss: Owner

interface Owner {
  readonly account: AccountRef
  readonly robot: WorldRepo
}

async function newOwner(handle?: string): Promise<Owner> {
  const account = await world.user(handle)
  const robot = await world.repo(account, { kind: 'robot' })
  await world.upload(world.as(account), robot, 'arm.xml', Buffer.from('<mujoco/>'))
  return { account, robot }
}

beforeAll(async () => {
  const made = await makeWorld({
    db: t.db,
    config: { hosted: config.hosted, dailyRobotChecks: config.dailyRobotChecks },
  })
  const hosted = await openProcessBackend({ ...config, dataDir: dir }, pino({ level: 'silent' }))
  // Nothing can be started here: HOSTED_COMMAND is not set.
  Object.assign(made.deps, { hosted })
  world = made
  boss = await newOwner('boss')
})
afterAll(async () => {
  await world?.deps.hosted.close()
  await world?.close()
  rmSync(dir, { recursive: true, force: true })
})

interface CheckRow {
  readonly id: string
  readonly status: string
  readonly executor: string
  readonly call: string | null
  readonly key: string | null
  readonly cost: number | null
}
const checksOf = ({ account }: Owner) =>
  world.sql<CheckRow>(
    `select id, status::text, executor::text, hosted_call_id as call, hosted_credential as key, cost_usd::float8 as cost
      from robot_checks where owner_id = $1 order by id`,
    [account.id],
  )

/** The context of the key that was made for the call of a check. */
const keyOf = ({ account }: Owner, { id, key }: CheckRow): RequestContext =>
  world.as(account, {
    kind: 'key',
    credentialId: key ?? 'none',
    level: 'write',
    repoIds: [],
    job: { jobId: id, repoIds: [], operations: null },
  })

type Step = (owner: Owner, check: CheckRow | undefined, random: Random) => Promise<unknown>
const executors = [null, 'hosted', 'worker'] as const
const steps: Readonly<Record<string, Step>> = {
  create: ({ account, robot }, _check, random) =>
    createCheck(world.as(account, { agent: random.chance(0.2) }), {
      kind: 'robot',
      robotRepo: `${robot.owner}/${robot.repo}`,
      entry: 'arm.xml',
      controlHz: 50,
      action: 'position',
      executor: random.pick(executors),
    }),
  start: async (_owner, check) =>
    check?.call === null &&
    world.sql(
      `update robot_checks set hosted_call_id = 'call_' || id, hosted_credential = 'key_' || id, dispatched_at = now()
        where id = $1 and status = 'queued' and executor = 'hosted'`,
      [check.id],
    ),
  claim: async (owner, check) => check && claimCheck(keyOf(owner, check), { checkId: check.id, worker: 'function' }),
  age: async (_owner, check, random) =>
    check &&
    world.sql(
      `update robot_checks set claimed_at = claimed_at - make_interval(secs => $2) where id = $1 and status = 'running'`,
      [check.id, random.int(0, 5000)],
    ),
  report: async (owner, check, random) =>
    check &&
    reportCheck(keyOf(owner, check), {
      checkId: check.id,
      status: random.chance(0.5) ? 'succeeded' : 'failed',
      report: { ok: true },
    }),
  cancel: async ({ account }, check) => check && cancelCheck(world.as(account), { checkId: check.id }),
  failToStart: async (_owner, check) => check && dispatchHosted(world.deps, check.id),
  endSilently: async (_owner, check) =>
    check?.call &&
    failJob({ deps: world.deps, kind: hostedCheck, jobId: check.id, callId: check.call, reason: 'gone.' }),
  sweep: () => sweepChecks(world.deps),
}

/** Whoever comes late is refused; anything else is a fault. */
const refusedOnly = (error: unknown) => {
  if (!(error instanceof HubError) || error.status >= 500) throw error
}

async function assertSound(owner: Owner): Promise<void> {
  const usage = (await readAllowance(world.as(owner.account)))?.viewer
  if (!usage) throw new Error('There is an allowance.')
  const [used, reserved, remaining] = [usage.usedUsd, usage.reservedUsd, usage.remainingUsd].map(Number) as [
    number,
    number,
    number,
  ]
  const checks = await checksOf(owner)
  const hosted = checks.filter(({ executor }) => executor === 'hosted')
  const open = hosted.filter(({ status }) => ['queued', 'running'].includes(status))
  const costs = checks.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  const [ledger] = await world.sql<{ sum: number; rows: number; most: number }>(
    `select coalesce(sum(amount_usd), 0)::float8 as sum, count(*)::int as rows, coalesce(max(amount_usd), 0)::float8 as most from ledger where account_id = $1`,
    [owner.account.id],
  )
  expect(remaining).toBeGreaterThanOrEqual(0)
  expect(ledger?.sum).toBeCloseTo(costs, 8)
  expect(used).toBeCloseTo(costs, 8)
  expect(ledger?.most).toBeLessThanOrEqual(MAX_USD)
  expect(checks.filter(({ executor, cost }) => executor === 'worker' && cost !== null)).toEqual([])
  expect(hosted.filter((check) => !open.includes(check) && check.cost === null)).toEqual([])
  if (owner === boss) return
  expect(used + reserved).toBeLessThanOrEqual(LIMIT_USD + 1e-9)
  expect(reserved).toBeCloseTo(open.length * MAX_USD, 8)
  expect(remaining).toBeCloseTo(LIMIT_USD - used - reserved, 8)
}

describe('hosted checks of several accounts, in any order of events', () => {
  it.each(sampled([1, 2, 3, 4, 5, 6], 3))('keep their money together (sequence %i)', async (seed) => {
    const random = randomFrom(seed)
    const owners = [await newOwner(), await newOwner(), boss]
    for (let round = 0; round < ROUNDS; round += 1) {
      // Several at once, also of one check.
      const together = Array.from({ length: random.int(1, 4) }, async () => {
        const owner = random.pick(owners)
        const name = random.pick(['create', 'start', 'start', 'claim', 'claim', ...Object.keys(steps)])
        const own = random.fork()
        const checks = (await checksOf(owner)).filter(({ status }) => ['queued', 'running'].includes(status))
        const check = checks.length > 0 ? own.pick(checks) : undefined
        await steps[name]?.(owner, check, own).catch(refusedOnly)
      })
      await Promise.all(together)
      for (const owner of owners) await assertSound(owner)
    }
    for (const owner of owners) {
      for (const { id } of await checksOf(owner))
        await cancelCheck(world.as(owner.account), { checkId: id }).catch(() => null)
      await assertSound(owner)
    }
    expect(await world.sql('select 1 from spend_reservations')).toEqual([])
  })
})

describeOnce('a hosted check of an account with an allowance', () => {
  it.each([
    ['is reported', ['start', 'claim', 'report'], 1],
    ['is canceled before its claim', ['start', 'cancel'], 0],
    ['is canceled after its claim', ['start', 'claim', 'cancel'], 1],
    ['could not be started', ['failToStart'], 0],
    ['ended without a word before its claim', ['start', 'endSilently'], 0],
    ['ended without a word after its claim', ['start', 'claim', 'endSilently'], 1],
    ['reached its time limit', ['start', 'claim', 'tooLong', 'sweep'], 1],
    ['was reported after its time limit', ['start', 'claim', 'tooLong', 'report'], 1],
  ])('that %s releases its reservation and is billed once, if at all', async (_how, path, rows) => {
    const owner = await newOwner()
    await steps.create?.(owner, undefined, randomFrom(1))
    const reserved = async () => Number((await readAllowance(world.as(owner.account)))?.viewer?.reservedUsd)
    expect(await reserved()).toBe(MAX_USD)
    for (const step of path) {
      const [check] = await checksOf(owner)
      if (step === 'tooLong')
        await world.sql(`update robot_checks set claimed_at = now() - interval '2 hours' where id = $1`, [check?.id])
      else await steps[step]?.(owner, check, randomFrom(1)).catch(refusedOnly)
      await assertSound(owner)
    }
    const [check] = await checksOf(owner)
    expect([check?.executor, ['succeeded', 'failed', 'canceled'].includes(check?.status ?? '')]).toEqual([
      'hosted',
      true,
    ])
    expect(await reserved()).toBe(0)
    expect(await world.sql('select 1 from ledger where job_id = $1', [check?.id])).toHaveLength(rows)
    if (path.includes('tooLong')) expect(check?.cost).toBe(MAX_USD)
    // A few seconds, even on a busy machine: 0.2 USD are an hour.
    else expect(check?.cost).toBeLessThan(MAX_USD / 10)
  })
})
