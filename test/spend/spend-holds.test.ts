/** Spend holds from their filing to their end, in both dialects. Spec, "Spend hold" and "Spend holds"; contract, "Spend holds". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { expireHolds } from '../../src/billing/holds/expire-holds.ts'
import { MAX_PENDING_HOLDS } from '../../src/billing/holds/file-hold.ts'
import { runCommandLine } from '../support/command-line.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { type Answer, contractHub, type Json, newName, type Person, places, types, type Who } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'
import { readSubscription } from '../support/subscription.ts'

const program = hostedFunction()
afterAll(() => program.remove())

/** One check of 0.2 USD fits into the allowance. Its one place is never free for long: what is made stays queued. */
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_ALLOWANCE_USD: '0.25',
  HOSTED_COMMAND: program.command,
  HOSTED_MAX_PROCESSES: '1',
})

interface Team {
  readonly owner: Person
  readonly member: Person
  readonly org: string
  /** A train key of an agent, of the member. */
  readonly agent: string
  readonly robot: string
}
async function newTeam(): Promise<Team> {
  const [owner, member] = [await hub.person(), await hub.person()]
  const org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  const robot = await hub.repo(member, { kind: 'robot', owner: org })
  await hub.upload(member, robot, { 'arm.xml': '<mujoco/>' })
  return {
    owner,
    member,
    org,
    robot,
    agent: await hub.key(member, { scope: 'train', agent: true, name: 'night agent' }),
  }
}
let team: Team
let eve: Person
beforeAll(async () => {
  team = await newTeam()
  eve = await hub.person()
})

const hosted = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 2 }
const askRun = (who: Who, recipe: Json = {}, { org }: Team = team, headers: Record<string, string> = {}) =>
  hub.call(who, 'POST', '/v1/runs', { recipe: { ...hosted, ...recipe }, owner: org }, headers)
const checkBody = ({ robot }: Team) => ({
  kind: 'robot',
  robot_repo: robot,
  entry: 'arm.xml',
  control_hz: 50,
  action: 'position',
  executor: 'hosted',
})
const hold = async (of: Team = team, recipe: Json = {}): Promise<string> => {
  const filed = await askRun(of.agent, recipe, of)
  expect([filed.status, filed.json.errors]).toEqual([202, undefined])
  return filed.json.id
}
const act = (who: Who, id: string, verb: string) =>
  hub.call(who, 'POST', `/v1/spend/holds/${id}/${verb}`, verb === 'deny' ? { reason: 'not now' } : undefined)
const get = (who: Who, id: string) => hub.call(who, 'GET', `/v1/spend/holds/${id}`)
const keyId = (token: string) => `(select id from api_keys where token_sha256 = sha256('${token}'))`

