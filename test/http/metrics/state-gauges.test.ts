/** Each gauge that is read from the database moves by what happened, and by nothing else. */

import { newId } from '@hub/formats/ids'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { MOST_COUNTED, type StateValue, stateReadings } from '../../../src/http/metrics/state-gauges.ts'
import { openQueue } from '../../../src/store/queue.ts'
import { testDb } from '../../support/database.ts'
import { putEndpoint } from '../../support/endpoints.ts'
import { plansOf } from '../../support/plans.ts'
import { putRun } from '../../support/runs.ts'

const t = testDb()
const owner = 'user_gauges'
const sql = (text: string, values: unknown[] = []) => t.db.query({ name: '', text }, values)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

beforeAll(async () => {
  await sql(`insert into accounts (id, kind, handle) values ('${owner}', 'user', 'gauges')`)
  const queue = await openQueue({ url: t.url, log: pino({ level: 'silent' }) })
  await queue.stop()
  await sql(`select pgboss.create_queue('blob-verify', '{"policy": "short"}')`)
})

/** `name{label,label}` to value. */
async function read(): Promise<Record<string, number>> {
  const values: StateValue[] = []
  for (const { statement } of stateReadings) values.push(...(await t.db.query<StateValue>(statement)))
  const name = ({ metric, labels }: StateValue) => (labels.length === 0 ? metric : `${metric}{${labels.join(',')}}`)
  return Object.fromEntries(values.map((value) => [name(value), value.value]))
}

/** What `work` changed. Ages are given in whole hundreds of seconds. */
async function moved(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await read()
  await work()
  const after = await read()
  const rounded = (name: string, value = 0) => (name.includes('seconds') ? Math.floor(value / 100) * 100 : value)
  const changed = Object.keys(after).filter((name) => rounded(name, after[name]) !== rounded(name, before[name]))
  return Object.fromEntries(changed.map((name) => [name, rounded(name, after[name]) - rounded(name, before[name])]))
}

const putCheck = (status: 'queued' | 'running' | 'succeeded', executor: string, created: string) =>
  sql(
    `insert into robot_checks (id, kind, status, executor, owner_id, filed_by, quota_account_id, robot_repo_id, max_seconds, claimed_by, claim_credential, claimed_at, attempt, finished_at, created_at)
      values ($1, 'robot', $2::"JobStatus", $3::"RunExecutor", $4, 'x', $4, 'repo_x', case when $3 = 'hosted' then 600 end, case when $2 <> 'queued' then 'w' end,
        case when $2 <> 'queued' then 'k' end, case when $2 <> 'queued' then now() end, case when $2 <> 'queued' then 1 else 0 end, case when $2 = 'succeeded' then now() end, $5)`,
    [newId('check'), status, executor, owner, created],
  )

