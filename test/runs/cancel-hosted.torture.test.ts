// @module-tag long
/** Canceling a hosted run that is running: it is asked to stop, and the hub ends it and its call where it does not. Contract, "Canceling and deleting runs". */

import { isFull } from '@hub/testing/torture'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { dispatchHosted } from '../../src/jobs/hosted-kinds.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { costOfSeconds } from '../../src/platform/money.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { runCommandLine } from '../support/command-line.ts'
import { isAlive } from '../support/hosted-function.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'
import { type FunctionManner, runFunction } from '../support/run-function.ts'

const program = runFunction()
afterAll(() => program.remove())

const hub = contractHub({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_MAX_PROCESSES: '50',
  HOSTED_COMMAND: program.command,
  ...reachingCheckout,
  RUN_DAILY_GPU_HOUR_QUOTA: '1000',
})
const patiently = { timeout: 100_000, interval: 25 }
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const submit = async (how: FunctionManner, change: Json = {}): Promise<string> => {
  const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1, hyperparams: { how }, ...change }
  const { status, json } = await hub.call(ada, 'POST', '/v1/runs', { recipe })
  expect([status, json.errors]).toEqual([201, undefined])
  return json.id
}
/** A run that its function has claimed. */
async function running(how: FunctionManner, change: Json = {}) {
  const id = await submit(how, change)
  await expect.poll(() => program.factsOf(id), patiently).not.toBeNull()
  return { id, ...(program.factsOf(id) ?? { pid: 0, token: '' }) }
}
const cancel = (id: string) => hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json
const statusOf = async (id: string) => (await get(id)).status
/** As if it had been claimed, and asked to stop, so many seconds earlier. */
const age = (id: string, seconds: number) =>
  hub.sql(
    `update runs set claimed_at = claimed_at - make_interval(secs => $2), cancel_requested_at = cancel_requested_at - make_interval(secs => $2)
      where id = $1 and status = 'running'`,
    [id, seconds],
  )
/** The run's status after a sweep that had its row: one that another sweep or a report holds at that moment is left to the next. */
const swept = async (id: string, deps = hub.running.deps) => {
  await sweepLeases(deps)
  return statusOf(id)
}
const isGone = async (pid: number) => {
  await sweepCalls(hub.running.deps)
  return !isAlive(pid)
}
const billsOf = (id: string) =>
  hub.sql<{ usd: string; seconds: string }>(
    'select amount_usd::text as usd, seconds::text as seconds from ledger where job_id = $1',
    [id],
  )
const auditOf = async (id: string) =>
  (
    await hub.sql<{ action: string }>(
      `select action from audit_log where target_id = $1 and action like 'run.%' order by id`,
      [id],
    )
  ).map(({ action }) => action)
const logOf = async (id: string) => (await hub.call(ada, 'GET', `/v1/runs/${id}/logs/download`)).text
const isReserved = async (id: string) =>
  (await hub.sql('select 1 from spend_reservations where job_id = $1', [id])).length > 0

/** What every end of a claimed run leaves: one bill, no reservation, a dead key. */
async function assertSettled(id: string, token: string): Promise<void> {
  const { cost_usd, spend } = await get(id)
  const bills = await billsOf(id)
  expect(bills).toHaveLength(1)
  expect([Number(bills[0]?.usd), spend.final, await isReserved(id)]).toEqual([cost_usd, true, false])
  expect(bills[0]?.usd).toBe(costOfSeconds('0.7992', bills[0]?.seconds ?? '0'))
  expect((await hub.call(token, 'GET', `/v1/runs/${id}`)).status).toBe(401)
}

