// @module-tag sampled
/** The spend cap of an account, and what its hosted jobs reserve from their creation to their end. Spec, "approveSpendHold"; contract, "Money that is reserved". */

import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { afterAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../support/hosted-function.ts'
import { type Answer, contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = hostedFunction()
afterAll(() => program.remove())

const hosting = { ...reachingCheckout, HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', RUN_DAILY_GPU_HOUR_QUOTA: '1000' }
/** Its one place is never free for long: what is made stays queued unless a test moves it. */
const hub = contractHub({
  ...hosting,
  HOSTED_COMMAND: program.command,
  HOSTED_MAX_PROCESSES: '1',
  DATABASE_POOL_MAX: '20',
})

const run = (who: Who, recipe: Json = {}) =>
  hub.call(who, 'POST', '/v1/runs', {
    recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1, ...recipe },
  })
const cap = ({ id }: Person, usd: number, mode = 'STOP') =>
  hub.sql(`update accounts set spend_cap_usd = $2, spend_cap_mode = $3::"SpendCapMode" where id = $1`, [id, usd, mode])
const reserved = async ({ id }: Person) =>
  (
    await hub.sql<{ kind: string; usd: string }>(
      `select job_kind as kind, amount_usd::text as usd from spend_reservations where account_id = $1`,
      [id],
    )
  ).map(({ kind, usd }) => [kind, usd])
const runsOf = async ({ id }: Person) => (await hub.sql('select 1 from runs where owner_id = $1', [id])).length

describe('a hosted run', () => {
  itOnce(
    'reserves the most that it can cost: rate times hours, or its budget; a worker run reserves nothing',
    async () => {
      const ada = await hub.person()
      expect((await run(ada, { max_hours: 2 })).status).toBe(201)
      expect((await run(ada, { max_hours: 2, budget_usd: 0.5 })).status).toBe(201)
      expect((await run(ada, { executor: 'worker' })).status).toBe(201)
      expect(await reserved(ada)).toEqual([
        ['run', '1.5984'],
        ['run', '0.5000'],
      ])
    },
  )

  itOnce('that would carry the month past a cap in STOP mode is 429 for anyone, and nothing is recorded', async () => {
    const ada = await hub.person()
    await cap(ada, 1)
    expect((await run(ada)).status).toBe(201)
    for (const who of [ada, await hub.key(ada, { scope: 'train' })]) {
      const refused = await run(who)
      expect([refused.status, types(refused)]).toEqual([429, ['quota.spend_cap']])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.json.errors[0]).toMatchObject({ limit_usd: 1, reserved_usd: 0.7992, cost_usd_max: 0.7992 })
    }
    expect(await runsOf(ada)).toBe(1)
    expect((await run(ada, { executor: 'worker' })).status).toBe(201)
    await cap(ada, 1, 'NOTIFY')
    expect((await run(ada)).status).toBe(201)
  })

  it('never passes the cap by many requests at once', async () => {
    const ada = await hub.person()
    await cap(ada, 2)
    const ask = async (): Promise<Answer> => {
      const answer = await run(ada)
      return answer.status === 503 ? ask() : answer
    }
    const answers = await Promise.all(Array.from({ length: sampleSize(100, 8) }, ask))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(await reserved(ada)).toHaveLength(2)
    expect(await runsOf(ada)).toBe(2)
  })
})

describeOnce('a hosted check', () => {
  it('is 429 where it was asked for and passes the cap, and goes to a worker where nothing was said', async () => {
    const ada = await hub.person()
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
    const check = (executor: string | null) =>
      hub.call(ada, 'POST', '/v1/robot-checks', {
        kind: 'robot',
        robot_repo: robot,
        entry: 'arm.xml',
        control_hz: 50,
        action: 'position',
        executor,
      })
    await cap(ada, 0.3)
    expect((await check('hosted')).status).toBe(201)
    expect(await reserved(ada)).toEqual([['robot_check', '0.2000']])
    const refused = await check('hosted')
    expect([refused.status, types(refused)]).toEqual([429, ['quota.spend_cap']])
    expect((await check(null)).json.executor).toBe('worker')
    expect(await reserved(ada)).toHaveLength(1)
  })
})