const putHold = (created: string, status = 'pending') =>
  sql(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, created_at, expires_at, decided_at)
      values ($1, $2::"SpendHoldStatus", 'run', $3, 'k', 'k', '{}', 's', 1, 1, 0, $4, now() + interval '1 day', case when $2 <> 'pending' then now() end)`,
    [newId('spend'), status, owner, created],
  )

describe('of work that is under way', () => {
  it('a run that waits counts for its executor, with its age', async () => {
    const run = (executor: 'worker' | 'hosted', seconds: number) =>
      putRun(t.db, { ownerId: owner, executor, id: newId('run'), set: { created_at: ago(seconds) } })
    expect(await moved(() => run('worker', 1250))).toEqual({
      'hub_jobs_queued{run,worker}': 1,
      'hub_jobs_oldest_queued_seconds{run,worker}': 1200,
    })
    // It waits for its own process, and needs no worker.
    const left = { ownerId: owner, set: { self_started: true, created_at: ago(9000) } }
    expect(await moved(() => putRun(t.db, left))).toEqual({})
    // A newer one is not the oldest.
    expect(await moved(() => run('worker', 50))).toEqual({ 'hub_jobs_queued{run,worker}': 1 })
    expect(await moved(() => run('hosted', 350))).toEqual({
      'hub_jobs_queued{run,hosted}': 1,
      'hub_jobs_oldest_queued_seconds{run,hosted}': 300,
    })
  })

  it('a running run counts once, and as overdue when its lease is over', async () => {
    expect(await moved(() => putRun(t.db, { ownerId: owner, status: 'running' }))).toEqual({
      'hub_jobs_running{run}': 1,
    })
    const overdue = { status: 'running', set: { lease_expires_at: ago(1) } } as const
    expect(await moved(() => putRun(t.db, { ownerId: owner, ...overdue }))).toEqual({
      'hub_jobs_running{run}': 1,
      hub_runs_overdue: 1,
    })
    expect(await moved(() => putRun(t.db, { ownerId: owner, status: 'succeeded' }))).toEqual({})
  })

  it('checks count by executor, with or without a time limit', async () => {
    expect(await moved(() => putCheck('queued', 'worker', ago(450)))).toEqual({
      'hub_jobs_queued{robot_check,worker}': 1,
      'hub_jobs_oldest_queued_seconds{robot_check,worker}': 400,
    })
    expect(await moved(() => putCheck('running', 'worker', ago(1)))).toEqual({ 'hub_jobs_running{robot_check}': 1 })
    expect(await moved(() => putCheck('running', 'hosted', ago(1)))).toEqual({ 'hub_jobs_running{robot_check}': 1 })
    expect(await moved(() => putCheck('succeeded', 'worker', ago(1)))).toEqual({})
  })

  it('an endpoint that has not reported for two minutes is silent', async () => {
    expect(await moved(() => putEndpoint(t.db, { ownerId: owner }))).toEqual({ 'hub_jobs_queued{endpoint,worker}': 1 })
    expect(await moved(() => putEndpoint(t.db, { ownerId: owner, status: 'running' }))).toEqual({
      'hub_jobs_running{endpoint}': 1,
    })
    const silent = { status: 'running', set: { heartbeat_at: ago(130) } } as const
    expect(await moved(() => putEndpoint(t.db, { ownerId: owner, ...silent }))).toEqual({
      'hub_jobs_running{endpoint}': 1,
      hub_endpoints_silent: 1,
    })
    const claimedLongAgo = { status: 'running', set: { heartbeat_at: null, claimed_at: ago(130) } } as const
    expect(await moved(() => putEndpoint(t.db, { ownerId: owner, ...claimedLongAgo }))).toEqual({
      'hub_jobs_running{endpoint}': 1,
      hub_endpoints_silent: 1,
    })
  })

  it('hosted calls count by state until they have ended', async () => {
    const call = (state: string) =>
      sql(
        `insert into hosted_calls (id, job_kind, job_id, backend, function_name, state, sealed_token, ended_at)
          values ($1, 'run', 'run_x', 'process', 'x', $2::"HostedCallState", case when $2 = 'pending' then 'x'::bytea end, case when $2 = 'ended' then now() end)`,
        [newId('run'), state],
      )
    expect(await moved(() => call('pending'))).toEqual({ 'hub_hosted_calls{pending}': 1 })
    expect(await moved(() => call('spawned'))).toEqual({ 'hub_hosted_calls{spawned}': 1 })
    expect(await moved(() => call('ended'))).toEqual({})
  })

  it('spend holds count while they wait, with the age of the oldest', async () => {
    expect(await moved(() => putHold(ago(750)))).toEqual({
      hub_spend_holds_pending: 1,
      hub_spend_holds_oldest_seconds: 700,
    })
    expect(await moved(() => putHold(ago(950), 'expired'))).toEqual({})
  })

  it('background jobs count once they are due, with how long that is', async () => {
    const send = (seconds: number, state = 'created') =>
      sql(
        `insert into pgboss.job (name, singleton_key, policy, state, start_after) values ('blob-verify', $1, 'short', $3::pgboss.job_state, $2)`,
        [newId('blob'), ago(seconds), state],
      )
    expect(await moved(() => send(250))).toEqual({
      'hub_background_jobs_waiting{blob-verify}': 1,
      'hub_background_jobs_behind_seconds{blob-verify}': 200,
    })
    // One that waits for its next try is not behind; one that is done is over.
    expect(await moved(() => send(-600))).toEqual({})
    expect(await moved(() => send(250, 'completed'))).toEqual({})
  })
})

describe('of sums', () => {
  it('storage and uploads are those of all accounts', async () => {
    const change = () =>
      sql(
        `insert into accounts (id, kind, handle, storage_bytes, reserved_bytes, pending_uploads) values
          ('user_a', 'user', 'sums-a', 5000000000000, 10, 2), ('user_b', 'user', 'sums-b', 7, 20, 3)`,
      )
    expect(await moved(change)).toEqual({
      'hub_storage_bytes{stored}': 5000000000007,
      'hub_storage_bytes{reserved}': 30,
      hub_uploads_pending: 5,
    })
  })

  it('spend is that of this month, by kind, corrections included', async () => {
    const entry = (kind: string, amount: string, at: string) =>
      sql(
        `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at)
          values ($1, $2, $3, $1, 1, 'gpu', 60, $4, ${at})`,
        [newId('led'), owner, kind, amount],
      )
    expect(await moved(() => entry('run', '1.5', 'now()'))).toEqual({ 'hub_spend_month_usd{run}': 1.5 })
    expect(await moved(() => entry('run', '-0.5', 'now()'))).toEqual({ 'hub_spend_month_usd{run}': -0.5 })
    expect(await moved(() => entry('robot_check', '0.25', 'now()'))).toEqual({
      'hub_spend_month_usd{robot_check}': 0.25,
    })
    expect(await moved(() => entry('endpoint_session', '2', 'now()'))).toEqual({
      'hub_spend_month_usd{endpoint_session}': 2,
    })
    const lastMonth = `date_trunc('month', now(), 'UTC') - interval '1 second'`
    expect(await moved(() => entry('run', '9', lastMonth))).toEqual({})
  })

  it('what jobs under way can still cost is reserved', async () => {
    const reserve = () =>
      sql(
        `insert into spend_reservations (job_id, job_kind, account_id, amount_usd, allowance) values ('run_r', 'run', $1, 3.25, false)`,
        [owner],
      )
    expect(await moved(reserve)).toEqual({ hub_spend_reserved_usd: 3.25 })
  })
})

describe('what a scrape costs', () => {
  it('does not grow with what has ended', async () => {
    const ended = `insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash, finished_at)
      select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'succeeded', 'worker', $1, 'x', 'act', '{}', repeat('a', 64), now() from generate_series(1, 8000) n`
    await sql(ended, [owner])
    const oldLedger = `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at)
      select 'led_' || n, $1, 'run', 'run_' || n, 1, 'gpu', 60, 1, now() - interval '70 days' from generate_series(1, 8000) n`
    await sql(oldLedger, [owner])
    await sql('vacuum analyze runs')
    await sql('vacuum analyze ledger')
    for (const { statement } of stateReadings) {
      for (const plan of await plansOf(t.db, statement.text, [])) {
        const large = plan.filter((node) => node['Actual Rows'] * node['Actual Loops'] > 4000)
        expect(large.map((node) => node['Node Type'])).toEqual([])
        const scanned = plan.filter(
          (node) => node['Node Type'] === 'Seq Scan' && ['runs', 'ledger'].includes(node['Relation Name'] ?? ''),
        )
        expect(scanned).toEqual([])
      }
    }
  })

  it('is bounded for a background queue of any length', async () => {
    await sql(
      `insert into pgboss.job (name, singleton_key, policy, state, start_after)
        select 'blob-verify', 'many-' || n, 'short', 'created', now() - interval '1 hour' from generate_series(1, ${MOST_COUNTED + 500}) n`,
    )
    expect((await read())['hub_background_jobs_waiting{blob-verify}']).toBe(MOST_COUNTED)
  })
})