/** Everything that money and work of an org are written down in. */
async function rowsOf({ org }: Team): Promise<Json> {
  const account = `(select id from accounts where handle = '${org}')`
  const [row] = await hub.sql<{ all: Json }>(
    `select json_build_object(
      'holds', (select json_agg(h order by h.id) from spend_holds h where h.account_id = ${account}),
      'runs', (select json_agg(u order by u.id) from runs u where u.owner_id = ${account}),
      'checks', (select json_agg(u order by u.id) from robot_checks u where u.owner_id = ${account}),
      'reserved', (select json_agg(r order by r.job_id) from spend_reservations r where r.account_id = ${account}),
      'ledger', (select json_agg(l order by l.id) from ledger l where l.account_id = ${account}),
      'audit', (select json_agg(a order by a.id) from audit_log a where a.account_id = ${account}))::jsonb::text as all`,
  )
  return row?.all
}
const auditOf = async (id: string) =>
  (await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [id])).map(
    ({ action }) => action,
  )

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
    const input = { recipe: { template: 'act', executor: 'HOSTED', gpu: 'l4', maxHours: 2 }, owner: team.org }
    const { data } = await hub.graphql(team.agent, query, { input })
    expect(data.createRun).toMatchObject({
      result: { __typename: 'SpendHold', reserveUsd: 1.5984 },
      hold: { status: 'PENDING' },
      warnings: [],
    })
  })

  it('replays the same hold under its Idempotency-Key, with 202', async () => {
    const once = { 'idempotency-key': newName() }
    const first = await askRun(team.agent, {}, team, once)
    const again = await askRun(team.agent, {}, team, once)
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([202, first.json, 'true'])
  })

  it.each<[string, Json, Json, number]>([
    ['an unknown template', { template: 'none' }, {}, 422],
    ['a planned template', { template: 'vla_a_lora' }, {}, 503],
    ['a parent that is not there', {}, { parent_run_id: 'run_01h455vb4pex5vsknk084sn02q' }, 422],
    ['a GPU that the sim template is not hosted on', { template: 'ppo_sim_a', gpu: 'h100' }, {}, 422],
  ])('that could never run is refused and not held: %s', async (_what, recipe, more, status) => {
    const before = await rowsOf(team)
    const answer = await hub.call(team.agent, 'POST', '/v1/runs', {
      recipe: { ...hosted, ...recipe },
      owner: team.org,
      ...more,
    })
    expect(answer.status).toBe(status)
    expect(await rowsOf(team)).toBe(before)
  })

  it('is held before a quota would refuse it; worker runs and other keys are never held', async () => {
    expect((await askRun(team.agent, { max_hours: 700 })).status).toBe(202)
    expect((await askRun(team.agent, { executor: 'worker', gpu: null })).status).toBe(201)
    expect((await askRun(await hub.key(eve, { scope: 'train' }), {}, { ...team, org: eve.handle })).status).toBe(201)
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

describe('who sees, decides and cancels', () => {
  it('a hold on an org that the agent of a member filed', async () => {
    const of = await newTeam()
    const made = { repos: [of.robot], scope: 'train' as const }
    const limited = await hub.key(of.member, { ...made, agent: true })
    const callers: Record<string, [Who, number, number, number, number]> = {
      // get, deny, approve, cancel; each on a hold of its own
      nobody: [null, 401, 401, 401, 401],
      'an owner': [of.owner, 200, 200, 200, 200],
      'a member': [of.member, 200, 200, 200, 200],
      'a stranger': [eve, 404, 404, 404, 404],
      'the key that filed it': [of.agent, 200, 403, 403, 200],
      'another key of the person': [await hub.key(of.member, { scope: 'train' }), 200, 403, 403, 403],
      'a key of the org': [await hub.key(of.org, { scope: 'train' }), 200, 403, 403, 403],
      'a read key': [await hub.key(of.member, { scope: 'read' }), 200, 403, 403, 403],
      'a key limited to repos': [limited, 404, 404, 404, 404],
    }
    for (const [name, [who, seen, deny, approve, cancel]] of Object.entries(callers)) {
      const ids = [await hold(of), await hold(of), await hold(of)] as const
      const got = [
        (await get(who, ids[0])).status,
        (await act(who, ids[0], 'deny')).status,
        (await act(who, ids[1], 'approve')).status,
        (await act(who, ids[2], 'cancel')).status,
      ]
      expect([name, got]).toEqual([name, [seen, deny, approve, cancel]])
    }
    const own = await askRun(limited, {}, of)
    expect(own.status).toBe(202)
    expect((await hub.call(limited, 'GET', '/v1/spend/holds')).json.items.map(({ id }: Json) => id)).toEqual([
      own.json.id,
    ])
    expect((await act(limited, own.json.id, 'cancel')).status).toBe(200)
  })

  it('is asked again of a person who has left: they see what their key filed, and decide nothing', async () => {
    const of = await newTeam()
    const id = await hold(of)
    await hub.sql(`delete from memberships where user_id = $1`, [of.member.id])
    expect((await get(of.member, id)).status).toBe(200)
    for (const verb of ['approve', 'deny', 'cancel']) expect((await act(of.member, id, verb)).status).toBe(403)
    expect(types(await act(of.owner, id, 'approve'))).toEqual(['conflict.key_gone'])
  })
})

describe('an approval', () => {
  it('creates the job as the key that asked, takes its reservation, and shows it', async () => {
    const of = await newTeam()
    const id = await hold(of, { hyperparams: { lr: 0.5 } })
    const approved = await act(of.owner, id, 'approve')
    expect(approved.json).toMatchObject({
      status: 'approved',
      result_kind: 'run',
      decided_by: { handle: of.owner.handle },
      reason: null,
    })
    const run = approved.json.result_id
    const [row] = await hub.sql<Json>(
      `select u.status, u.executor, u.filed_by = ${keyId(of.agent)} as own, u.created_by, u.recipe from runs u where id = $1`,
      [run],
    )
    expect(row).toMatchObject({
      status: 'queued',
      executor: 'hosted',
      own: true,
      created_by: of.member.id,
      recipe: { hyperparams: { lr: 0.5 } },
    })
    expect(await hub.sql('select amount_usd::text as usd from spend_reservations where job_id = $1', [run])).toEqual([
      { usd: '1.5984' },
    ])
    expect(await auditOf(id)).toEqual(['spend.file', 'spend.approve'])
    expect(await auditOf(run)).toContain('run.create')
    const { data } = await hub.graphql(
      of.agent,
      `{ spendHold(id: "${id}") { cap { monthUsd } result { __typename ... on Run { id } } } node(id: "${id}") { id __typename } }`,
    )
    expect(data).toEqual({
      spendHold: { cap: { monthUsd: 1.5984 }, result: { __typename: 'Run', id: run } },
      node: { id, __typename: 'SpendHold' },
    })
    // The limit is lifted for this one job.
    expect((await askRun(of.agent, {}, of)).status).toBe(202)
  })

  const cases: [string, (of: Team, id: string) => Promise<unknown>, number, string][] = [
    [
      'a cap in stop mode that it would pass',
      ({ org }) => hub.sql(`update accounts set spend_cap_usd = 1, spend_cap_mode = 'STOP' where handle = $1`, [org]),
      429,
      'quota.spend_cap',
    ],
    [
      'a quota of GPU hours that is used up',
      ({ member }) => hub.call(member, 'POST', '/v1/runs', { recipe: { ...hosted, max_hours: 23 } }),
      429,
      'quota.gpu_hours',
    ],
    [
      'a key that was revoked',
      ({ agent }) => hub.sql(`update api_keys set revoked_at = now() where id = ${keyId(agent)}`),
      409,
      'conflict.key_gone',
    ],
    [
      'a key that has expired',
      ({ agent }) => hub.sql(`update api_keys set expires_at = now() where id = ${keyId(agent)}`),
      409,
      'conflict.key_gone',
    ],
    [
      'a key that lost its scope',
      ({ agent }) => hub.sql(`update api_keys set scope = 'write' where id = ${keyId(agent)}`),
      409,
      'conflict.key_gone',
    ],
    [
      'a key whose person has left',
      ({ member }) => hub.sql(`delete from memberships where user_id = $1`, [member.id]),
      409,
      'conflict.key_gone',
    ],
    [
      'a price that rose above what was shown',
      (_of, id) => hub.sql(`update spend_holds set reserve_usd = reserve_usd - 0.0001 where id = $1`, [id]),
      409,
      'conflict.cost_rose',
    ],
    [
      'an end of time',
      (_of, id) => hub.sql(`update spend_holds set expires_at = now() where id = $1`, [id]),
      409,
      'conflict.not_pending',
    ],
  ]
  it('is refused for a person who was removed from the org while it waited', async () => {
    const of = await newTeam()
    const approver = await hub.person()
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select o.id, $1, 'member' from accounts o where o.handle = $2`,
      [approver.id, of.org],
    )
    const id = await hold(of)
    const waiting = await hub.running.deps.db.withTx(async (tx) => {
      await tx.query({ name: '', text: 'select id from spend_holds where id = $1 for update' }, [id])
      const asked = act(approver, id, 'approve')
      const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%spend_holds%'`
      await expect.poll(() => hub.sql(isWaiting), { timeout: 100_000 }).toHaveLength(1)
      await hub.sql('delete from memberships where user_id = $1', [approver.id])
      return { asked }
    })
    const refused = await waiting.asked
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.scope']])
    expect((await get(of.owner, id)).json.status).toBe('pending')
  })

  it.each(cases)('is refused for %s, and leaves every row as it was', async (_why, change, status, type) => {
    const of = await newTeam()
    const id = await hold(of)
    await change(of, id)
    const before = await rowsOf(of)
    const refused = await act(of.owner, id, 'approve')
    expect([refused.status, types(refused)]).toEqual([status, [type]])
    if (status === 429) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    if (type === 'quota.gpu_hours') expect(places(refused)).toEqual([['body', 'recipe', 'max_hours']])
    if (type === 'conflict.cost_rose')
      expect(refused.json.errors[0]).toMatchObject({ cost_usd_max: 1.5984, reserve_usd: 1.5983 })
    expect(await rowsOf(of)).toBe(before)
  })

  it('is refused with what the create answers now: a parent and a robot that are gone', async () => {
    const of = await newTeam()
    const parent = (await askRun(of.member, { executor: 'worker', gpu: null }, of)).json.id
    const ofParent = await hub.call(of.agent, 'POST', '/v1/runs', {
      recipe: hosted,
      owner: of.org,
      parent_run_id: parent,
    })
    await hub
      .call(of.agent, 'POST', '/v1/robot-checks', checkBody(of))
      .then(({ json }) => hub.call(of.member, 'POST', `/v1/robot-checks/${json.id}/cancel`))
    await hub.sql(
      `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd) select $1, id, 'robot_check', $1, 1, 'cpu', 1, 0.2 from accounts where handle = $2`,
      [newName('led'), of.org],
    )
    const ofRobot = await hub.call(of.agent, 'POST', '/v1/robot-checks', checkBody(of))
    expect([ofParent.status, ofRobot.status]).toEqual([202, 202])
    expect((await hub.call(of.member, 'POST', `/v1/runs/${parent}/cancel`)).status).toBe(202)
    expect((await hub.call(of.member, 'DELETE', `/v1/runs/${parent}`)).status).toBe(204)
    expect((await hub.call(of.member, 'DELETE', `/v1/repos/${of.robot}`)).status).toBe(204)
    const before = await rowsOf(of)
    const orphaned = await act(of.owner, ofParent.json.id, 'approve')
    expect([orphaned.status, places(orphaned)]).toEqual([422, [['body', 'parent_run_id']]])
    const { errors } = await hub.graphql(
      of.owner,
      'mutation ($holdId: ID!) { approveSpendHold(input: { holdId: $holdId }) { hold { id } } }',
      { holdId: ofParent.json.id },
    )
    expect(errors[0].extensions.problem.errors[0].loc).toEqual(['input', 'parent_run_id'])
    expect((await act(of.owner, ofRobot.json.id, 'approve')).status).toBe(404)
    expect(await rowsOf(of)).toBe(before)
  })

  it('is one of several people deciding at once: one wins, all others are 409, and there is one job or none', async () => {
    const of = await newTeam()
    for (const verbs of [
      ['approve', 'approve', 'approve'],
      ['approve', 'deny', 'cancel', 'approve', 'deny'],
    ]) {
      const id = await hold(of)
      const answers = await Promise.all(verbs.map((verb, at) => act(at % 2 ? of.owner : of.member, id, verb)))
      const won = answers.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      expect(answers.filter((answer) => answer.status === 409).flatMap(types)).toEqual(
        verbs.slice(1).map(() => 'conflict.not_pending'),
      )
      const { status, result_id } = (await get(of.owner, id)).json
      expect(status).toBe(won[0]?.json.status)
      const runs = await hub.sql<{ id: string }>(
        `select id from runs where recipe::text <> '' and filed_by = ${keyId(of.agent)} and created_at >= (select created_at from spend_holds where id = $1)`,
        [id],
      )
      expect(runs.map((run) => run.id)).toEqual(result_id === null ? [] : [result_id])
    }
  })
})

