/** Who can have a check hosted, and what an account may have hosted in a month. Spec, "POST /v1/robot-checks"; contract, "Hosted checks". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../support/hosted-function.ts'
import { type Answer, contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = hostedFunction()
afterAll(() => program.remove())

/** A hub that hosts `boss`, and others for three checks of 0.2 USD. */
const settings = {
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'boss',
  HOSTED_ALLOWANCE_USD: '0.65',
  HOSTED_COMMAND: program.command,
  HOSTED_MAX_PROCESSES: '1',
  ROBOT_CHECK_DAILY_QUOTA: '200',
  DATABASE_POOL_MAX: '20',
}
const hub = contractHub(settings)
const strict = contractHub({ ...settings, HOSTED_ALLOWANCE_USD: '0', ROBOT_CHECK_DAILY_QUOTA: '1' })
const bare = contractHub({ HOSTED_OWNERS: '*', ROBOT_CHECK_DAILY_QUOTA: '1' })
type Hub = typeof hub

interface Owner {
  readonly person: Person
  readonly robot: string
}

async function newOwner(at: Hub, handle?: string): Promise<Owner> {
  const person = await at.person(handle)
  const robot = await at.repo(person, { kind: 'robot' })
  await at.upload(person, robot, { 'arm.xml': '<mujoco/>' })
  return { person, robot }
}
const create = (at: Hub, { person, robot }: Owner, executor: string | null, who: Who = person) =>
  at.call(who, 'POST', '/v1/robot-checks', {
    kind: 'robot',
    robot_repo: robot,
    entry: 'arm.xml',
    control_hz: 50,
    action: 'position',
    executor,
  })
const agentOf = (at: Hub, { person }: Owner) => at.key(person, { agent: true, name: newName('agent') })
const allowance = async (at: Hub, { person }: Owner): Promise<Json> =>
  (await at.call(person, 'GET', '/v1/hardware_tiers')).json.hosting.allowance.viewer
const checksOf = async (at: Hub, { person }: Owner) =>
  (await at.sql<{ n: number }>('select count(*)::int as n from robot_checks where owner_id = $1', [person.id]))[0]?.n
const executors = (answers: readonly Json[]) => answers.map(({ json }) => json.executor)

describe('an account that is not listed', () => {
  it('has checks hosted while the most that they can cost fits into its allowance of the month', async () => {
    const owner = await newOwner(hub)
    const made = []
    for (let at = 0; at < 3; at += 1) made.push(await create(hub, owner, 'hosted'))
    expect(executors(made)).toEqual(['hosted', 'hosted', 'hosted'])
    expect(await allowance(hub, owner)).toMatchObject({ used_usd: 0, reserved_usd: 0.6, remaining_usd: 0.05 })
    const refused = await create(hub, owner, 'hosted')
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.hosted_allowance']])
    const { resets_at } = await allowance(hub, owner)
    expect(refused.json.errors[0]).toMatchObject({
      loc: ['body', 'executor'],
      cost_usd_max: 0.2,
      limit_usd: 0.65,
      used_usd: 0,
      reserved_usd: 0.6,
      remaining_usd: 0.05,
      resets_at,
    })
    expect(refused.json.detail).toContain('0.0500 USD of the hosted allowance of 0.6500 USD are left')
    expect(refused.json.detail).toContain(resets_at)
    expect(await checksOf(hub, owner)).toBe(3)
  })

  it('goes to a worker where nothing was said and it does not fit, and gets its reservation back at the end', async () => {
    const owner = await newOwner(hub)
    const made = []
    for (let at = 0; at < 5; at += 1) made.push(await create(hub, owner, null))
    expect(executors(made)).toEqual(['hosted', 'hosted', 'hosted', 'worker', 'worker'])
    expect(made[3]?.json).toMatchObject({ priced: false, cost_usd: null })
    expect((await hub.call(owner.person, 'POST', `/v1/robot-checks/${made[0]?.json.id}/cancel`)).status).toBe(202)
    expect(await allowance(hub, owner)).toMatchObject({ used_usd: 0, reserved_usd: 0.4, remaining_usd: 0.25 })
    expect((await create(hub, owner, null)).json.executor).toBe('hosted')
  })

  it('counts what the ledger has of this month, and nothing of the last', async () => {
    const owner = await newOwner(hub)
    const spend = (usd: number, at: string) =>
      hub.sql(
        `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at)
          values ($1, $2, 'robot_check', $1, 1, 'cpu', 60, $3, ${at})`,
        [newName('led'), owner.person.id, usd],
      )
    await spend(5, `date_trunc('month', now(), 'UTC') - interval '1 second'`)
    expect((await create(hub, owner, 'hosted')).status).toBe(201)
    await spend(0.25, 'now()')
    expect((await create(hub, owner, 'hosted')).status).toBe(201)
    expect(types(await create(hub, owner, 'hosted'))).toEqual(['forbidden.hosted_allowance'])
    expect(await allowance(hub, owner)).toMatchObject({ used_usd: 0.25, reserved_usd: 0.4, remaining_usd: 0 })
  })

  it.each(['hosted', null])('never overspends by a hundred requests at once (executor: %s)', async (executor) => {
    const owner = await newOwner(hub)
    // A hub that is busy says so (503), and is asked again.
    const ask = async (): Promise<Answer> => {
      const answer = await create(hub, owner, executor)
      return answer.status === 503 ? ask() : answer
    }
    const answers = await Promise.all(Array.from({ length: 100 }, ask))
    expect(answers.filter(({ json }) => json.executor === 'hosted')).toHaveLength(3)
    const others = answers.filter(({ json }) => json.executor !== 'hosted')
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([executor === null ? 201 : 403]))
    expect(await allowance(hub, owner)).toMatchObject({ reserved_usd: 0.6, remaining_usd: 0.05 })
    expect(await checksOf(hub, owner)).toBe(executor === null ? 100 : 3)
  })

  it('of an org uses the allowance of the org, not that of who asks', async () => {
    const { person } = await newOwner(hub)
    const org = await hub.org([{ user: person.handle, role: 'owner' }])
    const robot = await hub.repo(person, { kind: 'robot', owner: org })
    await hub.upload(person, robot, { 'arm.xml': '<mujoco/>' })
    const made = []
    for (let at = 0; at < 4; at += 1) made.push(await create(hub, { person, robot }, null))
    expect(executors(made)).toEqual(['hosted', 'hosted', 'hosted', 'worker'])
    expect(await allowance(hub, { person, robot })).toMatchObject({ reserved_usd: 0, remaining_usd: 0.65 })
  })
})

