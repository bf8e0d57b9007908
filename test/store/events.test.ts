import pg from 'pg'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { type Events, openEvents } from '../../src/store/events.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const log = pino({ level: 'silent' })
const soon = { timeout: 100_000, interval: 20 }
/** Longer than a test takes: what wakes a watcher is then no poll. */
const NO_POLL_MS = 600_000

const opened: Events[] = []
const stop = new Set<AbortController>()

function open(pollMs = NO_POLL_MS): Events {
  const events = openEvents({ url: t.url, log, pollMs })
  opened.push(events)
  return events
}

afterEach(async () => {
  for (const controller of stop) controller.abort()
  stop.clear()
  await Promise.all(opened.splice(0).map((events) => events.close()))
})

/** Counts the looks of one watcher. */
function watching(events: Events, topics: string | readonly string[]) {
  const controller = new AbortController()
  stop.add(controller)
  const seen = { looks: 0, ended: false, controller }
  void (async () => {
    for await (const _ of events.watch(topics, controller.signal)) seen.looks += 1
    seen.ended = true
  })()
  return seen
}

const listeners = async () =>
  (
    await t.db.query<{ pid: number }>({
      name: '',
      text: `select pid from pg_stat_activity where datname = current_database() and application_name = 'hub-events' and query ilike 'listen%' and state = 'idle'`,
    })
  ).map(({ pid }) => pid)

test('a hint wakes the watchers of its topic in every hub, and no other', async () => {
  const [here, there] = [open(), open()]
  const [mine, theirs, other] = [watching(here, 'repo_1'), watching(there, 'repo_1'), watching(there, 'repo_2')]
  await expect.poll(async () => (await listeners()).length, soon).toBe(2)
  await expect.poll(() => other.looks, soon).toBeGreaterThan(0)
  const before = [mine.looks, theirs.looks, other.looks]
  here.hint('repo_1')
  await expect.poll(() => mine.looks, soon).toBeGreaterThan(before[0] ?? 0)
  await expect.poll(() => theirs.looks, soon).toBeGreaterThan(before[1] ?? 0)
  expect(other.looks).toBe(before[2])
})

test('a hint wakes the watchers of its own hub once: what comes back from the database is not heard', async () => {
  const [here, there] = [open(60_000), open(60_000)]
  await expect.poll(async () => (await listeners()).length, soon).toBe(2)
  const [mine, theirs] = [watching(here, 'repo_1'), watching(there, 'repo_1')]
  // A connection that is new wakes them too, and both are there once one hears of the other.
  here.hint('repo_1')
  await expect.poll(() => theirs.looks, soon).toBeGreaterThan(1)
  await expect.poll(() => mine.looks, soon).toBeGreaterThan(1)
  await new Promise((resolve) => setImmediate(resolve))
  const before = [mine.looks, theirs.looks]
  for (let n = 1; n < 4; n += 1) {
    here.hint('repo_1')
    await expect.poll(() => [mine.looks, theirs.looks], soon).toEqual(before.map((looks) => looks + n))
  }
})

test('equal hints within a moment are sent once', async () => {
  const events = open()
  await expect.poll(async () => (await listeners()).length, soon).toBe(1)
  const client = await t.db.pool.connect()
  const heard: (string | undefined)[] = []
  client.on('notification', ({ payload }) => heard.push(payload))
  await client.query('listen hub_events')
  for (let i = 0; i < 10; i += 1) events.hint('repo_1')
  events.hint('repo_2')
  await expect.poll(() => heard, soon).toEqual(['repo_1', 'repo_2'])
  client.release(true)
})

test('a watcher is registered before its first read: a hint during that read is not lost', async () => {
  const events = open()
  const controller = new AbortController()
  const looks = events.watch('repo_1', controller.signal)[Symbol.asyncIterator]()
  await looks.next()
  events.hint('repo_1')
  expect(await looks.next()).toMatchObject({ done: false })
  controller.abort()
  expect(await looks.next()).toMatchObject({ done: true })
})

