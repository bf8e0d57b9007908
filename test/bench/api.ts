/**
 * `npm run bench`: server CPU per request. Three `/v1` reads stand next to a hand-written server (`limit-server.ts`) on the same database, interleaved in
 * one run: it prints the limit's CPU, the hub's, and their ratio (1.00: as cheap as by hand) as median and spread over the rounds. Reads of runs and a nested
 * page of the graph have no such server: of those it prints the hub's CPU.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@hub/formats/ids'
import { pino } from 'pino'
import { newKeyToken, tokenDigest } from '../../src/auth/api-key.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10)
const SLICE_MS = Number(process.env.BENCH_SLICE_MS ?? 1500)
const CONCURRENCY = Number(process.env.BENCH_CONCURRENCY ?? 8)
const REPOS = 200
const FILES = 2000
const TICKS_PER_SECOND = 100

const PAGE_FILES = 20
const RUNS = 60

interface Read {
  readonly name: string
  readonly path: string
  /** Sent by POST: a document of the graph. */
  readonly document?: string
  /** Codings that the client decodes. */
  readonly encoding?: string
  /** The ratio to the hand-written server that is wanted; null where that server does not have the read. */
  readonly limit: number | null
}

const readsOf = (runId: string): readonly Read[] => [
  { name: 'getRepo', path: '/v1/repos/bench/repo-0', limit: 0.8 },
  { name: 'listRepos, 20 with summaries', path: '/v1/repos?limit=20', limit: 0.8 },
  { name: 'getRepoTree, 500 files', path: '/v1/repos/bench/repo-0/tree?limit=500', limit: 0.6 },
  ...['gzip', 'br', 'zstd'].map((encoding) => ({
    name: `getRepoTree, 500 files, ${encoding}`,
    path: '/v1/repos/bench/repo-0/tree?limit=500',
    encoding,
    limit: null,
  })),
  { name: 'getRun', path: `/v1/runs/${runId}`, limit: null },
  { name: 'listRuns, 20', path: '/v1/runs?limit=20', limit: null },
  {
    name: 'graph: 20 repos, 20 files of each',
    path: '/graphql',
    document:
      '{ repos(first: 20) { nodes { id fullName fileSummary { count } files(first: 20) { nodes { path size sha256 } } } } }',
    limit: null,
  },
]

interface Server {
  readonly url: string
  readonly child: ChildProcess
}

const dir = mkdtempSync(join(tmpdir(), 'hub-bench-'))
const children: ChildProcess[] = []
try {
  await main()
} finally {
  for (const child of children) child.kill('SIGTERM')
  if (process.env.BENCH_HUB_FLAGS) await new Promise((resolve) => setTimeout(resolve, 4000))
  rmSync(dir, { recursive: true, force: true })
}
process.exit(0)

async function main(): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
  await migrate(postgres.url)
  const db = openDb({ url: postgres.url, poolMax: 4 })
  const { token, runId } = await seed(db)
  await db.close()
  const hub = await startHub(postgres.url)
  const limit = await startLimit(postgres.url)
  process.stdout.write(
    '| read | limit, ms of CPU | hub, ms of CPU | limit / hub, median (min to max) | wanted |\n|---|---|---|---|---|\n',
  )
  const only = process.argv[2]
  for (const row of readsOf(runId))
    if (!only || row.name.includes(only)) process.stdout.write(`${await measure(row, hub, limit, token)}\n`)
  await postgres.stop()
}

/** Both servers warmed, then slices in turn; the order changes each round so that neither always goes first. */
async function measure(row: Read, hub: Server, limit: Server, token: string): Promise<string> {
  if (row.limit === null) return measureAlone(row, hub, token)
  await assertSameItems(row, hub, limit, token)
  for (const server of [hub, limit]) await load(server, row, token, SLICE_MS * 2)
  const costs = { hub: [] as number[], limit: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['hub', 'limit'] as const) : (['limit', 'hub'] as const)
    for (const which of order) costs[which].push(await load(which === 'hub' ? hub : limit, row, token, SLICE_MS))
  }
  const ratios = costs.limit.map((cost, index) => cost / (costs.hub[index] ?? Number.NaN)).sort((a, b) => a - b)
  const spread = `${median(ratios).toFixed(2)} (${(ratios[0] ?? 0).toFixed(2)} to ${(ratios.at(-1) ?? 0).toFixed(2)})`
  return `| ${row.name} | ${median(costs.limit).toFixed(3)} | ${median(costs.hub).toFixed(3)} | ${spread} | >= ${row.limit.toFixed(2)} |`
}

async function measureAlone(row: Read, hub: Server, token: string): Promise<string> {
  await load(hub, row, token, SLICE_MS * 2)
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) costs.push(await load(hub, row, token, SLICE_MS))
  return `| ${row.name} | | ${median(costs).toFixed(3)} | | |`
}

/** Sends requests for `ms` from a few keep-alive connections; resolves to the server's CPU milliseconds a request. */
async function load(server: Server, read: Read, token: string, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const until = performance.now() + ms
  const before = cpuMs(server.child)
  let requests = 0
  const loop = async () => {
    while (performance.now() < until) {
      await ask(server, read, token, agent)
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  agent.destroy()
  return (cpuMs(server.child) - before) / requests
}

/** The text of a good answer: an error of the graph comes with 200 as well. */
function ask(server: Server, { path, document, encoding }: Read, token: string, agent: Agent): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(document && { 'content-type': 'application/json' }),
    ...(encoding && { 'accept-encoding': encoding }),
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${server.url}${path}`,
      { agent, headers, method: document ? 'POST' : 'GET' },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200 && !text.includes('"errors":')) resolve(text)
          else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 600)}`))
        })
      },
    )
    request.on('error', reject)
    request.end(document && JSON.stringify({ query: document }))
  })
}

