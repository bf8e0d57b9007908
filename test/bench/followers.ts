/**
 * Many followers of one run: `npm run bench:followers -- [FOLLOWERS] [SECONDS]`, 500 for a minute if not said. Two hubs over one database and one disk store;
 * half of the followers on each, half of those over SSE, half over GraphQL subscriptions, all in processes of their own. A runner sends ten reports of ten
 * lines a second. Fails unless every follower got every line once and in order.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@hub/formats/ids'
import { pino } from 'pino'
import { newKeyToken, tokenDigest } from '../../src/auth/api-key.ts'
import { openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { type Followed, type FollowOrder, machineMs } from './follower-process.ts'
import { residentMib, watchPeak } from './measure.ts'

const FOLLOWERS = Number(process.argv[2] ?? 500)
const SECONDS = Number(process.argv[3] ?? 60)
const REPORTS_PER_SECOND = 10
const LINES_PER_REPORT = 10
const PROCESSES_PER_HUB = 1
const TICKS_PER_SECOND = 100

interface Hub {
  readonly url: string
  readonly pid: number
}

interface Load {
  readonly residentMib: number
  readonly peakMib: number
  readonly afterMib: number
  readonly cores: number
}

const dir = await mkdtemp(join(tmpdir(), 'hub-bench-followers-'))
const children: ChildProcess[] = []
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
try {
  await main()
} finally {
  const ended = children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit'))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ended)
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}

async function main(): Promise<void> {
  await migrate(postgres.url)
  const token = await seed()
  const hubs = [await startHub(postgres.url), await startHub(postgres.url)]
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`${hubs[0]?.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  const { id: runId } = await call('/v1/runs', { recipe: { template: 'act', dataset: [] } })
  await call(`/v1/runs/${runId}/claim`, { worker: 'bench' })

  const idle = await Promise.all(hubs.map(({ pid }) => residentMib(pid)))
  const share = Math.round(FOLLOWERS / hubs.length / PROCESSES_PER_HUB / 2)
  const order = { token, runId, sse: share, graphql: share, linesPerReport: LINES_PER_REPORT }
  const groups = await Promise.all(
    hubs.flatMap(({ url }) => Array.from({ length: PROCESSES_PER_HUB }, () => startFollowers({ ...order, url }))),
  )
  const sampling = new AbortController()
  const peaks = hubs.map(({ pid }) => watchPeak(pid, sampling.signal))
  const cpuBefore = hubs.map(cpuSeconds)
  const begin = machineMs()
  const reports = await report(call, runId)
  const lasted = (machineMs() - begin) / 1000
  const cpuAfter = hubs.map(cpuSeconds)
  const followed = (await Promise.all(groups.map(({ seen }) => seen))).flat()
  sampling.abort()
  const loads: Load[] = []
  for (const [index, { pid }] of hubs.entries())
    loads.push({
      residentMib: idle[index] ?? 0,
      peakMib: (await peaks[index]) ?? 0,
      afterMib: await residentMib(pid),
      cores: ((cpuAfter[index] ?? 0) - (cpuBefore[index] ?? 0)) / lasted,
    })
  print(reports, followed, loads, lasted)
}

interface SentReport {
  readonly sent: number
  readonly acknowledged: number
}

/** One at a time, as a runner does, each at its beat or as soon after it as the one before is through. */
async function report(call: (path: string, body: unknown) => Promise<unknown>, runId: string): Promise<SentReport[]> {
  const reports: SentReport[] = []
  const begin = machineMs()
  for (let n = 0; n < SECONDS * REPORTS_PER_SECOND; n += 1) {
    await delay(Math.max(0, begin + (n * 1000) / REPORTS_PER_SECOND - machineMs()))
    const lines = Array.from(
      { length: LINES_PER_REPORT },
      (_, line) =>
        `${n * LINES_PER_REPORT + line} iteration ${n}: loss 0.0123 reward 12.5, 4096 samples/s on the arm\n`,
    )
    const sent = machineMs()
    await call(`/v1/runs/${runId}/report`, { log_chunk: lines.join(''), log_seq: n + 1 })
    reports.push({ sent, acknowledged: machineMs() })
  }
  await call(`/v1/runs/${runId}/report`, { status: 'succeeded' })
  return reports
}