describe('canceling a hosted run that is running', () => {
  it('is 202 with the run asked to stop; its function reads that in its next report, and ends it as canceled', async () => {
    const { id, pid, token } = await running('obeys')
    const asked = await cancel(id)
    expect([asked.status, asked.json.status, asked.json.finished_at]).toEqual([202, 'running', null])
    expect(Date.parse(asked.json.cancel_requested_at)).toBeGreaterThan(0)
    await expect.poll(() => statusOf(id), patiently).toBe('canceled')
    expect((await get(id)).error).toBeNull()
    await expect.poll(() => isAlive(pid), patiently).toBe(false)
    await assertSettled(id, token)
    expect(await auditOf(id)).toEqual(['run.create', 'run.claim', 'run.cancel', 'run.finish'])
    expect(await logOf(id)).toContain(`${ada.handle} requested the run to stop.`)
    const again = await cancel(id)
    expect([again.status, types(again)]).toEqual([409, ['conflict.terminal']])
  })

  it.each<[string, FunctionManner]>([
    ['ignores it', 'ignores'],
    ['is silent', 'silent'],
  ])('ends it and its process after 40 s where the function %s, billed to that moment', async (_what, how) => {
    const { id, pid, token } = await running(how)
    expect((await cancel(id)).status).toBe(202)
    await age(id, 9)
    expect([await swept(id), await isGone(pid)]).toEqual(['running', false])
    await age(id, 31)
    await expect.poll(() => swept(id), patiently).toBe('canceled')
    const { error, finished_at, cancel_requested_at } = await get(id)
    expect(error).toBeNull()
    const stoppedAfterS = (Date.parse(finished_at) - Date.parse(cancel_requested_at)) / 1000
    expect(stoppedAfterS).toBeGreaterThanOrEqual(40)
    await expect.poll(() => isGone(pid), patiently).toBe(true)
    await assertSettled(id, token)
    expect(Number((await billsOf(id))[0]?.seconds)).toBeGreaterThanOrEqual(40)
    expect(await auditOf(id)).toEqual(['run.create', 'run.claim', 'run.cancel', 'run.sweep'])
    expect(await logOf(id)).toContain('function did not stop in time. The run had been asked to stop and is canceled.')
  })

  it('ends the run also where its report comes before the sweep: the report is too late', async () => {
    const { id, token } = await running('silent')
    await cancel(id)
    await age(id, 40)
    const late = await hub.call(token, 'POST', `/v1/runs/${id}/report`, { status: 'succeeded' })
    expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
    expect(await statusOf(id)).toBe('canceled')
    await assertSettled(id, token)
  })

  it.each(['budget', 'tripwire'])('is what a %s does: the hub ends a run that does not stop', async (reason) => {
    const { id, pid, token } = await running('silent')
    await hub.sql(`update runs set cancel_requested_at = now(), stop_reason = $2 where id = $1`, [id, reason])
    await age(id, 40)
    await expect.poll(() => swept(id), patiently).toBe('canceled')
    await expect.poll(() => isGone(pid), patiently).toBe(true)
    await assertSettled(id, token)
  })

  it('leaves a run at its max_hours the minute that it has, and its end: failed', async () => {
    const { id, token } = await running('silent')
    await hub.sql(`update runs set cancel_requested_at = now(), stop_reason = 'max_hours' where id = $1`, [id])
    await hub.sql(`update runs set claimed_at = claimed_at - interval '1 hour' where id = $1`, [id])
    await age(id, 41)
    expect((await cancel(id)).status).toBe(202)
    expect(await swept(id)).toBe('running')
    await age(id, 20)
    await expect.poll(() => swept(id), patiently).toBe('failed')
    expect((await get(id)).error).toContain('max_hours')
    await assertSettled(id, token)
  })

  it('costs nothing past the minute after the request, however late the hub comes by', async () => {
    const { id, token } = await running('silent')
    await cancel(id)
    await age(id, 1000)
    await expect.poll(() => swept(id), patiently).toBe('canceled')
    const { claimed_at, cancel_requested_at } = await get(id)
    const billedS = (Date.parse(cancel_requested_at) - Date.parse(claimed_at)) / 1000 + 60
    expect((await billsOf(id)).map(({ seconds }) => Number(seconds))).toEqual([expect.closeTo(billedS, 3)])
    await assertSettled(id, token)
  })

  it('is the same in GraphQL and on the command line', async () => {
    const [one, other] = [await running('silent'), await running('silent')]
    const mutation = `mutation ($input: CancelRunInput!) { cancelRun(input: $input) { run { status cancelRequestedAt } } }`
    const { data } = await hub.graphql(ada, mutation, { input: { runId: one.id } })
    expect(data.cancelRun.run).toEqual({ status: 'RUNNING', cancelRequestedAt: expect.any(String) })
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: ada.token }
    const { code, out } = await runCommandLine(registerRunCommands, ['cancel', other.id], env)
    expect([code, out]).toEqual([0, expect.stringContaining('running, asked to stop')])
  })
})

