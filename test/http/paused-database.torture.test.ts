// @module-tag long
/** All processes of the embedded PostgreSQL are stopped while the hub is running: connections stay open, and nothing answers. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { type EventReader, readEvents } from '../support/event-stream.ts'
import { pause } from '../support/paused-processes.ts'

let dataDir: string
let hub: RunningHub
let token = ''
/** Ends the pause of a test that failed in it. */
let goOn: () => void = () => undefined

const settings = () =>
  readConfig({ PORT: '0', HUB_DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '0', DATABASE_POOL_MAX: '4' })
const start = () => startHub(settings(), pino({ level: 'silent' }))

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-paused-'))
  hub = await start()
  token = hub.operatorToken ?? ''
})

afterAll(async () => {
  goOn()
  await hub?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const patiently = { timeout: 100_000, interval: 50 }
/** What is promised is 5 s; a busy machine is given more. Without a limit nothing ends before the pause does. */
const PROMPT_MS = 60_000

async function pausing<T>(work: () => Promise<T>): Promise<T> {
  goOn = pause(Number.parseInt(await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10))
  try {
    return await work()
  } finally {
    goOn()
  }
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly replayed: boolean
  readonly json: ReturnType<typeof JSON.parse>
  readonly tookMs: number
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const began = performance.now()
  const answer = await fetch(new URL(path, hub.url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const json = text ? JSON.parse(text) : null
  return {
    status: answer.status,
    type: json?.type ?? json?.errors?.[0]?.extensions?.problem?.type ?? '',
    replayed: answer.headers.has('idempotent-replayed'),
    json,
    tookMs: performance.now() - began,
  }
}

const graphql = (query: string) => call('POST', '/graphql', { query })
const newRepo = (slug: string) => ({ kind: 'dataset', slug })
const sql = <T>(text: string, values: unknown[] = []) => hub.deps.db.query<T>({ name: '', text }, values)

/** It is ready again, without a restart. */
const recovered = () => expect.poll(async () => (await call('GET', '/readyz')).status, patiently).toBe(200)

/** The pool is whole: as many transactions as it has connections are open at the same time, and none is left on the server. */
async function poolIsWhole(): Promise<void> {
  await recovered()
  const { db } = hub.deps
  const all = Array.from({ length: hub.deps.config.databasePoolMax }, () => Promise.withResolvers<void>())
  const together = Promise.all(all.map(({ promise }) => promise))
  await Promise.all(
    all.map(({ resolve }) =>
      db.withTx(async (tx) => {
        await tx.query({ name: '', text: 'select 1' })
        resolve()
        await together
      }),
    ),
  )
  expect([db.pool.totalCount, db.pool.waitingCount]).toEqual([hub.deps.config.databasePoolMax, 0])
  const ours = `select count(*)::int as n from pg_stat_activity where application_name = 'hub'`
  await expect.poll(() => sql(ours), patiently).toEqual([{ n: hub.deps.config.databasePoolMax }])
}

/** A job is done once, by one worker. */
async function workIsDone(repoId: string): Promise<void> {
  const found = `select state::text, retry_count as retries from pgboss.job where data->>'repoId' = $1`
  await expect.poll(() => sql(found, [repoId]), patiently).toEqual([{ state: 'completed', retries: 0 }])
}

const enqueue = (repoId: string) => hub.deps.db.withTx((tx) => hub.deps.queue.send(tx, 'repo-purge', { repoId }))

/** A notification of another process reaches a watcher before its poll would. */
async function hintArrives(): Promise<void> {
  const { db, events } = hub.deps
  const listening = `select count(*)::int as n from pg_stat_activity
    where application_name = 'hub-events' and (query like 'listen%' or query like 'select pg_notify%')`
  await expect.poll(() => sql(listening), patiently).toEqual([{ n: 1 }])
  const ending = new AbortController()
  const seen = events.watch('topic', ending.signal)[Symbol.asyncIterator]()
  await seen.next()
  const second = seen.next()
  await db.query({ name: '', text: `select pg_notify('hub_events', 'topic')` })
  expect((await second).done).toBe(false)
  ending.abort()
  await seen.return?.()
}

describe('while the database is paused', () => {
  let repo = ''
  let run = ''
  let follower: EventReader
  beforeEach(async () => {
    repo = `hub/r${Date.now().toString(36)}`
    expect((await call('POST', '/v1/repos', newRepo(repo.slice(4)))).status).toBe(201)
    run = (await call('POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    expect((await call('POST', `/v1/runs/${run}/claim`, { worker: 'w' })).status).toBe(200)
    await call('POST', `/v1/runs/${run}/report`, { log_chunk: 'before\n' })
    follower = await readEvents(`${hub.url}/v1/runs/${run}/logs?follow=1`, token)
    await follower.until(1)
  })

  it('each kind of request is 503 in seconds, and the process is up but not ready', async () => {
    const requests: Record<string, () => Promise<Answer>> = {
      'a read': () => call('GET', `/v1/repos/${repo}`),
      'a list': () => call('GET', '/v1/runs'),
      'a read of Prisma': () => graphql('{ viewer { kind } apiKeys(first: 2) { nodes { id } } }'),
      'a write': () => call('POST', '/v1/repos', newRepo('never')),
      'a write under a key': () => call('POST', '/v1/repos', newRepo('never'), { 'idempotency-key': 'never' }),
      'a report': () => call('POST', `/v1/runs/${run}/report`, { log_chunk: 'meanwhile\n' }),
      'a new follower': () => call('GET', `/v1/runs/${run}/logs?follow=1`),
      'several mutations in a row': () =>
        graphql(
          `mutation { ${[1, 2, 3, 4, 5].map((n) => `m${n}: cancelRun(input: {runId: "${run}"}) { run { id } }`)} }`,
        ),
    }
    const answers = await pausing(async () => {
      const asked = Object.entries(requests).map(async ([name, ask]) => [name, await ask()] as const)
      const healthy = await call('GET', '/healthz')
      const ready = await call('GET', '/readyz')
      return { healthy, ready, all: await Promise.all(asked) }
    })
    expect([answers.healthy.status, answers.ready.status, answers.ready.json.database]).toEqual([200, 503, 'no answer'])
    const said = answers.all.map(([name, { status, type }]) => [name, status, type])
    expect(said).toEqual(Object.keys(requests).map((name) => [name, 503, '/problems/unavailable']))
    const longest = Math.max(answers.ready.tookMs, ...answers.all.map(([, { tookMs }]) => tookMs))
    expect(longest).toBeLessThan(PROMPT_MS)
    await poolIsWhole()
    expect(follower.events).toHaveLength(1)
    expect((await call('POST', `/v1/runs/${run}/report`, { log_chunk: 'after\n' })).status).toBe(200)
    expect((await follower.until(2)).at(-1)?.data.line).toBe('after')
    follower.close()
  })

  it('many more requests than the pool has connections end all, and none is kept waiting by another', async () => {
    const answers = await pausing(() =>
      Promise.all(Array.from({ length: 200 }, () => call('GET', `/v1/repos/${repo}`))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(PROMPT_MS)
    await poolIsWhole()
    expect((await call('GET', `/v1/repos/${repo}`)).status).toBe(200)
    follower.close()
  })

  it('a transaction in the middle of its work is rolled back', async () => {
    const { db } = hub.deps
    const failed = db.withTx(async (tx) => {
      await tx.query({ name: '', text: `update repos set description = 'lost' where id = any(select id from repos)` })
      await pausing(() => tx.query({ name: '', text: 'select 1' }))
    })
    await expect(failed).rejects.toMatchObject({ type: 'unavailable' })
    await poolIsWhole()
    expect(await sql(`select id from repos where description = 'lost'`)).toEqual([])
    follower.close()
  })

  it('a commit without an answer is 503, and the request can be repeated under its key', async () => {
    // The commit waits for a lock of the test: it has been sent and not been answered when the pause begins.
    await sql(`create function waits() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(77); return new; end $$`)
    await sql(`create constraint trigger waits after insert on repos deferrable initially deferred
      for each row execute function waits()`)
    const holding = await hub.deps.db.pool.connect()
    try {
      await holding.query('select pg_advisory_lock(77)')
      const asked = () => call('POST', '/v1/repos', newRepo('once'), { 'idempotency-key': 'a-key' })
      const first = asked()
      const committing = `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 77 and not granted`
      await expect.poll(() => sql(committing), patiently).toEqual([{ n: 1 }])
      const answer = await pausing(() => first)
      expect([answer.status, answer.type]).toEqual([503, '/problems/unavailable'])
      await recovered()
      const second = asked()
      await holding.query('select pg_advisory_unlock(77)')
      expect(await second).toMatchObject({ status: 201, replayed: true })
      expect(await sql(`select count(*)::int as n from repos where slug = 'once'`)).toEqual([{ n: 1 }])
    } finally {
      holding.release(true)
      await sql('drop trigger waits on repos')
      await sql('drop function waits')
    }
    follower.close()
  })

  it('background work and notifications continue afterwards, each job once', async () => {
    await pausing(async () => {
      await expect(enqueue('repo_never')).rejects.toMatchObject({ type: 'unavailable' })
    })
    await recovered()
    await enqueue('repo_afterwards')
    await workIsDone('repo_afterwards')
    expect(await sql(`select 1 from pgboss.job where data->>'repoId' = 'repo_never'`)).toEqual([])
    await hintArrives()
    follower.close()
  })

  it('a statement that takes long on a server that answers others is left to its own limit', async () => {
    expect(await sql('select pg_sleep(8)::text as slept')).toEqual([{ slept: '' }])
    follower.close()
  })
})

describe('a pause at the wrong moment', () => {
  it('of a hub that stops does not keep it', async () => {
    await pausing(() => hub.stop())
    hub = await start()
    expect((await call('GET', '/v1/me')).status).toBe(200)
  })

  it('of a hub that starts is one refusal', async () => {
    const url = hub.deps.db.pool.options.connectionString ?? ''
    const other = readConfig({
      PORT: '0',
      DATABASE_URL: url,
      HUB_SECRET: 'x'.repeat(32),
      HUB_DATA_DIR: join(dataDir, 'other'),
    })
    await pausing(async () => {
      await expect(startHub(other, pino({ level: 'silent' }))).rejects.toMatchObject({ type: 'unavailable' })
    })
  })
})
