/**
 * What the work of each minute reads while nothing is due, and what facets and searches of runs read: `npm run bench:jobs -- [SCALE]`. SCALE is the share of 1 M runs, 5 M files,
 * 1 M changes and 500,000 uploads that is made up (0.01); facets are those of an owner of at most 500,000 runs. Each
 * statement that the jobs and sweeps send is explained as it is sent, with its values.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { foldFacets } from '../../src/jobs/fold-facets.ts'
import { repoFacets } from '../../src/repos/list-repos.ts'
import { listRuns, runFacets } from '../../src/runs/read/list-runs.ts'
import { type Db, openDb, type Querier } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { fillTables } from '../support/filled-tables.ts'
import { makeWorld, type World } from '../support/world.ts'
import { minuteWork, settle } from './minute-work.ts'

const SCALE = Number(process.argv[2] ?? 0.01)
const ROUNDS = 3
const OTHERS = 2000
const tables = { runs: 1e6, files: 5e6, blobs: 5e6, changes: 1e6, uploads: 5e5, repo_changes: 1e6, repos: 1e5 }
const rows = Object.fromEntries(Object.entries(tables).map(([table, count]) => [table, Math.round(count * SCALE)]))

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Node[]
}
interface Explained {
  readonly Plan: Node & { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number }
  readonly 'Execution Time': number
}
interface Seen {
  readonly ms: number
  readonly blocks: number
  readonly scans: readonly string[]
}

/** Tables that are read whole although they are larger than those of a few rows. */
const scansIn = (node: Node): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
  ...(node.Plans ?? []).flatMap(scansIn),
]

const seen = new Map<string, Seen[]>()
type Sent = { readonly name: string; readonly text: string; readonly names?: readonly string[] }
type Explain = (text: string, values: unknown[]) => Promise<pg.QueryResult>

async function note(subject: string, statement: Sent, given: unknown, explain: Explain): Promise<void> {
  if (!/^\s*(?:select|with|insert|update|delete)\b/i.test(statement.text)) return
  const values = statement.names ? orderedValues(statement as never, (given ?? {}) as never) : ((given ?? []) as [])
  const { rows: found } = await explain(
    `explain (analyze, buffers, format json) ${statement.text}`,
    values as unknown[],
  )
  const [{ Plan, 'Execution Time': ms }] = found[0]['QUERY PLAN'] as [Explained]
  const name = `${subject}: ${statement.name || statement.text.trim().split('\n')[0]?.slice(0, 40)}`
  // The hub's parsers keep numbers as they are written.
  const blocks = Number(Plan['Shared Hit Blocks']) + Number(Plan['Shared Read Blocks'])
  seen.set(name, [...(seen.get(name) ?? []), { ms: Number(ms), blocks, scans: scansIn(Plan) }])
}

/** Explains each statement before it is sent, and takes back what that changed. */
function explaining(db: Db, subject: string): Db {
  const alone: Explain = async (text, values) => {
    const client = await db.pool.connect()
    try {
      await client.query('begin')
      return await client.query(text, values)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  const query = (via: Querier, explain: Explain) => async (statement: Sent, given: unknown) => {
    await note(subject, statement, given, explain)
    return via.query(statement as never, given as never)
  }
  return {
    ...db,
    pool: db.pool,
    query: query(db, alone) as never,
    withTx: (work) =>
      db.withTx((tx) => {
        const inside: Explain = async (text, values) => {
          await tx.execute('savepoint explained')
          const found = await tx.execute(text, values)
          await tx.execute('rollback to savepoint explained')
          return found
        }
        return work({ ...tx, query: query(tx, inside) as never })
      }),
  }
}

function print(): void {
  const medians = [...seen].flatMap(([name, all]) => {
    const middle = all.toSorted((a, b) => a.ms - b.ms)[Math.floor(all.length / 2)]
    return middle ? [{ name, ...middle, blocks: Math.max(...all.map(({ blocks }) => blocks)) }] : []
  })
  const dearest = medians.toSorted((a, b) => b.ms - a.ms)
  console.log(`${JSON.stringify(rows)}, ${OTHERS} rows of each other table`)
  console.log('| work and statement | ms, median | blocks of 8 KiB, most | tables read whole |\n|---|---|---|---|')
  for (const { name, ms, blocks, scans } of dearest)
    console.log(`| ${name} | ${ms.toFixed(2)} | ${blocks} | ${[...new Set(scans)].join(', ')} |`)
}

async function facets(world: World, db: Db): Promise<void> {
  const owner = await world.user()
  const most = Math.min(500_000, 5_000_000 * SCALE)
  for (const [from, to] of [
    [1, most / 10],
    [most / 10 + 1, most],
  ] as const) {
    await world.sql(
      `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash)
        select 'run_' || lpad(n::text, 26, 'a'), 'cloud', 'queued', 'worker', $1, $1, 'key_x', 'act', 'arm-' || n % 100, '{}', repeat('a', 64)
        from generate_series($2::int, $3::int) n`,
      [owner.id, from, to],
    )
    await foldFacets(world.deps, new AbortController().signal)
    await world.sql('vacuum analyze run_facets, run_facet_changes, runs')
    const asked = (subject: string) => ({
      ...world.as(owner),
      deps: { ...world.deps, db: explaining(db, `${subject} of ${to} runs`) },
    })
    for (let round = 0; round < ROUNDS; round += 1) {
      await runFacets(asked('facets'))
      await listRuns(asked('search by the end of an id'), {
        q: String(Math.round(to / 2))
          .padStart(6, 'a')
          .slice(-6),
      })
      await listRuns(asked('search by a word of a hundredth'), { q: 'arm-77' })
      await listRuns(asked('search by a word that no run has'), { q: 'none-such' })
    }
  }
  await repoFacets({ ...world.as(owner), deps: { ...world.deps, db: explaining(db, 'facets of repos') } }, {})
}

const dataDir = await mkdtemp(join(tmpdir(), 'hub-bench-jobs-'))
const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', autovacuum: 'off' } })
try {
  await migrate(server.url)
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  await fillTables(client, OTHERS, rows)
  await settle(client, rows.runs ?? 0)
  const db = openDb({ url: server.url, poolMax: 4, statementTimeoutMs: 600_000 })
  const world = await makeWorld({ db })
  // What is old goes once; a minute later there is as good as nothing.
  await minuteWork(world, () => db)
  await client.query('vacuum analyze')
  for (let round = 0; round < ROUNDS; round += 1) await minuteWork(world, (subject) => explaining(db, subject))
  for (const table of ['runs', 'repos']) await client.query(`alter table ${table} enable trigger user`)
  await facets(world, db)
  print()
  await client.end()
  await world.close()
  await db.close()
} finally {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
