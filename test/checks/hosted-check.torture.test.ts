// @module-tag processes
/** Hosted checks from creation to end. Spec, "POST /v1/robot-checks" and the states of a check; contract, "Hosted checks". */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sweepChecks } from '../../src/checks/end/sweep-checks.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { type FunctionFacts, hostedFunction, isAlive } from '../support/hosted-function.ts'
import { contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = hostedFunction()
afterAll(() => program.remove())
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: program.command,
})
const patiently = { timeout: 100_000, interval: 50 }
let ada: Person
let robot: string

async function newRobot(): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, { 'arm.xml': '<mujoco/>' })
  return name
}
beforeAll(async () => {
  ada = await hub.person()
  robot = await newRobot()
})

/** A hosted check whose function does these steps. */
async function create(steps: string, change: Json = {}): Promise<Json> {
  const body = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position', ...change }
  return (await hub.call(ada, 'POST', '/v1/robot-checks', { ...body, drop: { filename: steps } })).json
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/robot-checks/${id}`)).json
const post = (who: Who, id: string, verb: string, body?: Json) =>
  hub.call(who, 'POST', `/v1/robot-checks/${id}/${verb}`, body)
const becomes = (id: string, status: string) => expect.poll(async () => (await get(id)).status, patiently).toBe(status)
const ledger = (id: string) =>
  hub.sql<{ kind: string; seconds: number; usd: number }>(
    'select kind, seconds::float8 as seconds, amount_usd::float8 as usd from ledger where job_id = $1',
    [id],
  )
const count = async (table: string, column: string, id: string) =>
  (await hub.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${column} = $1`, [id]))[0]?.n

/** A check whose function has done its steps and stays. */
async function atWork(steps: string, change: Json = {}): Promise<FunctionFacts & { readonly id: string }> {
  const { id } = await create(steps, change)
  await expect.poll(async () => program.factsOf((await get(id)).hosted_call_id), patiently).not.toBeNull()
  const facts = program.factsOf((await get(id)).hosted_call_id)
  if (!facts) throw new Error('The function wrote nothing.')
  return { ...facts, id }
}

describe('a hosted check', () => {
  it('is claimed, executed and ended by its own call, and billed from claim to end in one ledger row', async () => {
    const made = await create('claim succeed exit')
    expect(made).toMatchObject({ executor: 'hosted', status: 'queued', priced: true, cost_usd: null })
    await becomes(made.id, 'succeeded')
    const check = await get(made.id)
    expect(check).toMatchObject({ claimed_by: 'function', error: null, priced: true })
    expect(check.hosted_call_id).toMatch(/^call_[0-9a-f]{32}$/)
    expect(check.dispatched_at).toMatch(/Z$/)
    const seconds = (Date.parse(check.finished_at) - Date.parse(check.claimed_at)) / 1000
    const usd = Math.round((0.2 / 3600) * seconds * 1e4) / 1e4
    expect(await ledger(made.id)).toEqual([
      { kind: 'cpu', seconds: expect.closeTo(seconds, 2), usd: expect.closeTo(usd, 4) },
    ])
    expect(check.cost_usd).toBe((await ledger(made.id))[0]?.usd)
  })

  it('gives its function the environment that the contract lists, and a key that dies with the check', async () => {
    const { id, env, kind, token, call } = await atWork('claim')
    const given = ['HUB_URL', 'HUB_TOKEN', 'HUB_JOB_KIND', 'HUB_JOB_ID', 'HUB_CALL_ID']
    expect(env).toEqual(expect.arrayContaining(given))
    expect(env.filter((name) => /SECRET|DATABASE|S3_/.test(name))).toEqual([])
    expect([kind, call]).toEqual(['robot_check', (await get(id)).hosted_call_id])
    expect((await hub.call(token, 'GET', `/v1/robot-checks/${id}`)).status).toBe(200)
    expect((await post(token, id, 'report', { status: 'failed', error: 'broken' })).status).toBe(200)
    expect((await hub.call(token, 'GET', `/v1/robot-checks/${id}`)).status).toBe(401)
  })

  it('is claimed by no other credential, and is not handed out to workers', async () => {
    const { id } = await atWork('')
    for (const who of [ada, await hub.key(ada), await hub.key(ada, { scope: 'train' })]) {
      const refused = await post(who, id, 'claim', { worker: 'thief' })
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.wrong_kind']])
    }
    expect((await hub.call(ada, 'POST', '/v1/robot-checks/claim-next', { worker: 'box' })).status).toBe(204)
    expect((await get(id)).status).toBe('queued')
    expect((await post(ada, id, 'cancel')).status).toBe(202)
  })

  it('whose function ends before it claims has failed with the reason, costs nothing and lets its repo go', async () => {
    const name = await newRobot()
    const { id } = await create('exit', { robot_repo: name })
    await becomes(id, 'failed')
    const check = await get(id)
    expect(check).toMatchObject({ cost_usd: 0, hosted_call_id: null, dispatched_at: null })
    expect(check.error).toBe('The hosted function could not be started: HOSTED_COMMAND ended with code 7.')
    expect(await ledger(id)).toEqual([])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
  })

  it('whose function ends without a word after the claim has failed, and is billed for the time that it had', async () => {
    const name = await newRobot()
    const { id } = await create('claim exit', { robot_repo: name })
    await becomes(id, 'failed')
    const check = await get(id)
    expect(check.error).toBe('The hosted function ended without a report: HOSTED_COMMAND ended with code 7.')
    expect(await ledger(id)).toEqual([{ kind: 'cpu', seconds: expect.any(Number), usd: check.cost_usd }])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    const audit = await hub.sql('select before, after from audit_log where target_id = $1 and action = $2', [
      id,
      'robot_check.dispatch',
    ])
    expect(audit).toEqual([{ before: { status: 'running' }, after: { status: 'failed', error: check.error } }])
  })
})

