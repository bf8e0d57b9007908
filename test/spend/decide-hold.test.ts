/** Who decides on a hold, and what an approval does. Contract, "Spend holds". */
import { describe, expect, it } from 'vitest'
import { type Json, newName, places, types, type Who } from '../support/hub.ts'
import { heldWork, type Team } from './support/held-work.ts'

const lab = heldWork()
const { hub, newTeam, hosted, askRun, checkBody, hold, act, get, keyId, rowsOf, auditOf } = lab

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
      'a stranger': [lab.eve, 404, 404, 404, 404],
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
    await hub.sql(`update accounts set spend_cap_usd = 40, spend_cap_mode = 'STOP' where handle = $1`, [of.org])
    expect((await askRun(of.owner, {}, of)).status).toBe(201)
    const cap = { mode: 'stop', limit_usd: 40, month_usd: 1.5984 }
    for (const who of [of.member, of.agent]) expect((await get(who, id)).json.cap).toEqual(cap)
    await hub.sql(`delete from memberships where user_id = $1`, [of.member.id])
    const seen = await get(of.member, id)
    // What the org spends from then on is not theirs to see.
    expect([seen.status, seen.json.cap]).toEqual([200, { mode: null, limit_usd: null, month_usd: 0 }])
    expect((await get(of.owner, id)).json.cap).toEqual(cap)
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
      'a key whose person the operator has disabled',
      ({ member }) => hub.sql(`update accounts set disabled_at = now() where id = $1`, [member.id]),
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