function print(reports: SentReport[], followed: Followed[], loads: Load[], lasted: number): void {
  const wanted = reports.length * LINES_PER_REPORT
  const bad = followed.filter(({ lines, faults, hasEnded }) => lines !== wanted || faults > 0 || !hasEnded)
  console.log(
    `${followed.length} followers, ${reports.length} reports in ${lasted.toFixed(1)} s, ${wanted} lines each, ` +
      `${((followed.length * wanted) / lasted).toFixed(0)} events/s in all; ${bad.length} followers missed, repeated or mixed up lines\n`,
  )
  const took = reports.map(({ sent, acknowledged }) => acknowledged - sent)
  console.log('| | p50 | p99 | longest |\n|---|---|---|---|')
  console.log(delays('report, from its sending to its acknowledgement', took))
  for (const kind of ['sse', 'graphql'] as const) {
    const of = (since: keyof SentReport) =>
      followed
        .filter((each) => each.kind === kind)
        .flatMap(({ arrivals }) => Array.from(arrivals, (at, n) => at - (reports[n]?.[since] ?? Number.NaN)))
    console.log(delays(`${kind}, from the report's sending to its last line`, of('sent')))
    console.log(delays(`${kind}, from its acknowledgement`, of('acknowledged')))
  }
  console.log('\n| hub | resident before | peak | after | CPU |\n|---|---|---|---|---|')
  for (const [index, { residentMib, peakMib, afterMib, cores }] of loads.entries())
    console.log(
      `| ${index + 1} | ${residentMib.toFixed(0)} MiB | ${peakMib.toFixed(0)} MiB | ${afterMib.toFixed(0)} MiB | ${(100 * cores).toFixed(0)} % of a core |`,
    )
  if (bad.length > 0) process.exitCode = 1
}

function delays(name: string, values: readonly number[]): string {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
  return `| ${name} | ${at(0.5)} ms | ${at(0.99)} ms | ${at(1)} ms |`
}

async function startFollowers(order: FollowOrder): Promise<{ seen: Promise<Followed[]> }> {
  const child = fork(new URL('./follower-process.ts', import.meta.url), { serialization: 'advanced' })
  children.push(child)
  child.send(order)
  const [ready] = await once(child, 'message')
  if (ready !== 'ready') throw new Error('The followers did not connect.')
  return { seen: once(child, 'message').then(([followed]) => followed as Followed[]) }
}

/** User and system time, as the kernel counts it. */
function cpuSeconds({ pid }: Hub): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function startHub(databaseUrl: string): Promise<Hub> {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    HUB_SECRET: 'bench-secret-bench-secret-bench-secret',
    HUB_DATA_DIR: join(dir, 'hub'),
    RATE_LIMIT_PER_MINUTE: '0',
    PORT: String(port),
  }
  const flags = ['--max-semi-space-size=64', ...(process.env.BENCH_HUB_FLAGS?.split(' ') ?? [])]
  const child = spawn(process.execPath, [...flags, 'src/main.ts'], {
    env,
    stdio: ['ignore', openSync(join(dir, 'hub.log'), 'a'), 'inherit'],
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  for (const until = performance.now() + 30_000; performance.now() < until; await delay(100))
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, pid: child.pid ?? 0 }
  throw new Error('The hub did not start.')
}

/** Someone with a key that may train, written straight into the tables. */
async function seed(): Promise<string> {
  const db = openDb({ url: postgres.url, poolMax: 2 })
  const owner = newId('user')
  const token = newKeyToken()
  const sql = (text: string, values: readonly unknown[]) => db.query({ name: '', text }, values)
  await sql(`insert into accounts (id, kind, handle, name) values ($1, 'user', 'bench', 'Bench')`, [owner])
  await sql(
    `insert into api_keys (id, account_id, created_by, name, scope, token_sha256) values ($1, $2, $2, 'bench', 'train', $3)`,
    [newId('key'), owner, tokenDigest(token)],
  )
  await db.close()
  return token
}
