// @module-tag long
/** Hubs that are killed while they dispatch hosted runs: every run has one call, and every call is executed once. */
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '@hub/testing/random'
import { isFull, testSeed } from '@hub/testing/torture'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startThrowawayHub, type ThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { addUser } from '../../src/accounts/accounts.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from '../support/database.ts'
import { type Json, kubeApiServer } from '../support/kube-api-server.ts'
import { endLeftCalls } from '../support/left-calls.ts'
import { openFile, openFolder } from '../support/open-folder.ts'

const RUNS_A_ROUND = 8
const ROUNDS = isFull ? 2 : 1
const BOTH_IN_ROUND = ROUNDS - 1
const dir = openFolder('hub-killed-dispatch-')
const said = openFile(join(dir, 'said'))
const dataDir = join(dir, 'data')
const random = randomFrom(testSeed())
const cluster = await kubeApiServer()
afterAll(async () => {
  await cluster.close()
  await endLeftCalls(dataDir)
  rmSync(dir, { recursive: true, force: true })
})

const common = {
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  RUN_DAILY_GPU_HOUR_QUOTA: '1000000',
  // Hubs look after calls as often as this.
  RUN_LEASE_SECONDS: '2',
}
const processes = {
  ...common,
  HUB_DATA_DIR: dataDir,
  HOSTED_MAX_PROCESSES: '1000',
  HOSTED_COMMAND: `echo "$HUB_JOB_ID $HUB_CALL_ID" >> "${said}"; exec sleep 600`,
}
const jobs = {
  ...common,
  HOSTED_BACKEND: 'kubernetes',
  HOSTED_KUBECONFIG: cluster.kubeconfig,
  HOSTED_KUBE_TEMPLATE: join(import.meta.dirname, '../../examples/kubernetes/job-template.yaml'),
  PUBLIC_URL: 'https://hub.test',
}

/** `<run> <call>` for every execution. */
const processesRun = () => readFileSync(said, 'utf8').split('\n').filter(Boolean)
const jobsRun = () =>
  [...cluster.jobs.values()].map(({ metadata }: Json) => `${metadata.labels['hub/job']} ${metadata.labels['hub/call']}`)

describe.each<[string, Record<string, string>, () => string[]]>([
  ['processes', processes, processesRun],
  ['Jobs of a cluster', jobs, jobsRun],
])('hosted runs as %s', (_what, hosting, executed) => {
  const database = testDb()
  const sql = <T>(text: string) => database.db.query<T>({ name: '', text }, [])
  const settings = { ...hosting, DATABASE_URL: database.url, HUB_SECRET: randomBytes(32).toString('hex') }
  let token: string
  beforeAll(async () => {
    const config = readConfig(settings)
    const auth = await openAuth({
      config,
      log: pino({ level: 'silent' }),
      db: database.db,
      secret: settings.HUB_SECRET,
    })
    token = await database.db.withTx(async (tx) => {
      const user = await addUser(tx, noViewer, { handle: 'trainer' })
      return (await openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })).token
    })
    await auth.close()
  })

  const submit = async (hub: ThrowawayHub) => {
    const recipe = { template: 'act', executor: 'hosted', max_hours: 0.1 }
    // What the hub did not acknowledge may be there all the same.
    await fetch(`${hub.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipe }),
    }).catch(() => undefined)
  }

  it('are each executed by one call, once, whenever a hub is killed', { timeout: 600_000 }, async () => {
    const start = (count: number) => Promise.all(Array.from({ length: count }, () => startThrowawayHub(settings)))
    const calls = async () => (await sql('select 1 from hosted_calls')).length
    const hubs = await start(2)
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await calls()
        for (const hub of hubs) void Promise.all(Array.from({ length: RUNS_A_ROUND / 2 }, () => submit(hub)))
        // The first dispatch of the round has begun; each takes 20 to 200 ms.
        await expect.poll(calls, { timeout: 120_000, interval: 10 }).toBeGreaterThan(before)
        await sleep(random.int(0, 250))
        // Both in the last round, before it the older one.
        const killed = hubs.splice(0, round === BOTH_IN_ROUND ? 2 : 1)
        for (const hub of killed) process.kill(hub.pid, 'SIGKILL')
        await Promise.all(killed.map((hub) => hub.close()))
        hubs.push(...(await start(killed.length)))
      }
      const isSettled = async () => {
        // The time that a dead hub would have had to spawn its calls.
        await sql(`update hosted_calls set next_try_at = now() - make_interval(secs => 1) where state = 'pending'`)
        await sql(`update runs set created_at = created_at - interval '1 minute' where dispatched_at is null`)
        return sql(
          `select u.id from runs u left join hosted_calls c on c.id = u.hosted_call_id where c.state is distinct from 'spawned'`,
        )
      }
      await expect.poll(isSettled, { timeout: 240_000, interval: 500 }).toEqual([])
      const recorded = await sql<{ line: string }>(
        `select id || ' ' || hosted_call_id as line from runs where status = 'queued'`,
      )
      // Each round waited for one call; what else a kill lets through follows from the machine.
      expect(recorded.length).toBeGreaterThanOrEqual(ROUNDS)
      await expect
        .poll(() => executed().toSorted(), { timeout: 100_000 })
        .toEqual(recorded.map(({ line }) => line).toSorted())
      const [counts] =
        await sql<Json>(`select (select count(*)::int from runs) as runs, (select count(*)::int from hosted_calls) as calls,
        (select count(*)::int from api_keys where job_id is not null) as keys`)
      expect([counts.calls, counts.keys, recorded.length]).toEqual([counts.runs, counts.runs, counts.runs])
      if (hosting === jobs) expect([...cluster.secrets.keys()].toSorted()).toEqual([...cluster.jobs.keys()].toSorted())
    } finally {
      await Promise.all(hubs.map((hub) => hub.close()))
    }
  })
})
