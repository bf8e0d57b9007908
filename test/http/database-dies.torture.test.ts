/** The embedded PostgreSQL is killed while the hub is running. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'

let dataDir: string
let hub: RunningHub

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-dies-'))
  hub = await startHub(readConfig({ PORT: '0', HUB_DATA_DIR: dataDir }), pino({ level: 'silent' }))
})

afterAll(async () => {
  await hub?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const serverPid = async () => Number.parseInt(await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10)
const patiently = { timeout: 100_000, interval: 50 }

async function ready(): Promise<{ status: number; body: { status: string; database: string } }> {
  const answer = await fetch(`${hub.url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as { status: string; database: string } }
}

/** Enqueues a job and waits until a worker has finished it. */
async function workIsDone(): Promise<void> {
  const { db, queue } = hub.deps
  const repoId = `repo_${Math.random()}`
  await db.withTx((tx) => queue.send(tx, 'repo-purge', { repoId }))
  const found = { name: '', text: `select state::text from pgboss.job where data->>'repoId' = $1` }
  await expect.poll(() => db.query(found, [repoId]), patiently).toEqual([{ state: 'completed' }])
}

/** Checks that a notification of another process reaches a watcher before its poll would. */
async function hintArrives(): Promise<void> {
  const { db, events } = hub.deps
  const listening = {
    name: '',
    text: `select count(*)::int as n from pg_stat_activity where application_name = 'hub-events' and query like 'listen%'`,
  }
  await expect.poll(() => db.query(listening), patiently).toEqual([{ n: 1 }])
  const ending = new AbortController()
  const seen = events.watch('topic', ending.signal)[Symbol.asyncIterator]()
  await seen.next()
  const second = seen.next()
  await db.query({ name: '', text: `select pg_notify('hub_events', 'topic')` })
  expect((await second).done).toBe(false)
  ending.abort()
  await seen.return?.()
}

it.each(['SIGKILL', 'SIGQUIT', 'SIGINT'] as const)(
  'restarts after %s: 503 meanwhile, then 200, with its listener and jobs',
  async (signal) => {
    expect((await ready()).status).toBe(200)
    const pid = await serverPid()
    const statuses = new Set<string>()
    process.kill(pid, signal)
    await expect
      .poll(async () => {
        const { status, body } = await ready()
        statuses.add(`${status} ${body.database}`)
        return statuses.has('503 no answer') && status
      }, patiently)
      .toBe(200)
    expect([...statuses].every((said) => said === '503 no answer' || said === '200 ok')).toBe(true)
    expect(await serverPid()).not.toBe(pid)
    const me = await fetch(`${hub.url}/v1/me`, { headers: { authorization: `Bearer ${hub.operatorToken}` } })
    expect(me.status).toBe(200)
    await workIsDone()
    await hintArrives()
  },
)

it('recovers after a backend is killed, which makes the server restart itself', async () => {
  const { db } = hub.deps
  const present = {
    name: '',
    text: `select a.pid from pg_stat_activity a join pg_locks l using (pid)
      where a.application_name = 'hub presence' and l.locktype = 'advisory' and l.objid = 4801501 and l.granted`,
  }
  const presentPid = async () => (await db.query<{ pid: number }>(present).catch(() => []))[0]?.pid ?? 0
  // The hub may still be coming back from the test before; and 0 would be the process group of this one.
  await expect.poll(presentPid, patiently).toBeGreaterThan(1)
  const before = await presentPid()
  expect(before).toBeGreaterThan(1)
  process.kill(before, 'SIGKILL')
  await expect.poll(async () => (await presentPid()) || before, patiently).not.toBe(before)
  await workIsDone()
})

it('is stopped with the hub and not restarted', async () => {
  const pid = await serverPid()
  await hub.stop()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