describe('an owner of HOSTED_OWNERS', () => {
  let boss: Owner
  beforeAll(async () => {
    boss = await newOwner(hub, 'boss')
  })

  it('has checks hosted without an allowance, unless a worker is asked for', async () => {
    const made = []
    for (let at = 0; at < 5; at += 1) made.push(await create(hub, boss, at % 2 ? 'hosted' : null))
    expect(new Set(executors(made))).toEqual(new Set(['hosted']))
    expect((await create(hub, boss, 'worker')).json.executor).toBe('worker')
    expect(await allowance(hub, boss)).toMatchObject({ reserved_usd: 0, remaining_usd: 0.65 })
  })

  it('has agent keys that stay within the allowance: then a spend hold, or a worker where nothing was said', async () => {
    const agent = await agentOf(hub, boss)
    const made = []
    for (let at = 0; at < 4; at += 1) made.push(await create(hub, boss, null, agent))
    expect(executors(made)).toEqual(['hosted', 'hosted', 'hosted', 'worker'])
    const held = await create(hub, boss, 'hosted', agent)
    expect([held.status, held.json.kind, held.json.allowance_usd]).toEqual([202, 'robot_check', 0.05])
    expect((await create(hub, boss, 'hosted')).json.executor).toBe('hosted')
  })
})

describe('what is refused first', () => {
  it('is a deployment without a hosted app (503), before agent and quota; nothing is recorded', async () => {
    const owner = await newOwner(bare)
    for (const who of [owner.person, await agentOf(bare, owner)]) {
      const refused = await create(bare, owner, 'hosted', who)
      expect([refused.status, types(refused)]).toEqual([503, ['not_configured.hosted_app']])
    }
    expect(await checksOf(bare, owner)).toBe(0)
    expect((await create(bare, owner, null)).json.executor).toBe('worker')
    expect((await create(bare, owner, 'hosted')).status).toBe(503)
  })

  it('is then an owner that is not listed, with an allowance of 0 (403), then a spend hold of an agent (202), then the quota (429)', async () => {
    const [owner, boss] = [await newOwner(strict), await newOwner(strict, 'boss')]
    const agents = [await agentOf(strict, owner), await agentOf(strict, boss)] as const
    const refusals = [await create(strict, owner, 'hosted'), await create(strict, owner, 'hosted', agents[0])]
    expect(refusals.map((refused) => [refused.status, ...types(refused)])).toEqual([
      [403, 'forbidden.hosted_owner'],
      [403, 'forbidden.hosted_owner'],
    ])
    expect((await create(strict, boss, 'hosted', agents[1])).status).toBe(202)
    expect((await strict.call(owner.person, 'GET', '/v1/hardware_tiers')).json.hosting.allowance).toBeNull()
    // The quota of one check was not used by any of them.
    expect((await create(strict, owner, null)).json.executor).toBe('worker')
    expect((await create(strict, boss, 'hosted')).json.executor).toBe('hosted')
    expect(types(await create(strict, owner, 'hosted'))).toEqual(['forbidden.hosted_owner'])
    expect((await create(strict, boss, 'hosted', agents[1])).status).toBe(202)
    expect(
      [await create(strict, owner, null), await create(strict, boss, 'hosted')].map(({ status }) => status),
    ).toEqual([429, 429])
  })

  it('reserves nothing for a check that the quota refuses', async () => {
    const owner = await newOwner(hub)
    await hub.sql(
      `insert into robot_checks (id, kind, status, executor, owner_id, filed_by, quota_account_id, robot_repo_id, finished_at)
        select 'check_' || $1 || n, 'robot', 'canceled', 'worker', $2, 'x', $2, 'x', now() from generate_series(1, 200) n`,
      [newName(), owner.person.id],
    )
    expect((await create(hub, owner, 'hosted')).status).toBe(429)
    expect(await allowance(hub, owner)).toMatchObject({ reserved_usd: 0 })
  })
})
