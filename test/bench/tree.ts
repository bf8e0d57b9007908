/**
 * Pages of a repo of 100,000 files: `npm run bench:tree -- [files]`. For the first, a middle and the last page, and for one of a prefix: the plan of the
 * statement that `/v1` runs (node types, buffers, its own time) and the wall time of the whole verb.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { justAfter, prefixSuccessor } from '@hub/text/file-path'
import { pino } from 'pino'
import { visibleRepos } from '../../src/auth/policy.ts'
import { listTree, treeByName } from '../../src/files/tree.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { encodeCursor } from '../../src/platform/page.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { makeWorld, type WorldRepo } from '../support/world.ts'
import { median } from './measure.ts'

const FILES = Number(process.argv[2] ?? 100_000)
const OTHER_REPOS = 5000
const PAGE_ROWS = 500
const ROUNDS = 200

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

const pathOf = (n: number) => `f/${String(n).padStart(7, '0')}`

/** `after`: the path that the page begins behind; null for the first. */
const pages = [
  { name: 'first', prefix: '', after: null },
  { name: 'middle', prefix: '', after: pathOf(Math.floor(FILES / 2)) },
  { name: 'last', prefix: '', after: pathOf(FILES - PAGE_ROWS) },
  { name: 'last with a prefix', prefix: 'f/', after: pathOf(FILES - PAGE_ROWS) },
] as const

async function main(db: Db): Promise<void> {
  const world = await makeWorld({ db })
  const owner = await world.user('bench')
  const repo = await world.repo(owner, { slug: 'large' })
  await fill(db, repo)
  const ctx = world.as(owner)
  const costs = await times(ctx, repo)
  console.log('| page | plan | buffers | statement | verb, median |\n|---|---|---|---|---|')
  for (const page of pages) {
    const { plan, ms } = await explain(db, ctx, repo, page)
    // The hub's parsers keep numbers as they are written.
    const buffers = Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
    const verbMs = median(costs.get(page.name) ?? []).toFixed(2)
    console.log(`| ${page.name} | ${nodesOf(plan).join(', ')} | ${buffers} | ${ms.toFixed(2)} ms | ${verbMs} ms |`)
  }
  await world.close()
}

async function fill(db: Db, repo: WorldRepo): Promise<void> {
  const statements = [
    `insert into blobs (id, storage_key, size, etag, claimed) select 'blob_' || n, 'key_' || n, n, 'e', repeat('0', 64) from generate_series(1, ${FILES}) n`,
    `insert into files (repo_id, path, from_seq, blob_id) select '${repo.id}', 'f/' || lpad(n::text, 7, '0'), 1, 'blob_' || n from generate_series(1, ${FILES}) n`,
    `insert into repos (id, owner_id, slug, kind, visibility) select 'repo_' || n, r.owner_id, 'other-' || n, 'dataset', 'public' from repos r, generate_series(1, ${OTHER_REPOS}) n where r.id = '${repo.id}'`,
    'vacuum analyze',
  ]
  for (const text of statements) await db.pool.query(text)
}

/** The pages in turn, so that what slows one slows all. */
async function times(ctx: RequestContext, repo: WorldRepo): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(pages.map((page) => [page.name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, prefix, after } of pages) {
      const cursor = after === null ? null : encodeCursor(`tree:${repo.owner}/${repo.repo}:${prefix}`, [after])
      const begin = performance.now()
      const page = await listTree(ctx, { ...repo, prefix, limit: PAGE_ROWS, after: cursor })
      costs.get(name)?.push(performance.now() - begin)
      if (page?.nodes.length !== PAGE_ROWS) throw new Error(`The ${name} page has ${page?.nodes.length} rows.`)
    }
  }
  return costs
}

/** As a prepared statement runs after its first five times: with the plan that does not know its values. */
async function explain(db: Db, ctx: RequestContext, repo: WorldRepo, page: (typeof pages)[number]) {
  const client = await db.pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    const lower = page.after === null ? page.prefix : justAfter(page.after)
    const values = orderedValues(treeByName, {
      ...visibleRepos(ctx.viewer),
      owner: repo.owner,
      slug: repo.repo,
      lower,
      upper: prefixSuccessor(page.prefix),
      limit: PAGE_ROWS + 1,
    })
    const literal = (value: string) => client.escapeLiteral(value)
    const quoted = values.map((value) => {
      if (value === null) return 'null'
      return literal(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
    })
    await client.query(`prepare page as ${treeByName.text}`)
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute page (${quoted.join(', ')})`)
    const [answer] = rows[0]['QUERY PLAN'] as { Plan: PlanNode; 'Execution Time': number }[]
    if (!answer) throw new Error('PostgreSQL gave no plan.')
    return { plan: answer.Plan, ms: Number(answer['Execution Time']) }
  } finally {
    client.release(true)
  }
}

function nodesOf(plan: PlanNode): string[] {
  const index = plan['Index Name']
  const own = index ? `${plan['Node Type']} ${index}` : plan['Node Type']
  return [own, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

const dir = await mkdtemp(join(tmpdir(), 'hub-bench-tree-'))
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
await migrate(postgres.url)
const db = openDb({ url: postgres.url, poolMax: 2 })
try {
  await main(db)
} finally {
  await db.close()
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
