/**
 * What a year does to a hub: `npm run bench:year -- [SHARE …]` makes up shares (0.01 0.1) of what 10,000 repos, 20 M
 * files, 1 M runs and 500 M metric lines leave behind, measures each, and extrapolates to the whole by a straight line
 * through the last two. Rows of metrics are those of the seven days before they are archived.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@hub/formats/ids'
import pMap from 'p-map'
import pg from 'pg'
import { beginSnapshot, dumpDatabase, type Steps } from '../../src/backup/dump-database.ts'
import { openSink } from '../../src/backup/sink.ts'
import { collectRunObjects } from '../../src/jobs/collect-job-objects.ts'
import type { AccountRef } from '../../src/operation/context.ts'
import { listRepos } from '../../src/repos/list-repos.ts'
import { runPrefix } from '../../src/runs/log/run-objects.ts'
import { listRuns } from '../../src/runs/read/list-runs.ts'
import { openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { fillTables } from '../support/filled-tables.ts'
import { makeWorld, type World } from '../support/world.ts'
import { MIB, median, seconds } from './measure.ts'
import { minuteWork, settle } from './minute-work.ts'

const given = process.argv.slice(2).map(Number)
const shares = given.length > 0 ? given : [0.01, 0.1]

/**
 * Ten summaries and twenty chunks of log a run, an upload a file for 30 days, an entry of the audit log for each ten
 * files.
 */
const year = {
  repos: 1e4,
  repo_changes: 2e6,
  files: 2e7,
  blobs: 2e7,
  runs: 1e6,
  run_metrics: (5e8 * 7) / 365,
  run_metric_summaries: 1e7,
  run_log_chunks: 2e7,
  metric_archives: 1e6,
  metric_archive_blocks: 1e6,
  uploads: (2e7 * 30) / 365,
  changes: 3e4,
  audit_log: 2e6,
  ledger: 1e6,
}
/** Of a run: config, scorecard, `metrics.jsonl` and its archive. */
const OBJECTS_A_RUN = 4
const OTHERS = 1000
const ROUNDS = 3

type Figures = Map<string, number>
const quiet: Steps = { begin: () => undefined, at: () => undefined, note: () => undefined }

async function timed(figures: Figures, name: string, work: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await seconds(work))
  figures.set(`${name}, s`, median(times))
}

async function sizes(client: pg.Client, figures: Figures): Promise<void> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name, bytes } of rows)
    if (Object.hasOwn(year, name)) figures.set(`table ${name}, MiB`, Number(bytes) / MIB)
  figures.set('database, MiB', rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) / MIB)
}

/** Rows that pages can show, all of one account: its newest are those. */
async function giveRows(world: World, ownerId: string, { runs = 0, repos = 0 }: Readonly<Record<string, number>>) {
  await world.sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe,
        recipe_hash, started_at, finished_at)
      select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'succeeded', 'worker', $1, $1, 'key_x', 'act',
        'arm-' || n % 100, '{}', repeat('a', 64), now() - n * interval '30 seconds', now() - n * interval '30 seconds' from generate_series(1, $2::int) n`,
    [ownerId, runs],
  )
  await world.sql(
    `insert into repos (id, owner_id, slug, kind, visibility, description)
      select 'repo_' || lpad(n::text, 26, '0'), $1, 'repo-' || n, 'dataset', 'public', 'Repo number ' || n
      from generate_series(1, $2::int) n`,
    [ownerId, repos],
  )
}

/** Pages of an account that has every run and repo. */
async function pages(world: World, owner: AccountRef, figures: Figures): Promise<void> {
  const ctx = world.as(owner)
  await timed(figures, 'a page of runs', () => listRuns(ctx, {}))
  await timed(figures, 'a page of repos', () => listRepos(ctx, {}, { cards: true, isPlain: false }))
  await timed(figures, 'a search of runs by a word of none', () => listRuns(ctx, { q: 'none-such' }))
}

/** The daily look at each object of runs, none of which is due. */
async function collection(world: World, figures: Figures, runs: number): Promise<void> {
  const keys = Array.from({ length: runs }, () => runPrefix(newId('run'))).flatMap((prefix) =>
    Array.from({ length: OBJECTS_A_RUN }, (_, at) => `${prefix}kept/${at}`),
  )
  const bytes = Buffer.from('kept')
  await pMap(keys, (key) => world.disk.put(key, bytes, { sizeBytes: bytes.byteLength, contentType: 'text/plain' }), {
    concurrency: 16,
  })
  const { signal } = new AbortController()
  await timed(figures, 'daily look at objects of runs', () => collectRunObjects(world.deps, world.disk, signal), 1)
}

async function backup(url: string, dir: string, figures: Figures): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const sink = await openSink(join(dir, 'backup'))
  try {
    await timed(
      figures,
      'backup of the database',
      async () => {
        await beginSnapshot(client)
        await dumpDatabase(client, sink, new Map(), quiet)
      },
      1,
    )
  } finally {
    await sink.abandon()
    await client.end()
  }
}

async function measureShare(share: number): Promise<Figures> {
  const figures: Figures = new Map()
  const rows = Object.fromEntries(Object.entries(year).map(([table, count]) => [table, Math.round(count * share)]))
  const dir = await mkdtemp(join(tmpdir(), 'hub-bench-year-'))
  const server = await startEmbeddedPostgres({
    dataDir: join(dir, 'pg'),
    settings: { fsync: 'off', autovacuum: 'off' },
  })
  try {
    await migrate(server.url)
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect()
    await fillTables(client, OTHERS, { ...rows, runs: OTHERS, repos: OTHERS })
    await settle(client, OTHERS)
    const db = openDb({ url: server.url, poolMax: 4, statementTimeoutMs: 600_000 })
    const world = await makeWorld({ db })
    // What is old goes once; a minute later there is as good as nothing.
    await minuteWork(world, () => db)
    for (const table of ['runs', 'repos']) await client.query(`alter table ${table} enable trigger user`)
    const owner = await world.user()
    await giveRows(world, owner.id, rows)
    await minuteWork(world, () => db)
    await timed(figures, 'vacuum and analyze of all tables', () => client.query('vacuum analyze'), 1)
    await sizes(client, figures)
    await timed(figures, 'the work of a minute', () => minuteWork(world, () => db))
    await pages(world, owner, figures)
    await collection(world, figures, rows.runs ?? 0)
    await backup(server.url, dir, figures)
    await client.end()
    await world.close()
    await db.close()
  } finally {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
  return figures
}

const shown = (value: number) => (value < 10 ? value.toPrecision(2) : Math.round(value).toString())

/** A fixed part and one in proportion; what shrinks or stands still is not made smaller. */
function extrapolated(before: number | undefined, last: number): string {
  const [small, large] = shares.slice(-2)
  // One share says nothing of what is fixed.
  if (before === undefined || small === undefined || large === undefined) return ''
  return shown(last + (Math.max(0, last - before) / (large - small)) * (1 - large))
}

const measured: Figures[] = []
for (const share of shares) {
  console.error(`Measuring ${share * 100} % of a year …`)
  measured.push(await measureShare(share))
}
const [before, last] = [measured.at(-2), measured.at(-1)]
console.log(`| | ${shares.map((share) => `${share * 100} %`).join(' | ')} | the year, extrapolated |`)
console.log(`|---|${'---|'.repeat(shares.length + 1)}`)
for (const [name, value] of last ?? []) {
  const values = measured.map((figures) => shown(figures.get(name) ?? Number.NaN)).join(' | ')
  console.log(`| ${name} | ${values} | ${extrapolated(before?.get(name), value)} |`)
}
