/** The shortest and the cheapest hosted job: a minute at least, and none at all under a spend cap of 0. Contract, "Hosted runs" and "Money that is reserved". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub, type Json, newName, type Person, places, types, type Who } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = hostedFunction()
afterAll(() => program.remove())

const tier = { vram_gb: 24, bf16_tflops: 100 }
const tiersFile = join(inject('runDir'), `${newName('tiers')}.json`)
writeFileSync(
  tiersFile,
  JSON.stringify([
    { ...tier, tier: 'l4', rate_usd_per_hour: 0.7992 },
    { ...tier, tier: 'free', vram_gb: 96, rate_usd_per_hour: 0 },
  ]),
)

/** Its one place is never free for long: what is made stays queued. */
const hub = contractHub({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HARDWARE_TIERS_FILE: tiersFile,
  CHECK_HOST_RATE_USD_PER_HOUR: '0',
  HOSTED_COMMAND: program.command,
  ...reachingCheckout,
  HOSTED_MAX_PROCESSES: '1',
})
const endpoints = endpointsOf(hub)
let ada: Person
let model: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  model = await endpoints.model(ada)
  robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
})

const minute = 1 / 60
const less = 0.0166
const hosted = { template: 'act', executor: 'hosted', gpu: 'l4' }
const recipe = (who: Who, path: string, change: Json) =>
  hub.call(who, 'POST', path, { recipe: { ...hosted, ...change } })
const rowsOf = async ({ id }: Person) =>
  (
    await hub.sql<{ rows: number }>(
      `select ((select count(*) from runs where owner_id = $1) + (select count(*) from endpoints where owner_id = $1)
        + (select count(*) from spend_holds where account_id = $1) + (select count(*) from spend_reservations where account_id = $1))::int as rows`,
      [id],
    )
  )[0]?.rows

describe('a hosted job of less than a minute', () => {
  it.each(['/v1/runs', '/v1/runs/estimate', '/v1/runs/recommend'])(
    'is 422 at %s, at its max_hours; a minute is accepted, and a worker has no such limit',
    async (path) => {
      const owner = await hub.person()
      for (const max_hours of [less, 1e-9]) {
        const refused = await recipe(owner, path, { max_hours })
        expect([refused.status, places(refused)]).toEqual([422, [['body', 'recipe', 'max_hours']]])
        expect(refused.json.detail).toContain('at least a minute')
      }
      expect(await rowsOf(owner)).toBe(0)
      expect((await recipe(owner, path, { max_hours: minute })).status).toBeLessThan(300)
      expect((await recipe(owner, path, { max_hours: less, executor: 'worker' })).status).toBeLessThan(300)
    },
  )

  it('is refused together with the other faults of its recipe', async () => {
    const refused = await recipe(ada, '/v1/runs/estimate', { max_hours: less, gpu: 'tpu', template: 'x' })
    expect(places(refused).map((place: Json) => place.at(-1))).toEqual(['template', 'gpu', 'max_hours'])
  })

  it('is 422 as an endpoint, by its max_hours, and as an estimate of one, by its hours', async () => {
    const created = await endpoints.create(ada, model, { executor: 'hosted', max_hours: less })
    expect([created.status, places(created)]).toEqual([422, [['body', 'max_hours']]])
    const estimated = await endpoints.estimate(ada, model, { executor: 'hosted', hours: less })
    expect([estimated.status, places(estimated)]).toEqual([422, [['body', 'hours']]])
    const shortest = await endpoints.ok(endpoints.create(ada, model, { executor: 'hosted', max_hours: minute }), 201)
    expect(shortest.max_hours).toBeCloseTo(minute, 9)
    const { cost_usd_max } = (await endpoints.estimate(ada, model, { executor: 'hosted', hours: minute })).json
    expect(cost_usd_max).toBe(0.0134)
    expect((await endpoints.create(ada, model, { max_hours: less })).status).toBe(201)
    expect((await endpoints.estimate(ada, model, { hours: less })).status).toBe(200)
  })

  it('is 422 in GraphQL by the same rule', async () => {
    const run = `mutation ($input: CreateRunInput!) { createRun(input: $input) { result { __typename } } }`
    const { errors } = await hub.graphql(ada, run, {
      input: { recipe: { template: 'act', executor: 'HOSTED', maxHours: less } },
    })
    expect(errors[0].extensions.problem.errors).toMatchObject([{ loc: ['input', 'recipe', 'maxHours'] }])
    const endpoint = `mutation ($input: EstimateEndpointInput!) { estimateEndpoint(input: $input) { costUsdMax } }`
    const estimated = await hub.graphql(ada, endpoint, {
      input: { modelRepo: model, executor: 'HOSTED', params: 1000, hours: less },
    })
    expect(estimated.errors[0].extensions.problem.errors).toMatchObject([{ loc: ['input', 'hours'] }])
  })

  it('is not held for an agent either, and a hold that asks for one cannot be approved', async () => {
    const owner = await hub.person()
    const agent = await hub.key(owner, { scope: 'train', agent: true })
    const own = await endpoints.model(owner)
    expect((await recipe(agent, '/v1/runs', { max_hours: less })).status).toBe(422)
    expect((await endpoints.create(agent, own, { executor: 'hosted', max_hours: less })).status).toBe(422)
    expect(await rowsOf(owner)).toBe(0)
    const holds = [
      await recipe(agent, '/v1/runs', { max_hours: 1 }),
      await endpoints.create(agent, own, { executor: 'hosted', max_hours: 1 }),
    ]
    for (const { status, json } of holds) {
      expect([status, json.errors]).toEqual([202, undefined])
      // As one that was filed before there was the rule.
      await hub.sql(
        `update spend_holds set request = replace(request::text, '"max_hours":1', $2)::json where id = $1`,
        [json.id, `"max_hours":${less}`],
      )
      const approved = await hub.call(owner, 'POST', `/v1/spend/holds/${json.id}/approve`)
      expect([approved.status, approved.json.detail]).toEqual([422, expect.stringContaining('at least a minute')])
      expect((await hub.call(owner, 'GET', `/v1/spend/holds/${json.id}`)).json.status).toBe('pending')
    }
  })
})