describe('a hold that nothing was started for', () => {
  const decided: [string, string, (id: string) => Promise<Answer>][] = [
    ['denied', 'spend.deny', (id) => act(team.owner, id, 'deny')],
    ['canceled', 'spend.cancel', (id) => act(team.agent, id, 'cancel')],
    ['approved', 'spend.approve', (id) => act(team.owner, id, 'approve')],
  ]
  it.each(decided)('that is %s stays so: every later decision is 409', async (status, action, decide) => {
    const id = await hold()
    expect([(await decide(id)).status, (await get(team.agent, id)).json.status]).toEqual([200, status])
    expect(await auditOf(id)).toEqual(['spend.file', action])
    const before = await rowsOf(team)
    for (const verb of ['approve', 'deny', 'cancel'])
      expect(types(await act(team.owner, id, verb))).toEqual(['conflict.not_pending'])
    expect(await rowsOf(team)).toBe(before)
  })

  it('tells the agent why it was denied, and who decided', async () => {
    const id = await hold()
    for (const [reason, status] of [
      ['', 422],
      ['x'.repeat(1025), 422],
      [null, 422],
      ['too expensive this week', 200],
    ] as const)
      expect((await hub.call(team.owner, 'POST', `/v1/spend/holds/${id}/deny`, { reason })).status).toBe(status)
    expect((await get(team.agent, id)).json).toMatchObject({
      reason: 'too expensive this week',
      decided_by: { handle: team.owner.handle },
      result_id: null,
      result_kind: null,
    })
    const withdrawn = await hold()
    await act(team.agent, withdrawn, 'cancel')
    expect((await get(team.agent, withdrawn)).json).toMatchObject({ decided_by: null, decided_at: expect.any(String) })
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
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: team.agent }
    const args = ['submit', '--template', 'act', '--executor', 'hosted', '--gpu', 'l4', '--owner', team.org]
    const held = await runCommandLine(registerRunCommands, args, env)
    expect(held).toMatchObject({ code: 0, err: '' })
    expect(held.out).toMatch(/^hold +spend_\w+\nstatus +pending\n/)
    expect(held.out).toContain('up to 4 h at 0.7992 USD/h')
    expect(held.out).toMatch(new RegExp(`A person of ${team.org} has to approve it: hub holds approve spend_\\w+\\n$`))
  })
})

describe('the subscription to a hold', () => {
  it('has the hold as it is, then its decision, and ends', async () => {
    const id = await hold()
    const reader = await readSubscription(
      hub.running.url,
      team.agent,
      `spendHoldUpdated(holdId: "${id}") { status result { __typename } }`,
    )
    await reader.until(1)
    await act(team.owner, id, 'approve')
    await reader.ended
    expect(reader.events.map(({ spendHoldUpdated }) => spendHoldUpdated)).toEqual([
      { status: 'PENDING', result: null },
      { status: 'APPROVED', result: { __typename: 'Run' } },
    ])
  })
})
