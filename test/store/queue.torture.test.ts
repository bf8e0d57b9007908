import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, test } from 'vitest'
import { z } from 'zod'
import type { Deps } from '../../src/operation/context.ts'
import { type JobDefinition, openQueue, type QueueHandle } from '../../src/store/queue.ts'
import { isJobHere } from '../../src/store/statement-time.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
const timings = { heartbeatSeconds: 10, monitorSeconds: 1, retryDelaySeconds: 1, pollSeconds: 0.5 }
const soon = { timeout: 100_000, interval: 50 }

let world: World
let queue: QueueHandle

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
})
afterEach(() => queue.stop())
afterAll(() => world.close())

function jobOf(name: string, handler: JobDefinition<Deps>['handler']): JobDefinition<Deps> {
  return {
    name,
    input: z.object({ n: z.number() }),
    expireSeconds: 60,
    retryLimit: 2,
    concurrency: 1,
    handler,
  }
}

const open = (...jobs: JobDefinition<Deps>[]) => openPolling(timings, ...jobs)

async function openPolling(how: typeof timings, ...jobs: JobDefinition<Deps>[]): Promise<void> {
  queue = await openQueue({ url: t.url, log: world.deps.log, timings: how })
  await queue.work(jobs, world.deps)
}

const send = (job: string, n: number, singletonKey?: string) =>
  t.db.withTx((tx) => queue.send(tx, job, { n }, singletonKey === undefined ? {} : { singletonKey }))

const rows = (job: string) => world.sql<{ state: string }>('select state::text from pgboss.job where name = $1', [job])

it('a job exists if its transaction commits, and never if it rolls back', async () => {
  const done: unknown[] = []
  await open(jobOf('commit', async (input) => void done.push(isJobHere() ? input : 'without the time of a job')))
  await t.db
    .withTx(async (tx) => {
      await queue.send(tx, 'commit', { n: 1 })
      throw new Error('no')
    })
    .catch(() => undefined)
  expect(await rows('commit')).toEqual([])
  await send('commit', 2)
  await expect.poll(() => done, soon).toEqual([{ n: 2 }])
})

it('a start writes of what is declared only what is new or differs', async () => {
  const named = (name: string) => jobOf(name, async () => undefined)
  const written = () =>
    world.sql<{ name: string; at: Date; limit: number; cron: string | null }>(
      `select q.name, greatest(q.updated_on, s.updated_on) as at, retry_limit as limit, s.cron
       from pgboss.queue q left join pgboss.schedule s on s.name = q.name
       where q.name like 'declared-%' order by q.name`,
    )
  queue = await openQueue({ url: t.url, log: world.deps.log, timings })
  await queue.declare([named('declared-a'), { ...named('declared-b'), cron: '29 3 * * *' }])
  const first = await written()
  expect(first).toMatchObject([
    { name: 'declared-a', limit: 2, cron: null },
    { name: 'declared-b', limit: 2, cron: '29 3 * * *' },
  ])
  await queue.declare([named('declared-a'), { ...named('declared-b'), cron: '29 3 * * *' }])
  expect(await written()).toEqual(first)
  await queue.declare([
    { ...named('declared-a'), retryLimit: 4 },
    { ...named('declared-b'), cron: '30 3 * * *' },
  ])
  const changed = await written()
  expect(changed).toMatchObject([
    { limit: 4, cron: null },
    { limit: 2, cron: '30 3 * * *' },
  ])
  expect(changed.map(({ at }, n) => at > (first[n]?.at ?? at))).toEqual([true, true])
})

it('a job does not wait for the next poll of the process that enqueued it', async () => {
  const done: unknown[] = []
  await openPolling(
    { ...timings, pollSeconds: 600 },
    jobOf('woken', async (input) => void done.push(input)),
  )
  await send('woken', 1)
  await expect.poll(() => done, soon).toEqual([{ n: 1 }])
  await send('woken', 2)
  await expect.poll(() => done, soon).toEqual([{ n: 1 }, { n: 2 }])
})

