/** A kind of job without a lease, attempts of its own or metrics: what the kernel does for it that runs, which have all three, cannot show. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { guarded } from '../../src/operation/commit-verb.ts'
import type { AccountRef, Credentialed, RequestContext } from '../../src/operation/context.ts'
import { notFound } from '../../src/platform/errors.ts'
import { column } from '../../src/store/columns.ts'
import { param, statement } from '../../src/store/statement.ts'
import { claimJob } from '../../src/work/claim.ts'
import { claimNext } from '../../src/work/claim-next.ts'
import { heldJobColumns, isClaimer } from '../../src/work/held-job.ts'
import type { JobKind } from '../../src/work/job-kind.ts'
import { deadlineSqlOf, limitReached } from '../../src/work/limits.ts'
import { followLog } from '../../src/work/log/follow-log.ts'
import { headColumns, type JobLog } from '../../src/work/log/job-log.ts'
import { addNotice } from '../../src/work/log/write-chunks.ts'
import { askToStop, endCanceled } from '../../src/work/stop.ts'
import { sweepDue, sweepOf } from '../../src/work/sweep.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World } from '../support/world.ts'

const errand: JobKind = {
  name: 'errand',
  noun: 'errand',
  idPrefix: 'run',
  statusType: 'JobStatus',
  table: 'errands',
  listedSql: (alias) => `${alias}.repo_id = any(:repoIds::text[])`,
  lease: null,
}

const held = heldJobColumns.with({ maxHours: column.float8('u.max_hours::float8'), now: column.timestamptz('now()') })
const byId = statement({
  name: 'errand-by-id',
  columns: held,
  params: { jobId: param.text() },
  text: `select ${held.sql} from errands u where u.id = :jobId`,
})

const deadlineSql = deadlineSqlOf('u.max_hours * 3600')
const limited = held.with({ deadlineAt: column.timestamptz.orNull(deadlineSql) })

/** Time is its one limit: nothing of it is priced. */
const sweep = sweepOf<ReturnType<typeof limited.toRow>>({
  job: errand,
  columns: limited,
  dueSql: `u.cancel_requested_at is null and ${deadlineSql} <= now()`,
  async sweep(_deps, tx, job) {
    const limit = limitReached('errand', { ...job, priced: false, budgetUsd: null }, '0.0000')
    if (limit) await askToStop(tx, errand, job.id, limit.reason)
    return limit !== null
  },
})

const heads = headColumns({ metrics: null })
const headById = statement({
  name: 'errand-head',
  columns: heads,
  params: { jobId: param.text() },
  text: `select ${heads.sql} from errands u where u.id = :jobId`,
})
const log: JobLog = {
  job: errand,
  chunks: { table: 'errand_chunks', jobId: 'errand_id' },
  async findHead({ deps }, _viewer, jobId) {
    const [head] = await deps.db.query(headById, { jobId })
    if (!head) throw notFound('The errand')
    return head
  },
  metrics: null,
}

const t = testDb()
let world: World
let ada: AccountRef
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  await world.sql(`create table errands (id text primary key, owner_id text, filed_by text default 'key_filer', repo_id text,
    status text not null default 'queued', executor text not null default 'worker', attempt int not null default 0, claimed_by text,
    claim_credential text, claimed_at timestamptz, started_at timestamptz, heartbeat_at timestamptz, hosted_call_id text, hosted_credential text,
    cancel_requested_at timestamptz, stop_reason text, finished_at timestamptz, cost_usd numeric, max_hours numeric, log_seq int not null default 0,
    log_lines bigint not null default 0, log_bytes bigint not null default 0, log_open_from int, log_open_bytes int, log_first int, updated_at timestamptz)`)
  await world.sql(`create table errand_chunks (errand_id text, seq int, attempt int, stream text, storage_key text, text text, byte_count int,
    line_count int, first_line bigint, line_from int, at timestamptz, primary key (errand_id, seq))`)
})
afterAll(() => world?.close())