describe('a hosted job whose budget does not pay a minute', () => {
  /** A minute of the tier costs 0.01332 USD. */
  const paid = 0.0134
  const unpaid = [0.0133, 0.01339, 0.0001]

  it.each(['/v1/runs', '/v1/runs/estimate', '/v1/runs/recommend'])(
    'is 422 at %s, at its budget_usd: many of them would work for nothing; a worker has no such limit',
    async (path) => {
      const owner = await hub.person()
      for (const budget_usd of unpaid) {
        const refused = await recipe(owner, path, { budget_usd, max_hours: 1 })
        expect([refused.status, places(refused)]).toEqual([422, [['body', 'recipe', 'budget_usd']]])
        expect(refused.json.detail).toContain('costs 0.0134 USD')
      }
      expect(await rowsOf(owner)).toBe(0)
      expect((await recipe(owner, path, { budget_usd: paid, max_hours: 1 })).status).toBeLessThan(300)
      expect((await recipe(owner, path, { budget_usd: 0.0001, executor: 'worker' })).status).toBeLessThan(300)
      expect((await recipe(owner, path, { budget_usd: 0.0001, max_hours: 1, gpu: 'free' })).status).toBeLessThan(300)
    },
  )

  it('is 422 as an endpoint and as an estimate of one', async () => {
    for (const budget_usd of unpaid)
      for (const ask of [endpoints.create, endpoints.estimate]) {
        const refused = await ask(ada, model, { executor: 'hosted', budget_usd })
        expect([refused.status, places(refused)]).toEqual([422, [['body', 'budget_usd']]])
      }
    await endpoints.ok(endpoints.create(ada, model, { executor: 'hosted', budget_usd: paid }), 201)
    expect((await endpoints.create(ada, model, { budget_usd: 0.0001 })).status).toBe(201)
  })

  it('is not held for an agent either', async () => {
    const owner = await hub.person()
    const agent = await hub.key(owner, { scope: 'train', agent: true })
    const own = await endpoints.model(owner)
    expect((await recipe(agent, '/v1/runs', { budget_usd: 0.0133 })).status).toBe(422)
    expect((await endpoints.create(agent, own, { executor: 'hosted', budget_usd: 0.0133 })).status).toBe(422)
    expect(await rowsOf(owner)).toBe(0)
  })
})

describe('a spend cap of 0 in mode STOP', () => {
  const check = (who: Who, executor: string | null, name = robot) =>
    hub.call(who, 'POST', '/v1/robot-checks', {
      kind: 'robot',
      robot_repo: name,
      entry: 'arm.xml',
      control_hz: 50,
      action: 'position',
      executor,
    })
  const capAtZero = ({ id }: Person, mode = 'STOP') =>
    hub.sql(`update accounts set spend_cap_usd = 0, spend_cap_mode = $2::"SpendCapMode" where id = $1`, [id, mode])

  /** An owner with a robot and a model, and requests for priced jobs that reserve nothing. */
  async function free() {
    const owner = await hub.person()
    const [name, own] = [await hub.repo(owner, { kind: 'robot' }), await endpoints.model(owner)]
    await hub.upload(owner, name, { 'arm.xml': '<mujoco/>' })
    const run = (who: Who, change: Json = {}) => recipe(who, '/v1/runs', { gpu: 'free', max_hours: 1, ...change })
    return { owner, name, own, run }
  }

  it('refuses every priced job, also one that would reserve 0; work of workers goes on', async () => {
    const { owner, name, own, run } = await free()
    expect((await run(owner)).status).toBe(201)
    const before = await rowsOf(owner)
    await capAtZero(owner)
    const refused = [
      await run(owner),
      await run(owner, { gpu: 'l4' }),
      await check(owner, 'hosted', name),
      await endpoints.create(owner, own, { executor: 'hosted', max_hours: 1 }),
    ]
    for (const answer of refused) expect([answer.status, types(answer)]).toEqual([429, ['quota.spend_cap']])
    expect(refused[0]?.json.errors[0]).toMatchObject({ cost_usd_max: 0, limit_usd: 0 })
    expect(await rowsOf(owner)).toBe(before)
    expect((await run(owner, { executor: 'worker' })).status).toBe(201)
    expect((await check(owner, null, name)).json.executor).toBe('worker')
    await capAtZero(owner, 'NOTIFY')
    expect((await run(owner)).status).toBe(201)
  })

  it('refuses the approval of one, and the hold stays pending', async () => {
    const { owner, run } = await free()
    const agent = await hub.key(owner, { scope: 'train', agent: true })
    const filed = await run(agent)
    expect([filed.status, filed.json.reserve_usd]).toEqual([202, 0])
    await capAtZero(owner)
    const approve = () => hub.call(owner, 'POST', `/v1/spend/holds/${filed.json.id}/approve`)
    const refused = await approve()
    expect([refused.status, types(refused)]).toEqual([429, ['quota.spend_cap']])
    expect((await hub.call(owner, 'GET', `/v1/spend/holds/${filed.json.id}`)).json.status).toBe('pending')
    await hub.sql('update accounts set spend_cap_usd = 1 where id = $1', [owner.id])
    expect((await approve()).status).toBe(200)
  })
})
