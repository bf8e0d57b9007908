// @module-tag long
/** A hub, of one process or of two, that is killed while runners report and others follow: started again, it has everything that it acknowledged, once and in order. */
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomFrom } from '@hub/testing/random'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startThrowawayHub, type ThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { addUser } from '../../src/accounts/accounts.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from '../support/database.ts'
import { followEvents, followGraph, type Seen } from '../support/returning-follower.ts'
import { type Acknowledged, type Guard, type HubPlace, simulateRunner } from '../support/simulated-runner.ts'
import { untilServing, workersOf } from '../support/worker-processes.ts'

const database = testDb()
const log = pino({ level: 'silent' })
const RUNS = 20
const REPORTS = 15
const FOLLOWED = 5
/** `HUB_TEST_SEED` repeats a run of this file, as far as its timing allows. */
const seed = Number(process.env.HUB_TEST_SEED ?? randomInt(2 ** 31))
const random = seededRandom(seed)
let dataDir: string
let settings: { DATABASE_URL: string; HUB_SECRET: string; [name: string]: string }
let hub: ThrowawayHub | undefined
let token: string
const place: HubPlace = { url: '' }

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-killed-'))
  settings = {
    DATABASE_URL: database.url,
    HUB_SECRET: randomBytes(32).toString('hex'),
    HUB_DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
  }
  const auth = await openAuth({ config: readConfig(settings), log, db: database.db, secret: settings.HUB_SECRET })
  token = await database.db.withTx(async (tx) => {
    const user = await addUser(tx, noViewer, { handle: 'trainer' })
    return (await openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })).token
  })
  await auth.close()
})
afterAll(async () => {
  await hub?.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function call(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${place.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect([response.status, text]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)])
  return text.startsWith('{') ? JSON.parse(text) : text
}

async function claimedRun(): Promise<string> {
  const { id } = await call('POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
  await call('POST', `/v1/runs/${id}/claim`, { worker: 'box' })
  return id
}

async function startHub(workers: number): Promise<ThrowawayHub> {
  const started = await startThrowawayHub({ ...settings, WORKERS: String(workers) })
  hub = started
  place.url = started.url
  return started
}

/** A connection of its own: one that is kept would ask the same process each time. */
const scrape = (url: string) =>
  fetch(`${url}/metrics`, { headers: { connection: 'close' } }).then((answer) => answer.text())

/** As a power cut would end it: all its processes at once, the one that would replace others first. */
async function killHub({ pid, close }: ThrowawayHub): Promise<void> {
  for (const each of [pid, ...workersOf(pid)]) killNow(each)
  await close()
  // Keys of requests that died with it are free after a minute, which has passed now.
  await database.db.query({
    name: '',
    text: `update idempotency_keys set started_at = started_at - interval '1 minute' where result is null`,
  })
}

/** One that has just ended by itself is as good. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const title = `loses, duplicates and reorders nothing of 20 runs and 10 followers when its %i processes are killed (seed ${seed})`

it.each([1, 2])(title, { timeout: 600_000 }, async (workers) => {
  const first = await startHub(workers)
  if (workers > 1) await untilServing(workers, () => scrape(first.url))
  const runIds = await Promise.all(Array.from({ length: RUNS }, claimedRun))
  const killAfter = Math.floor(RUNS * REPORTS * (0.1 + 0.6 * random()))
  let acknowledged = 0
  const reached = Promise.withResolvers<void>()
  const onAcknowledged = () => {
    acknowledged += 1
    // One of several dies first: the others go on, and it is replaced.
    if (workers > 1 && acknowledged === Math.floor(killAfter / 2)) killNow(oneOf(workersOf(first.pid)))
    if (acknowledged === killAfter) reached.resolve()
  }
  const guards: Guard[] = ['numbers', 'key', 'both']
  const reporting = Promise.all(
    runIds.map((runId, at) => {
      const guard = guards[at % guards.length] ?? 'both'
      const own = { hub: place, token, runId, guard, reports: REPORTS, onAcknowledged }
      return simulateRunner({ ...own, random: seededRandom(seed + at + 1) })
    }),
  )
  const followed = runIds.slice(0, FOLLOWED)
  const following = Promise.all(
    [followEvents, followGraph].map((follow, way) =>
      Promise.all(
        followed.map((runId, at) =>
          follow({ hub: place, token, runId, random: seededRandom(seed - way * FOLLOWED - at - 1) }),
        ),
      ),
    ),
  )
  await reached.promise
  await killHub(first)
  const again = await startHub(workers)
  const done = await reporting
  const seen = await following

  expect(done.flatMap(({ odd }) => odd)).toEqual([])
  expect(done.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0)
  for (const [at, runId] of runIds.entries()) await expectWhole(runId, done[at] as Acknowledged)
  for (const of of seen) {
    expect(of.map(shown)).toEqual(done.slice(0, FOLLOWED).map(wanted))
    // One that had not come by the time of the kill connects once.
    expect(of.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(of.length)
  }
  await again.close()
})

const oneOf = (pids: readonly number[]) => pids[Math.floor(random() * pids.length)] as number

const shown = ({ lines, steps, status }: Seen) => ({ lines, steps, status })
const wanted = ({ lines, steps }: Acknowledged) => ({ lines, steps, status: 'succeeded' })

/** By the download, and by a stream from the beginning. */
async function expectWhole(runId: string, done: Acknowledged): Promise<void> {
  const text = await call('GET', `/v1/runs/${runId}/logs/download`)
  expect(text).toBe(done.lines.map((line) => `${line}\n`).join(''))
  const replay = await followEvents({ hub: place, token, runId, random: () => 1 })
  expect(shown(replay)).toEqual(wanted(done))
}

function seededRandom(start: number): () => number {
  const source = randomFrom(start)
  return () => source.int(0, 2 ** 32 - 1) / 2 ** 32
}