let made = 0
async function put(given: Readonly<Record<string, unknown>> = {}): Promise<string> {
  made += 1
  const row = { id: `errand_${String(made).padStart(4, '0')}`, owner_id: ada.id, ...given }
  const places = Object.keys(row).map((_, place) => `$${place + 1}`)
  await world.sql(
    `insert into errands (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  )
  return row.id
}

const by = (credentialId: string, more: Partial<Credentialed> = {}) =>
  world.as(ada, { kind: 'key', credentialId, ...more })
const claim = (ctx: RequestContext, jobId: string, credentialId: string) =>
  t.db.withTx((tx) => claimJob(ctx, tx, errand, { jobId, worker: 'box', credentialId, leaseSeconds: 1 }))
const heldNow = async (jobId: string) => {
  const [job] = await t.db.query(byId, { jobId })
  if (!job) throw new Error(`There is no ${jobId}.`)
  return job
}

it('is claimed by one of many, and fenced by its credential and attempt', async () => {
  const jobId = await put()
  const credentials = Array.from({ length: 8 }, (_, n) => `key_${n}`)
  const claims = await Promise.all(credentials.map((credentialId) => claim(by(credentialId), jobId, credentialId)))
  expect(claims.filter((claimed) => claimed !== null)).toEqual([{ attempt: 1, ownerId: ada.id }])
  const job = await heldNow(jobId)
  const winner = credentials[claims.findIndex((claimed) => claimed !== null)] ?? ''
  expect(credentials.filter((credentialId) => isClaimer(job, { credentialId }))).toEqual([winner])
  expect(isClaimer(job, { credentialId: winner, attempt: 2 })).toBe(false)
})

it('of a hosted call is claimed by the key of that call alone', async () => {
  const jobId = await put({ executor: 'hosted', hosted_credential: 'key_call' })
  expect(await claim(by('key_other'), jobId, 'key_other')).toBeNull()
  expect(await claim(by('key_call'), jobId, 'key_call')).toMatchObject({ attempt: 1 })
})

it('stays with a worker that has died, however long ago, while a limit of its own is kept by the sweep', async () => {
  const long = { status: 'running', claimed_at: '2020-01-01', heartbeat_at: '2020-01-01', claimed_by: 'box' }
  const [dead, over] = [await put(long), await put({ ...long, max_hours: 1 })]
  expect(await sweepDue(world.deps, sweep)).toBe(1)
  expect(await heldNow(dead)).toMatchObject({ status: 'running', claimedBy: 'box', cancelRequestedAt: null })
  expect(await heldNow(over)).toMatchObject({ status: 'running', cancelRequestedAt: expect.any(String) })
  expect(await sweepDue(world.deps, sweep)).toBe(0)
})

it('is handed out oldest first, to a limited key only what it filed and what its repos concern', async () => {
  await world.sql(`update errands set status = 'done'`)
  const [hidden, listed, filed] = [
    await put({ repo_id: 'repo_1' }),
    await put({ repo_id: 'repo_2' }),
    await put({ filed_by: 'key_limited' }),
  ]
  const next = (credentialId: string, repoIds: readonly string[] | null) => {
    const ctx = by(credentialId, { repoIds })
    return guarded(
      ctx,
      () => ctx.viewer as Credentialed,
      (allowed, credential) =>
        claimNext(allowed, errand, { credential, waitS: 0 }, async (tx, jobId) =>
          (await claimJob(allowed, tx, errand, { jobId, worker: 'box', credentialId, leaseSeconds: 1 }))
            ? { jobId }
            : null,
        ),
    )
  }
  expect(await next('key_limited', ['repo_2'])).toEqual({ jobId: listed })
  expect(await next('key_limited', ['repo_2'])).toEqual({ jobId: filed })
  expect(await next('key_limited', ['repo_2'])).toBeNull()
  expect(await next('key_any', null)).toEqual({ jobId: hidden })
})

it('has a log without metrics, also for a follower who asks for both', async () => {
  const jobId = await put()
  await t.db.withTx(async (tx) => {
    await addNotice(tx, log, jobId, 'One thing.')
    await addNotice(tx, log, jobId, 'Another.')
    await endCanceled(tx, errand, jobId, { status: 'canceled', costUsd: '0.0000' })
  })
  const options = { follow: true, tail: null, resume: null, stripAnsi: false, log: true, metrics: true }
  const batches = []
  for await (const batch of await followLog(world.as(ada), log, jobId, options)) batches.push(batch)
  expect(batches).toMatchObject([
    { kind: 'log', stream: 'stderr', lines: ['One thing.'] },
    { kind: 'log', stream: 'stderr', lines: ['Another.'] },
    { kind: 'end', status: 'canceled', after: { chunk: 2, line: 1, metric: 0 } },
  ])
})