describe('the time limit of a hosted check', () => {
  const overdue = (id: string) =>
    hub.sql(`update robot_checks set claimed_at = now() - interval '2 hours' where id = $1`, [id])

  it('is kept by the clock of the hub: the check ends failed with the reason, its call ends, and no more than the limit is billed', async () => {
    const { id, pid } = await atWork('claim')
    expect(await sweepChecks(hub.running.deps)).toBe(0)
    await overdue(id)
    // The hub's own sweep of each minute may come first.
    await sweepChecks(hub.running.deps)
    await expect.poll(async () => (await get(id)).status, patiently).toBe('failed')
    expect(await get(id)).toMatchObject({
      error: 'The check used up its time limit of 3600 seconds, and the hub ended it.',
      cost_usd: 0.2,
    })
    expect(await ledger(id)).toEqual([{ kind: 'cpu', seconds: 3600, usd: 0.2 }])
    const isDone = async () => {
      await sweepCalls(hub.running.deps)
      return !isAlive(pid)
    }
    await expect.poll(isDone, patiently).toBe(true)
  })

  it('refuses a verdict that comes too late, before any sweep', async () => {
    const { id, token } = await atWork('claim')
    await overdue(id)
    const late = await post(token, id, 'report', { status: 'failed', error: 'broken' })
    // Its key has died with the check, whichever request ended it.
    expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
    expect(await get(id)).toMatchObject({
      status: 'failed',
      cost_usd: 0.2,
      error: expect.stringContaining('time limit'),
    })
  })
})

describe('cancelRobotCheck of a hosted check', () => {
  const underWay = [
    ['running', 'claim', 1],
    ['queued', '', 0],
  ] as const
  it.each(underWay)('that is %s ends its call first: 202, with the process gone', async (status, steps, rows) => {
    const { id, pid, token } = await atWork(steps)
    expect([(await get(id)).status, isAlive(pid)]).toEqual([status, true])
    const canceled = await post(ada, id, 'cancel')
    expect([canceled.status, canceled.json.status, isAlive(pid)]).toEqual([202, 'canceled', false])
    const bill = await ledger(id)
    expect([bill.length, canceled.json.cost_usd, canceled.json.error]).toEqual([rows, bill[0]?.usd ?? 0, null])
    expect((await hub.call(token, 'GET', `/v1/robot-checks/${id}`)).status).toBe(401)
    // The end of the process changes nothing any more.
    await expect
      .poll(() => hub.sql('select state::text from hosted_calls where job_id = $1', [id]), patiently)
      .toEqual([{ state: 'ended' }])
    expect((await get(id)).status).toBe('canceled')
  })

  it('is 502 where the process may not be ended, and nothing changes', async () => {
    const { id, pid } = await atWork('claim')
    const kill = process.kill.bind(process)
    const refuse = vi.spyOn(process, 'kill').mockImplementation((target, signal) => {
      if (target === -pid) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
      return kill(target, signal)
    })
    const before = await get(id)
    const refused = await post(ada, id, 'cancel').finally(() => refuse.mockRestore())
    expect([refused.status, types(refused)]).toEqual([502, ['bad_gateway']])
    expect(refused.json.detail).toContain('EPERM')
    expect([await get(id), isAlive(pid)]).toEqual([before, true])
    expect(await count('audit_log', 'target_id', id)).toBe(2)
    expect((await post(ada, id, 'cancel')).json.status).toBe('canceled')
  })

  it('is 502 for a call on a backend that this deployment no longer uses, and nothing changes', async () => {
    const { id, pid } = await atWork('claim')
    const backend = (name: string) => hub.sql('update hosted_calls set backend = $2 where job_id = $1', [id, name])
    const before = await get(id)
    await backend('kubernetes')
    const refused = await post(ada, id, 'cancel')
    expect([refused.status, types(refused), await get(id), isAlive(pid)]).toEqual([502, ['bad_gateway'], before, true])
    await backend('process')
    expect((await post(ada, id, 'cancel')).json.status).toBe('canceled')
  })

  it('leaves the process of a check that has ended in peace: 409', async () => {
    const { id, pid } = await atWork('claim fail')
    expect(types(await post(ada, id, 'cancel'))).toEqual(['conflict.terminal'])
    expect(isAlive(pid)).toBe(true)
    kill(pid)
  })

  it('by many at once is done by one', async () => {
    const { id } = await atWork('claim')
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(ada, id, 'cancel')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409])
    expect(await ledger(id)).toHaveLength(1)
  })
})

const kill = (pid: number) => process.kill(pid, 'SIGKILL')