/** The comparison means something only while both say the same; cursors differ, as one of them is opaque. */
async function assertSameItems(read: Read, hub: Server, limit: Server, token: string): Promise<void> {
  const agent = new Agent()
  const [ours, theirs] = await Promise.all(
    [hub, limit].map(async (server) => JSON.parse(await ask(server, read, token, agent)) as Record<string, unknown>),
  )
  agent.destroy()
  const comparable = (answer: Record<string, unknown> | undefined) => JSON.stringify(answer?.items ?? answer)
  if (comparable(ours) !== comparable(theirs))
    throw new Error(
      `${read.path}: the servers differ\n${comparable(ours).slice(0, 600)}\n${comparable(theirs).slice(0, 600)}`,
    )
}

/** User and system time of the whole process, from the kernel's own accounting. */
function cpuMs(child: ChildProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function startHub(databaseUrl: string): Promise<Server> {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    HUB_SECRET: 'bench-secret-bench-secret-bench-secret',
    HUB_DATA_DIR: join(dir, 'hub'),
    RATE_LIMIT_PER_MINUTE: '100000000',
    // One account has the whole processor.
    ACCOUNT_PROCESSOR_S: '0',
    WRITTEN_BYTES_PER_DAY: '0',
    PORT: String(port),
  }
  const flags = ['--max-semi-space-size=64', ...(process.env.BENCH_HUB_FLAGS?.split(' ') ?? [])]
  const child = spawn(process.execPath, [...flags, 'src/main.ts'], {
    env,
    stdio: ['ignore', openSync(join(dir, 'hub.log'), 'a'), 'inherit'],
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  const until = performance.now() + 30_000
  while (performance.now() < until) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return { url, child }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the hub did not start')
}

function startLimit(databaseUrl: string): Promise<Server> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '100000000' }
  const log = openSync(join(dir, 'limit.log'), 'a')
  const child = fork(new URL('./limit-server.ts', import.meta.url).pathname, {
    env,
    execArgv: ['--max-semi-space-size=64', ...(process.env.BENCH_HUB_FLAGS?.split(' ') ?? [])],
    stdio: ['ignore', log, 'inherit', 'ipc'],
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve({ url: (message as { url: string }).url, child }))
    child.once('exit', () => reject(new Error('the limit server did not start')))
  })
}

/** One owner with a key, public repos of the three kinds, one of them with files, and runs; written straight into the tables. */
async function seed(db: Db): Promise<{ token: string; runId: string }> {
  const sql = (text: string, values: readonly unknown[]) => db.query({ name: '', text }, values)
  const owner = newId('user')
  const token = newKeyToken()
  await sql(`insert into accounts (id, kind, handle, name) values ($1, 'user', 'bench', 'Bench')`, [owner])
  await sql(
    `insert into api_keys (id, account_id, created_by, name, scope, token_sha256) values ($1, $2, $2, 'bench', 'write', $3)`,
    [newId('key'), owner, tokenDigest(token)],
  )
  const ids = Array.from({ length: REPOS }, () => newId('repo'))
  await sql(
    `insert into repos (id, owner_id, slug, kind, visibility, description, tags, file_count, total_bytes)
      select id, $2, 'repo-' || (place - 1), (array['robot', 'model', 'dataset'])[1 + (place - 1) % 3]::"RepoKind", 'public',
        'A repo of the benchmark, number ' || place, array['bench', 'arm'], 3, 4096
      from unnest($1::text[]) with ordinality as given(id, place)`,
    [ids, owner],
  )
  await sql(
    `insert into blobs (id, storage_key, size, etag, claimed, sha256, verified_at)
      select 'blob_' || n, 'blobs/' || n, n, md5(n::text) || '-1', encode(sha256(n::text::bytea), 'hex'), encode(sha256(n::text::bytea), 'hex'), now()
      from generate_series(1, $1::int) n`,
    [FILES],
  )
  await sql(
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select $1, 'data/chunk-' || lpad((n / 100)::text, 4, '0') || '/episode_' || lpad(n::text, 6, '0') || '.parquet', 1, 'blob_' || n, 'application/vnd.apache.parquet'
      from generate_series(1, $2::int) n`,
    [ids[0], FILES],
  )
  await sql(
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select id, 'meta/file_' || n, 1, 'blob_' || n, 'application/json' from unnest($1::text[]) as given(id), generate_series(1, $2::int) n`,
    [ids.slice(1), PAGE_FILES],
  )
  const runIds = Array.from({ length: RUNS }, () => newId('run'))
  await sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, max_hours, priced, repo_ids, started_at, finished_at, latest_metrics)
      select id, 'cloud', 'succeeded', 'worker', $2, $2, 'key_bench', 'act', 'bench/repo-0', $3::json, encode(sha256('bench'), 'hex'), 4, false, array[]::text[],
        now(), now(), '{"step": 100, "reward": 0.5, "loss/policy": 0.01}'
      from unnest($1::text[]) as given(id)`,
    [
      runIds,
      owner,
      JSON.stringify({ template: 'act', robot: 'bench/repo-0', hyperparams: { lr: 0.001, run_name: 'bench' } }),
    ],
  )
  await sql('analyze', [])
  return { token, runId: runIds[0] ?? '' }
}