it('jobs that another process enqueued wake every worker of their kind', async () => {
  const both = Promise.withResolvers<void>()
  let running = 0
  const together = async () => {
    running += 1
    if (running === 2) both.resolve()
    await both.promise
  }
  await open({ ...jobOf('abroad', together), concurrency: 2 })
  const other = await openQueue({ url: t.url, log: world.deps.log, timings })
  try {
    await t.db.withTx(async (tx) => {
      await other.send(tx, 'abroad', { n: 1 })
      await other.send(tx, 'abroad', { n: 2 })
    })
    await expect.poll(() => rows('abroad'), soon).toEqual([{ state: 'completed' }, { state: 'completed' }])
  } finally {
    await other.stop()
  }
})

it('of waiting jobs with the same key one is kept; without a key all are', async () => {
  const gate = Promise.withResolvers<void>()
  const done: number[] = []
  await open(
    jobOf('folded', async (input) => {
      await gate.promise
      done.push(z.object({ n: z.number() }).parse(input).n)
    }),
  )
  await send('folded', 1, 'repo')
  await expect.poll(() => rows('folded'), soon).toEqual([{ state: 'active' }])
  await send('folded', 2, 'repo')
  await send('folded', 3, 'repo')
  await send('folded', 4)
  await send('folded', 5)
  const several = [3, 6, 7].map((n) => ({ input: { n }, singletonKey: n === 3 ? 'repo' : 'other' }))
  await t.db.withTx((tx) => queue.sendAll(tx, 'folded', several))
  gate.resolve()
  await expect.poll(() => done.toSorted(), soon).toEqual([1, 2, 4, 5, 6])
  await expect.poll(async () => (await rows('folded')).every(({ state }) => state === 'completed'), soon).toBe(true)
})

it('a job that fails is retried', async () => {
  let attempts = 0
  await open(
    jobOf('flaky', async () => {
      attempts += 1
      if (attempts === 1) throw new Error('the first time it fails')
    }),
  )
  await send('flaky', 1)
  await expect.poll(() => rows('flaky'), soon).toEqual([{ state: 'completed' }])
  expect(attempts).toBe(2)
})

it('a stop waits for the running job', async () => {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let finished = false
  await open(
    jobOf('slow', async () => {
      started.resolve()
      await gate.promise
      finished = true
    }),
  )
  await send('slow', 1)
  await started.promise
  const stopped = queue.stop()
  gate.resolve()
  await stopped
  expect(finished).toBe(true)
  expect(await rows('slow')).toEqual([{ state: 'completed' }])
})

it('two hubs that start at once create the queue once', async () => {
  await world.sql('drop schema pgboss cascade')
  const opened = await Promise.all([1, 2].map(() => openQueue({ url: t.url, log: world.deps.log, timings })))
  const [first, second] = opened
  if (!first || !second) throw new Error('Two were opened.')
  queue = first
  await Promise.all(opened.map((one) => one.work([jobOf('shared', async () => undefined)], world.deps)))
  await send('shared', 1)
  await expect.poll(() => rows('shared'), soon).toEqual([{ state: 'completed' }])
  await second.stop()
})

test('the job of a killed process is recovered', async () => {
  const store = join(import.meta.dirname, '../../src/store/queue.ts')
  const script = `const { openQueue } = await import(${JSON.stringify(store)})
      const { z } = await import('zod')
      const log = { warn() {}, debug() {}, error() {}, child() { return log } }
      const queue = await openQueue({ url: ${JSON.stringify(t.url)}, log, timings: ${JSON.stringify(timings)} })
      const handler = () => { process.stdout.write('started'); return new Promise(() => {}) }
      const job = { name: 'killed', input: z.object({ n: z.number() }), expireSeconds: 60, retryLimit: 2, concurrency: 1, handler }
      await queue.work([job], { log })`
  queue = await openQueue({ url: t.url, log: world.deps.log, timings })
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    // The child declares the queue; before that nothing can be sent.
    await expect
      .poll(
        () =>
          send('killed', 7)
            .then(() => true)
            .catch(() => false),
        soon,
      )
      .toBe(true)
    await once(child.stdout, 'data')
  } finally {
    child.kill('SIGKILL')
  }
  const done: unknown[] = []
  await queue.work([jobOf('killed', async (input) => void done.push(input))], world.deps)
  expect(done).toEqual([])
  await expect.poll(() => done, { interval: 100 }).toEqual([{ n: 7 }])
})