describe('canceling a hosted run at the same time as', () => {
  it('itself: one request, one notice, one audit entry', async () => {
    const { id } = await running('silent')
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    expect(new Set(answers.map(({ json }) => json.cancel_requested_at)).size).toBe(1)
    expect((await auditOf(id)).filter((action) => action === 'run.cancel')).toHaveLength(1)
    expect((await logOf(id)).match(/requested the run to stop/g)).toHaveLength(1)
  })

  it('the end that its function reports: one of them is later, and the run is billed once', async () => {
    for (let round = 0; round < (isFull ? 20 : 8); round += 1) {
      const { id, token } = await running('silent')
      const report = hub.call(token, 'POST', `/v1/runs/${id}/report`, { status: 'succeeded' })
      const [reported, canceled] = await Promise.all([report, cancel(id)])
      expect([reported.status, await statusOf(id)]).toEqual([200, 'succeeded'])
      expect([202, 409]).toContain(canceled.status)
      await assertSettled(id, token)
    }
  })

  it('the hub ends it: canceled, and billed once', async () => {
    const { id, token } = await running('silent')
    await cancel(id)
    await age(id, 40)
    const { deps } = hub.running
    await Promise.all([sweepLeases(deps), cancel(id), sweepLeases(deps), cancel(id)])
    await expect.poll(() => swept(id), patiently).toBe('canceled')
    await assertSettled(id, token)
  })

  it('it is dispatched: canceled before its function could claim it, or asked to stop after that; no process is left', async () => {
    const made = await Promise.all(
      Array.from({ length: isFull ? 20 : 8 }, async () => {
        const id = await submit('obeys')
        const [canceled] = await Promise.all([cancel(id), dispatchHosted(hub.running.deps, id)])
        expect(canceled.status).toBe(202)
        return id
      }),
    )
    for (const id of made) {
      await expect.poll(() => statusOf(id), patiently).toBe('canceled')
      const isClaimed = (await get(id)).claimed_at !== null
      expect([(await billsOf(id)).length, await isReserved(id)]).toEqual([isClaimed ? 1 : 0, false])
    }
    const leftOver = async () => {
      await sweepCalls(hub.running.deps)
      return hub.sql(`select id from hosted_calls where job_id = any($1::text[]) and state <> 'ended'`, [made])
    }
    await expect.poll(leftOver, patiently).toEqual([])
    for (const id of made) expect(isAlive(program.factsOf(id)?.pid ?? 0)).toBe(false)
  })
})

describe('a hub that dies after it was asked', () => {
  it('loses nothing: the next one on its data folder ends the run and its process', async () => {
    const { id, pid, token } = await running('silent')
    await cancel(id)
    await age(id, 40)
    const { deps } = hub.running
    const hosted = await openProcessBackend(deps.config, pino({ level: 'silent' }))
    const next = { ...deps, hosted }
    await expect.poll(() => swept(id, next), patiently).toBe('canceled')
    const isLeft = async () => {
      await sweepCalls(next)
      return isAlive(pid)
    }
    await expect.poll(isLeft, patiently).toBe(false)
    await assertSettled(id, token)
    await hosted.close()
  })
})

describe('a hosted job on a backend that this deployment no longer uses', () => {
  const moveAway = (id: string) =>
    hub.sql(`update hosted_calls set backend = 'kubernetes', place = null where job_id = $1`, [id])
  const moveBack = (id: string) =>
    hub.sql(
      `update hosted_calls set backend = 'process', place = (select place from hosted_calls where backend = 'process' limit 1) where job_id = $1`,
      [id],
    )

  it('is 501 as a run, in both dialects, and nothing changes', async () => {
    const { id } = await running('silent')
    await moveAway(id)
    const refused = await cancel(id)
    expect([refused.status, types(refused)]).toEqual([501, ['not_supported']])
    const mutation = `mutation ($input: CancelRunInput!) { cancelRun(input: $input) { run { status } } }`
    const { errors } = await hub.graphql(ada, mutation, { input: { runId: id } })
    expect(errors[0].extensions.status).toBe(501)
    expect(await get(id)).toMatchObject({ status: 'running', cancel_requested_at: null })
    expect(await auditOf(id)).not.toContain('run.cancel')
    await moveBack(id)
    expect((await cancel(id)).status).toBe(202)
  })
})
