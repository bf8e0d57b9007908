/** Spend holds from their filing to their end, in both dialects. Spec, "Spend hold" and "Spend holds"; contract, "Spend holds". */
import { describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { expireHolds } from '../../src/billing/holds/expire-holds.ts'
import { MAX_PENDING_HOLDS } from '../../src/billing/holds/file-hold.ts'
import { runCommandLine } from '../support/command-line.ts'
import { type Answer, type Json, newName, types, type Who } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'
import { heldWork } from './support/held-work.ts'

const lab = heldWork()
const { hub, newTeam, hosted, askRun, checkBody, hold, act, get, keyId, rowsOf, auditOf } = lab

describe("an agent's hosted run", () => {
  it('is answered 202 with the hold, where the request stands as it was sent; nothing of the run is recorded', async () => {
    const of = await newTeam()
    const recipe = { ...hosted, budget_usd: 1.5, robot: 'arm', hyperparams: { lr: 1e-4, batch_size: 8 } }
    const filed = await hub.call(of.agent, 'POST', '/v1/runs', { recipe, owner: of.org })
    expect([filed.status, filed.headers.get('location')]).toEqual([202, `/v1/spend/holds/${filed.json.id}`])
    const [key] = await hub.sql<{ id: string }>(`select id from ${keyId(of.agent)} k`)
    expect(filed.json).toEqual({
      id: expect.stringMatching(/^spend_/),
      status: 'pending',
      kind: 'run',
      account: { id: expect.any(String), kind: 'org', handle: of.org, name: null },
      filed_by: { key_id: key?.id, name: 'night agent' },
      request: { recipe, owner: of.org },
      summary: `Train act for arm for ${of.org} on a hosted l4: up to 2 h at 0.7992 USD/h and a budget of 1.5000 USD.`,
      estimate_usd: 1.5,
      reserve_usd: 1.5,
      allowance_usd: 0,
      cap: { mode: null, limit_usd: null, month_usd: 0 },
      created_at: expect.any(String),
      expires_at: expect.any(String),
      decided_at: null,
      decided_by: null,
      reason: null,
      result_id: null,
      result_kind: null,
    })
    const { created_at, expires_at, id } = filed.json
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(86_400_000)
    expect(JSON.parse(await rowsOf(of))).toMatchObject({ runs: null, reserved: null, ledger: null, holds: [{}] })
    expect(await auditOf(id)).toEqual(['spend.file'])
    expect((await get(of.agent, id)).json).toEqual(filed.json)
  })

  it('is a member of the result union in GraphQL', async () => {
    const query = `mutation ($input: CreateRunInput!) { createRun(input: $input) { result { __typename ... on SpendHold { id reserveUsd } } hold { status } warnings } }`
    const input = { recipe: { template: 'act', executor: 'HOSTED', gpu: 'l4', maxHours: 2 }, owner: lab.team.org }
    const { data } = await hub.graphql(lab.team.agent, query, { input })
    expect(data.createRun).toMatchObject({
      result: { __typename: 'SpendHold', reserveUsd: 1.5984 },
      hold: { status: 'PENDING' },
      warnings: [],
    })
  })

  it('replays the same hold under its Idempotency-Key, with 202', async () => {
    const once = { 'idempotency-key': newName() }
    const first = await askRun(lab.team.agent, {}, lab.team, once)
    const again = await askRun(lab.team.agent, {}, lab.team, once)
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([202, first.json, 'true'])
  })

  it.each<[string, Json, Json, number]>([
    ['an unknown template', { template: 'none' }, {}, 422],
    ['a planned template', { template: 'vla_a_lora' }, {}, 503],
    ['a parent that is not there', {}, { parent_run_id: 'run_01h455vb4pex5vsknk084sn02q' }, 422],
    ['a GPU that the sim template is not hosted on', { template: 'ppo_sim_a', gpu: 'h100' }, {}, 422],
  ])('that could never run is refused and not held: %s', async (_what, recipe, more, status) => {
    const before = await rowsOf(lab.team)
    const answer = await hub.call(lab.team.agent, 'POST', '/v1/runs', {
      recipe: { ...hosted, ...recipe },
      owner: lab.team.org,
      ...more,
    })
    expect(answer.status).toBe(status)
    expect(await rowsOf(lab.team)).toBe(before)
  })

  it('is held before a quota would refuse it; worker runs and other keys are never held', async () => {
    expect((await askRun(lab.team.agent, { max_hours: 700 })).status).toBe(202)
    expect((await askRun(lab.team.agent, { executor: 'worker', gpu: null })).status).toBe(201)
    expect(
      (await askRun(await hub.key(lab.eve, { scope: 'train' }), {}, { ...lab.team, org: lab.eve.handle })).status,
    ).toBe(201)
  })

  it('is also held for hosted rollouts of a worker run, which cost nothing', async () => {
    const of = await newTeam()
    const gate = { every_steps: 10, executor: 'hosted' }
    const held = await askRun(of.agent, { executor: 'worker', gpu: null, gate }, of)
    expect([held.status, held.json.reserve_usd]).toEqual([202, 0])
    expect(held.json.summary).toBe(`Train act for ${of.org} on a worker, with hosted rollouts.`)
    const { result_id } = (await act(of.owner, held.json.id, 'approve')).json
    const run = (await hub.call(of.member, 'GET', `/v1/runs/${result_id}`)).json
    expect([run.executor, run.spend.priced, run.recipe.gate]).toMatchObject(['worker', false, gate])
    expect(await hub.sql('select 1 from spend_reservations where job_id = $1', [result_id])).toEqual([])
  })

  it(`is 429 once the key has ${MAX_PENDING_HOLDS} pending holds on the account, until one is decided`, async () => {
    const of = await newTeam()
    const id = await hold(of)
    await hub.sql(
      `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
        select id || n, status, kind, account_id, filed_by, filed_by_name, request, summary, 1, 1, 0, expires_at from spend_holds, generate_series(1, $2) n where id = $1`,
      [id, MAX_PENDING_HOLDS - 1],
    )
    const refused = await askRun(of.agent, {}, of)
    expect([refused.status, types(refused)]).toEqual([429, ['quota.spend_holds']])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect((await act(of.agent, id, 'cancel')).status).toBe(200)
    expect((await askRun(of.agent, {}, of)).status).toBe(202)
  })
})

describe("an agent's hosted check", () => {
  it('fits while the allowance has room, and is held beyond it with the share that was left', async () => {
    const of = await newTeam()
    const ask = (who: Who) => hub.call(who, 'POST', '/v1/robot-checks', checkBody(of))
    expect((await ask(of.agent)).status).toBe(201)
    const held = await ask(of.agent)
    expect([held.status, held.json]).toMatchObject([
      202,
      {
        kind: 'robot_check',
        estimate_usd: 0.2,
        reserve_usd: 0.2,
        allowance_usd: 0.05,
        request: checkBody(of),
        cap: { month_usd: 0.2 },
      },
    ])
    expect(held.json.summary).toBe(`Check the robot ${of.robot} on the hub's CPU: up to 3600 s at 0.2000 USD/h.`)
    const missing = await hub.call(of.agent, 'POST', '/v1/robot-checks', { ...checkBody(of), entry: 'no.xml' })
    expect(missing.status).toBe(422)
    const approved = await act(of.owner, held.json.id, 'approve')
    expect([approved.status, approved.json.result_kind]).toEqual([200, 'robot_check'])
    const check = (await hub.call(of.member, 'GET', `/v1/robot-checks/${approved.json.result_id}`)).json
    expect(check).toMatchObject({
      status: 'queued',
      executor: 'hosted',
      control_hz: 50,
      created_by: { handle: of.member.handle },
    })
    const reserved = await hub.sql('select allowance from spend_reservations where job_id = $1', [check.id])
    expect(reserved).toEqual([{ allowance: false }])
  })
})

describe('a hold that nothing was started for', () => {
  const decided: [string, string, (id: string) => Promise<Answer>][] = [
    ['denied', 'spend.deny', (id) => act(lab.team.owner, id, 'deny')],
    ['canceled', 'spend.cancel', (id) => act(lab.team.agent, id, 'cancel')],
    ['approved', 'spend.approve', (id) => act(lab.team.owner, id, 'approve')],
  ]
  it.each(decided)('that is %s stays so: every later decision is 409', async (status, action, decide) => {
    const id = await hold()
    expect([(await decide(id)).status, (await get(lab.team.agent, id)).json.status]).toEqual([200, status])
    expect(await auditOf(id)).toEqual(['spend.file', action])
    const before = await rowsOf(lab.team)
    for (const verb of ['approve', 'deny', 'cancel'])
      expect(types(await act(lab.team.owner, id, verb))).toEqual(['conflict.not_pending'])
    expect(await rowsOf(lab.team)).toBe(before)
  })

  it('tells the agent why it was denied, and who decided', async () => {
    const id = await hold()
    for (const [reason, status] of [
      ['', 422],
      ['x'.repeat(1025), 422],
      [null, 422],
      ['too expensive this week', 200],
    ] as const)
      expect((await hub.call(lab.team.owner, 'POST', `/v1/spend/holds/${id}/deny`, { reason })).status).toBe(status)
    expect((await get(lab.team.agent, id)).json).toMatchObject({
      reason: 'too expensive this week',
      decided_by: { handle: lab.team.owner.handle },
      result_id: null,
      result_kind: null,
    })
    const withdrawn = await hold()
    await act(lab.team.agent, withdrawn, 'cancel')
    expect((await get(lab.team.agent, withdrawn)).json).toMatchObject({
      decided_by: null,
      decided_at: expect.any(String),
    })
  })

  it('reads as expired once its time is over, and is written down by the sweep', async () => {
    const of = await newTeam()
    const [id, other] = [await hold(of), await hold(of)]
    await hub.sql(`update spend_holds set expires_at = now() where id = $1`, [id])
    const read = async () => (await get(of.agent, id)).json
    const first = await read()
    expect([first.status, first.decided_at, first.decided_by]).toEqual(['expired', first.expires_at, null])
    const list = async (status: string) =>
      (await hub.call(of.owner, 'GET', `/v1/spend/holds?status=${status}`)).json.items.map(({ id }: Json) => id)
    expect([await list('expired'), await list('pending')]).toEqual([[id], [other]])
    for (const verb of ['approve', 'deny', 'cancel'])
      expect(types(await act(of.owner, id, verb))).toEqual(['conflict.not_pending'])
    await expireHolds(hub.running.deps)
    expect(await read()).toEqual(first)
    expect(await auditOf(id)).toEqual(['spend.file', 'spend.expire'])
    expect(await hub.sql('select status::text from spend_holds where id = $1', [id])).toEqual([{ status: 'expired' }])
  })
})

describe('the list of holds', () => {
  it('is newest first, in pages, and has those of the account, its orgs and the keys of the person', async () => {
    const of = await newTeam()
    const ids = [await hold(of), await hold(of), await hold(of)].toReversed()
    const own = await askRun(of.agent, {}, { ...of, org: of.member.handle })
    const page = (who: Who, more = '') => hub.call(who, 'GET', `/v1/spend/holds?limit=2${more}`)
    const first = await page(of.member)
    const next = await page(of.member, `&cursor=${first.json.next_cursor}`)
    expect([...first.json.items, ...next.json.items].map(({ id }: Json) => id)).toEqual([own.json.id, ...ids])
    expect(next.json.next_cursor).toBeNull()
    expect((await hub.call(of.owner, 'GET', '/v1/spend/holds')).json.items.map(({ id }: Json) => id)).toEqual(ids)
    expect((await hub.call(await hub.person(), 'GET', '/v1/spend/holds')).json.items).toEqual([])
    expect((await page(of.owner, `&cursor=${first.json.next_cursor}&status=denied`)).status).toBe(422)
    expect((await page(of.owner, '&status=none')).status).toBe(422)
    expect((await get(of.owner, 'spend_none')).status).toBe(404)
  })
})

describe('on the command line', () => {
  it('an agent is told what was held, and who has to approve it', async () => {
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: lab.team.agent }
    const args = ['submit', '--template', 'act', '--executor', 'hosted', '--gpu', 'l4', '--owner', lab.team.org]
    const held = await runCommandLine(registerRunCommands, args, env)
    expect(held).toMatchObject({ code: 0, err: '' })
    expect(held.out).toMatch(/^hold +spend_\w+\nstatus +pending\n/)
    expect(held.out).toContain('up to 4 h at 0.7992 USD/h')
    expect(held.out).toMatch(
      new RegExp(`A person of ${lab.team.org} has to approve it: hub holds approve spend_\\w+\\n$`),
    )
  })
})

describe('the subscription to a hold', () => {
  it('has the hold as it is, then its decision, and ends', async () => {
    const id = await hold()
    const reader = await readSubscription(
      hub.running.url,
      lab.team.agent,
      `spendHoldUpdated(holdId: "${id}") { status result { __typename } }`,
    )
    await reader.until(1)
    await act(lab.team.owner, id, 'approve')
    await reader.ended
    expect(reader.events.map(({ spendHoldUpdated }) => spendHoldUpdated)).toEqual([
      { status: 'PENDING', result: null },
      { status: 'APPROVED', result: { __typename: 'Run' } },
    ])
  })
})
