/**
 * What the log of changes costs a report of a run: `npm run bench:changes -- [REPORTS ROUNDS]`. CPU of one report by eight runners, of the hub and of its database,
 * since wall time is that of the disk and of other work on the machine; and the time of the trigger of `runs` in an update like that of the report, as
 * PostgreSQL measures it.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { RequestContext } from '../../src/operation/context.ts'
import type { ReportRunInput } from '../../src/runs/report/judge-report.ts'
import { reportRun } from '../../src/runs/report/report-run.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld } from '../support/world.ts'
import { median } from './measure.ts'

const REPORTS = Number(process.argv[2] ?? 400)
const ROUNDS = Number(process.argv[3] ?? 5)
const RUNNERS = 8
const UPDATES = 300
const TICKS_PER_SECOND = 100

type Report = Omit<ReportRunInput, 'runId'>
interface Kind {
  readonly make: (step: number) => Report
  /** What of the row changes next to its times, as SQL. */
  readonly change: (at: number) => string
}
/** What runners send every few seconds. */
const kinds: Readonly<Record<string, Kind>> = {
  'a heartbeat': { make: () => ({}), change: () => '' },
  'a line of metrics': {
    make: (step) => ({ metrics: [{ step, reward: step / 7, loss: 1 / (step + 1) }] }),
    change: (at) => `, metrics_seq = ${at}, latest_metrics = '{"step": ${at}}'`,
  },
}

async function main(db: Db): Promise<void> {
  const world = await makeWorld({ db })
  const owner = await world.user()
  const runner = world.as(owner, { kind: 'key', credentialId: 'key_runner' })
  console.log('| report | CPU | of that, the log | share |\n|---|---|---|---|')
  for (const [name, { make, change }] of Object.entries(kinds)) {
    const given = { ownerId: owner.id, status: 'running', claimCredential: 'key_runner' } as const
    const runIds = await Promise.all(Array.from({ length: RUNNERS }, () => putRun(db, given)))
    const cpuMs = await cpuOfReport(db, () => send(runner, runIds, make))
    const logMs = await triggerMs(db, await putRun(db, given), change)
    console.log(
      `| ${name} | ${cpuMs.toFixed(2)} ms | ${logMs.toFixed(3)} ms | ${((logMs / cpuMs) * 100).toFixed(1)} % |`,
    )
  }
  await world.close()
}

let step = 0
async function send(runner: RequestContext, runIds: readonly string[], make: (step: number) => Report): Promise<void> {
  const each = async (runId: string) => {
    for (let at = 0; at < REPORTS / RUNNERS; at += 1) {
      step += 1
      await reportRun(runner, { runId, ...make(step) })
    }
  }
  await Promise.all(runIds.map(each))
}

/** CPU of one report, of the hub and of all processes of its database. */
async function cpuOfReport(db: Db, work: () => Promise<void>): Promise<number> {
  await work()
  const [hub, database] = [process.cpuUsage(), await databaseCpuMs(db)]
  for (let round = 0; round < ROUNDS; round += 1) await work()
  const { user, system } = process.cpuUsage(hub)
  return ((user + system) / 1000 + (await databaseCpuMs(db)) - database) / (REPORTS * ROUNDS)
}

async function databaseCpuMs(db: Db): Promise<number> {
  const processes = await db.query<{ pid: number }>({ name: '', text: 'select pid from pg_stat_activity' })
  return processes.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  }, 0)
}

interface Explained {
  readonly 'QUERY PLAN': [{ readonly Triggers?: readonly { readonly 'Trigger Name': string; readonly Time: number }[] }]
}

/** Time of the trigger in an update of the run's row, each in a transaction of its own: median. */
async function triggerMs(db: Db, runId: string, change: (at: number) => string): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < UPDATES; at += 1) {
    const text = `explain (analyze, format json) update runs set heartbeat_at = now(), updated_at = now(), lease_expires_at = now() ${change(at)} where id = '${runId}'`
    const [row] = await db.query<Explained>({ name: '', text })
    const trigger = row?.['QUERY PLAN'][0].Triggers?.find((each) => each['Trigger Name'] === 'runs_changed')
    // The hub's parsers keep numbers as they are written.
    times.push(Number(trigger?.Time))
  }
  return median(times)
}

const dir = await mkdtemp(join(tmpdir(), 'hub-bench-changes-'))
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
await migrate(postgres.url)
const db = openDb({ url: postgres.url, poolMax: RUNNERS })
try {
  await main(db)
} finally {
  await db.close()
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
