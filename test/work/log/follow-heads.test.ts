/** Followers that wait for more of one log ask together how far it goes. */
import pino from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { runLog } from '../../../src/runs/log/run-log.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { type Events, openEvents } from '../../../src/store/events.ts'
import { followLog } from '../../../src/work/log/follow-log.ts'
import { JobLogs } from '../../../src/work/log/shared-logs.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let events: Events
let ada: AccountRef
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  events = openEvents({ url: t.url, log: pino({ level: 'silent' }), pollMs: 60_000 })
  ada = await world.user()
})
afterAll(async () => {
  await events?.close()
  await world?.close()
})

const withEvents = (ctx: RequestContext): RequestContext => ({ ...ctx, deps: { ...ctx.deps, events } })
const FOLLOWERS = 40
let asked = 0
const refused = async () => {
  asked += 1
  throw new Error('the database is away')
}

it('a report costs a few statements, however many followers it has', async () => {
  const runId = await putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: 'key_runner' })
  const runner = withEvents(world.as(ada, { kind: 'key', credentialId: 'key_runner' }))
  const seen = { lines: 0, ended: 0 }
  const follow = async () => {
    const options = { follow: true, tail: null, resume: null, stripAnsi: false, log: true, metrics: true }
    for await (const batch of await followLog(withEvents(world.as(ada)), runLog, runId, options)) {
      if (batch.kind === 'log') seen.lines += batch.lines.length
      if (batch.kind === 'end') seen.ended += 1
    }
  }
  const following = Promise.all(Array.from({ length: FOLLOWERS }, follow))
  await reportRun(runner, { runId, logChunk: 'first\n' })
  await expect.poll(() => seen.lines).toBe(FOLLOWERS)
  const statements = t.record()
  await reportRun(runner, { runId, logChunk: 'second\n' })
  await expect.poll(() => seen.lines).toBe(2 * FOLLOWERS)
  // The connection that listens may have come just now, which wakes all of them once more.
  const counted = (pattern: RegExp) => statements.filter((text) => pattern.test(text)).length
  expect(counted(/as "logSeq".*any\(/s)).toBeOneOf([1, 2])
  expect(counted(/from run_log_chunks/)).toBe(1)
  await reportRun(runner, { runId, status: 'succeeded' })
  await following
  expect(seen.ended).toBe(FOLLOWERS)
})

it('followers that come back at different moments share the read that began after their hint', async () => {
  const runId = await putRun(t.db, { ownerId: ada.id, status: 'running' })
  const logs = new JobLogs({ db: t.db, objects: null })
  const statements = t.record()
  const hintAt = performance.now()
  const first = await logs.head(runLog, runId, hintAt)
  await new Promise((resolve) => setImmediate(resolve))
  expect(await logs.head(runLog, runId, hintAt)).toBe(first)
  expect(statements).toHaveLength(1)
  // Woken again after that read began.
  expect(await logs.head(runLog, runId, performance.now())).toEqual(first)
  expect(statements).toHaveLength(2)
  // A read that failed is not kept.
  const broken = new JobLogs({ db: Object.create(t.db, { query: { value: refused } }), objects: null })
  await expect(broken.head(runLog, runId, hintAt)).rejects.toThrow('away')
  await expect(broken.head(runLog, runId, hintAt)).rejects.toThrow('away')
  expect(asked).toBe(2)
})

it('rights that cannot be checked end no stream, and nothing is sent before they are', async () => {
  const runId = await putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: 'key_runner' })
  const runner = withEvents(world.as(ada, { kind: 'key', credentialId: 'key_runner' }))
  const follower = withEvents(world.as(ada, { kind: 'session', credentialId: 'ses_gone' }))
  const outage = { asked: 0, isOver: false }
  const db = new Proxy(follower.deps.db, {
    get(target, name) {
      if (name !== 'query' || outage.isOver) return Reflect.get(target, name)
      return () => {
        outage.asked += 1
        return Promise.reject(new Error('the database is away'))
      }
    },
  })
  const lines: string[] = []
  const later = vi.spyOn(performance, 'now')
  const options = { follow: true, tail: null, resume: null, stripAnsi: false, log: true, metrics: false }
  const following = (async () => {
    const batches = await followLog(follower, runLog, runId, options)
    for await (const batch of batches) if (batch.kind === 'log') lines.push(...batch.lines)
  })()
  await reportRun(runner, { runId, logChunk: 'first\n' })
  await expect.poll(() => lines).toEqual(['first'])
  // Half a minute later the rights are looked up, of a database that is away.
  Object.assign(follower.deps, { db })
  const { now } = Date
  later.mockImplementation(() => now() + 60_000)
  await reportRun(runner, { runId, logChunk: 'second\n' })
  await expect.poll(() => outage.asked).toBeGreaterThan(0)
  expect(lines).toEqual(['first'])
  outage.isOver = true
  await reportRun(runner, { runId, status: 'succeeded' })
  // The session is none that the hub knows: the first look that is answered ends the stream.
  await following
  expect(lines).toEqual(['first'])
  later.mockRestore()
})
