/**
 * What a report of a run costs: `npm run bench:reports -- [OTHER_CHECKOUT REPORTS ROUNDS]`. CPU of one report by eight runners of one account, of the hub's
 * side and of its database, by `schedstat`; with another checkout, both by turns in the same rounds, on one database.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import type { reportRun } from '../../src/runs/report/report-run.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import type { putRun } from '../support/runs.ts'
import type { makeWorld } from '../support/world.ts'
import { median } from './measure.ts'

const [other] = process.argv.slice(2)
const REPORTS = Number(process.argv[3] ?? 160)
const ROUNDS = Number(process.argv[4] ?? 11)
const RUNNERS = 8
const NS_PER_MS = 1e6

type Report = Omit<Parameters<typeof reportRun>[1], 'runId'>
const kinds: Readonly<Record<string, (step: number) => Report>> = {
  'a heartbeat': () => ({}),
  '50 metrics': (step) => ({ metrics: lines(step) }),
  '50 metrics and 4 KiB of log': (step) => ({ metrics: lines(step), logChunk: `${'x'.repeat(63)}\n`.repeat(64) }),
}
const lines = (step: number) =>
  Array.from({ length: 50 }, (_, at) => ({ step: step * 50 + at, reward: at / 7, loss: 1 / (at + 1) }))

interface Checkout {
  /** Sends as many reports as a round has. */
  send(make: (step: number) => Report): Promise<void>
  close(): Promise<void>
}

async function openCheckout(root: string, url: string): Promise<Checkout> {
  const of = (path: string) => import(join(resolve(root), path))
  const store = (await of('src/store/db.ts')) as { openDb: typeof openDb }
  const runs = (await of('test/support/runs.ts')) as { putRun: typeof putRun }
  const worlds = (await of('test/support/world.ts')) as { makeWorld: typeof makeWorld }
  const reports = (await of('src/runs/report/report-run.ts')) as { reportRun: typeof reportRun }
  const db: Db = store.openDb({ url, poolMax: RUNNERS })
  const world = await worlds.makeWorld({ db })
  const owner = await world.user()
  const runner = world.as(owner, { kind: 'key', credentialId: 'key_runner' })
  const given = { ownerId: owner.id, status: 'running', claimCredential: 'key_runner' } as const
  const runIds = await Promise.all(Array.from({ length: RUNNERS }, () => runs.putRun(db, given)))
  let step = 0
  return {
    async send(make) {
      const each = async (runId: string) => {
        for (let at = 0; at < REPORTS / RUNNERS; at += 1) {
          step += 1
          await reports.reportRun(runner, { runId, ...make(step) })
        }
      }
      await Promise.all(runIds.map(each))
    },
    async close() {
      await world.close()
      await db.close()
    },
  }
}

/** Nanoseconds on a processor, of all threads of a process. */
const onProcessor = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

async function databaseMs(watch: Db): Promise<number> {
  const processes = await watch.query<{ pid: number }>({ name: '', text: 'select pid from pg_stat_activity' })
  return processes.reduce((sum, { pid }) => sum + onProcessor(pid), 0) / NS_PER_MS
}

interface Cost {
  readonly hub: number
  readonly database: number
}

/** Milliseconds of one report. */
async function costOf(watch: Db, work: () => Promise<void>): Promise<Cost> {
  const [hub, database] = [process.cpuUsage(), await databaseMs(watch)]
  await work()
  const { user, system } = process.cpuUsage(hub)
  return { hub: (user + system) / 1000 / REPORTS, database: ((await databaseMs(watch)) - database) / REPORTS }
}

const at = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
const total = ({ hub, database }: Cost) => hub + database

async function main(url: string, watch: Db): Promise<void> {
  const here = await openCheckout(join(import.meta.dirname, '../..'), url)
  const there = other ? await openCheckout(other, url) : null
  console.log(
    '| report | hub | database | other checkout: hub | database | other / this, median (quartiles) |\n|---|---|---|---|---|---|',
  )
  for (const [name, make] of Object.entries(kinds)) {
    const rounds: { readonly own: Cost; readonly theirs: Cost | null }[] = []
    for (let round = -1; round < ROUNDS; round += 1) {
      // By turns who is first; the round before the first one warms up.
      const first = there && round % 2 ? await costOf(watch, () => there.send(make)) : null
      const own = await costOf(watch, () => here.send(make))
      const theirs = first ?? (there && (await costOf(watch, () => there.send(make))))
      if (round >= 0) rounds.push({ own, theirs })
    }
    const middle = (of: (costs: (typeof rounds)[number]) => number | undefined) =>
      median(rounds.map((costs) => of(costs) ?? Number.NaN)).toFixed(2)
    const ratios = rounds.flatMap(({ own, theirs }) => (theirs ? [total(theirs) / total(own)] : []))
    const ratio = [0.5, 0.25, 0.75].map((share) => at(ratios, share).toFixed(2))
    console.log(
      `| ${name} | ${middle(({ own }) => own.hub)} ms | ${middle(({ own }) => own.database)} ms | ${middle(({ theirs }) => theirs?.hub)} ms | ${middle(({ theirs }) => theirs?.database)} ms | ${ratio[0]} (${ratio[1]} to ${ratio[2]}) |`,
    )
  }
  await here.close()
  await there?.close()
}

const dir = await mkdtemp(join(tmpdir(), 'hub-bench-reports-'))
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
await migrate(postgres.url)

const watch = openDb({ url: postgres.url, poolMax: 1 })
try {
  await main(postgres.url, watch)
} finally {
  await watch.close()
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