test('a lost connection is reopened, wakes every watcher once, and receives hints again', async () => {
  const [here, there] = [open(), open()]
  const watcher = watching(there, 'repo_1')
  await expect.poll(async () => (await listeners()).length, soon).toBe(2)
  const lost = await listeners()
  const before = watcher.looks
  await t.db.query({ name: '', text: 'select pg_terminate_backend(pid) from unnest($1::int[]) pid' }, [lost])
  await expect.poll(async () => (await listeners()).filter((pid) => !lost.includes(pid)).length, soon).toBe(2)
  await expect.poll(() => watcher.looks, soon).toBeGreaterThan(before)
  const after = watcher.looks
  here.hint('repo_1')
  await expect.poll(() => watcher.looks, soon).toBeGreaterThan(after)
})

test('without any hint a watcher polls', async () => {
  const watcher = watching(open(50), 'repo_1')
  await expect.poll(() => watcher.looks, soon).toBeGreaterThan(3)
})

test('a watch ends with its signal, even if that is already aborted, and with the hub', async () => {
  const events = open()
  const [first, second] = [watching(events, 'repo_1'), watching(events, 'repo_1')]
  first.controller.abort()
  await expect.poll(() => first.ended, soon).toBe(true)
  expect(second.ended).toBe(false)
  await events.close()
  await expect.poll(() => second.ended, soon).toBe(true)
  const late = watching(open(), 'repo_1')
  late.controller.abort()
  await expect.poll(() => late.ended, soon).toBe(true)
})

test('a hint that cannot be sent throws nothing and wakes the watchers of its own process', async () => {
  const events = openEvents({ url: 'postgresql://hub@127.0.0.1:1/hub', log, pollMs: NO_POLL_MS })
  opened.push(events)
  const watcher = watching(events, 'repo_1')
  await expect.poll(() => watcher.looks, soon).toBe(1)
  events.hint('repo_1')
  await expect.poll(() => watcher.looks, soon).toBe(2)
})

test('a watcher of several topics reads after a hint for any of them', async () => {
  const events = open()
  const watcher = watching(events, ['repo_1', 'repo_2'])
  await expect.poll(async () => (await listeners()).length, soon).toBe(1)
  for (const topic of ['repo_1', 'repo_2']) {
    const before = watcher.looks
    events.hint(topic)
    await expect.poll(() => watcher.looks, soon).toBeGreaterThan(before)
  }
  watcher.controller.abort()
  await expect.poll(() => watcher.ended, soon).toBe(true)
})

test('watchers of one topic poll in the same turn, whenever they started', async () => {
  const events = open(200)
  const first = watching(events, 'repo_1')
  // The connection that listens would wake both when it comes.
  await expect.poll(async () => (await listeners()).length, soon).toBe(1)
  const second = watching(events, 'repo_1')
  await vi.waitUntil(() => second.looks > 0, { timeout: 100_000, interval: 1 })
  const begun = [first.looks, second.looks] as const
  await vi.waitUntil(() => first.looks > begun[0], { timeout: 100_000, interval: 1 })
  expect(second.looks).toBe(begun[1] + 1)
})

test('hints are sent one statement at a time, from before the connection is there', async () => {
  const original = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>
  const active = new Map<unknown, number>()
  let most = 0
  let sent = 0
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...args: unknown[]) {
    const answer = original.apply(this, args)
    if (!/hub_events/.test(String(args[0]))) return answer
    const count = (active.get(this) ?? 0) + 1
    active.set(this, count)
    most = Math.max(most, count)
    sent += 1
    return answer.finally(() => active.set(this, (active.get(this) ?? 1) - 1))
  } as never)
  const sending = setInterval(() => here.hint(`repo_${Math.random()}`), 1)
  const here = open()
  try {
    const there = watching(open(), 'repo_last')
    await expect.poll(() => there.looks, soon).toBeGreaterThan(0)
    const before = there.looks
    await expect
      .poll(() => {
        here.hint('repo_last')
        return there.looks
      }, soon)
      .toBeGreaterThan(before)
    await expect.poll(() => sent, soon).toBeGreaterThan(5)
    expect(most).toBe(1)
  } finally {
    clearInterval(sending)
    spy.mockRestore()
  }
})
