import { prefixSuccessor } from '@hub/text/file-path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BriefFileEntry } from '../../src/files/file-entry.ts'
import { briefFilesOfRepos, filesOfRepos, listTree, treePage } from '../../src/files/tree.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { encodeCursor, type Page } from '../../src/platform/page.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const database = testDb()
let world: World
let owner: AccountRef
let ctx: RequestContext
let large: WorldRepo

const LARGE = 100_000

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
  large = await world.repo(owner)
  await world.sql(
    `insert into blobs (id, storage_key, size, etag, claimed) select 'blob_' || n, 'key_' || n, n, 'e', repeat('0', 64) from generate_series(1, ${LARGE}) n`,
  )
  await world.sql(
    `insert into files (repo_id, path, from_seq, blob_id) select $1, 'f/' || lpad(n::text, 6, '0'), 1, 'blob_' || n from generate_series(1, ${LARGE}) n`,
    [large.id],
  )
  await database.db.pool.query('vacuum analyze files; ').catch(() => database.db.pool.query('analyze files'))
  await database.db.pool.query('analyze blobs')
})
afterAll(() => world?.close())

async function repoWith(paths: readonly string[]): Promise<WorldRepo> {
  const repo = await world.repo(owner)
  await world.sql(
    `insert into files (repo_id, path, from_seq, blob_id) select $1, p, 1, 'blob_1' from unnest($2::text[]) p`,
    [repo.id, paths],
  )
  return repo
}

/** One page as `/v1` shows it. */
async function treeOf(repo: WorldRepo, query: { prefix?: string; limit: number; after?: string | null }) {
  const page = await listTree(ctx, {
    ...repo,
    prefix: query.prefix ?? '',
    limit: query.limit,
    after: query.after ?? null,
  })
  const last = page?.nodes.at(-1)
  return { items: page?.nodes ?? [], nextCursor: page?.hasNextPage && last ? page.cursorOf(last) : null }
}

async function walk(repo: WorldRepo, limit: number, prefix = ''): Promise<string[]> {
  const paths: string[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof treeOf>> = await treeOf(repo, { prefix, limit, after })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    paths.push(...page.items.map((item) => item.path))
    after = page.nextCursor
    if (after) expect(after.length).toBeLessThanOrEqual(512)
  } while (after)
  return paths
}

const awkward = [
  'a',
  'a b',
  'a/b',
  'a/c',
  'a0',
  'B',
  'b',
  'é',
  '日本',
  '\u{1F916}',
  '\uFFFD',
  `${'x'.repeat(255)}/${'y'.repeat(255)}/${'é'.repeat(120)}`,
]
const byBytes = (paths: readonly string[]) => paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

test('lists every path once, in byte order, whatever the page size', async () => {
  const repo = await repoWith(awkward)
  for (const limit of [1, 2, 5, 1000]) expect(await walk(repo, limit)).toEqual(byBytes(awkward))
})

test('lists exactly what starts with the prefix', async () => {
  const repo = await repoWith(awkward)
  for (const prefix of ['a', 'a/', 'é', 'none', 'x', '\u{1F916}']) {
    expect(await walk(repo, 1, prefix), prefix).toEqual(byBytes(awkward.filter((path) => path.startsWith(prefix))))
  }
})

test('inserts and deletes between pages neither skip nor repeat what was there throughout', async () => {
  const repo = await repoWith(['b', 'd', 'f', 'h'])
  const first = await treeOf(repo, { limit: 2 })
  await world.sql(
    `insert into files (repo_id, path, from_seq, blob_id) values ($1, 'a', 2, 'blob_1'), ($1, 'e', 2, 'blob_1')`,
    [repo.id],
  )
  await world.sql(`update files set to_seq = 3, closed_at = now() where repo_id = $1 and path = 'd'`, [repo.id])
  const second = await treeOf(repo, { limit: 5, after: first.nextCursor })
  expect([...first.items, ...second.items].map((item) => item.path)).toEqual(['b', 'd', 'e', 'f', 'h'])
})

test('a cursor of another repo or prefix, or a malformed one, is refused', async () => {
  const repo = await repoWith(['a', 'b'])
  const { nextCursor } = await treeOf(repo, { limit: 1 })
  for (const refused of [
    treeOf(large, { limit: 1, after: nextCursor }),
    treeOf(repo, { prefix: 'a', limit: 1, after: nextCursor }),
    treeOf(repo, { limit: 1, after: '?' }),
  ]) {
    await expect(refused).rejects.toMatchObject({ type: 'validation.cursor' })
  }
})

test('a forged cursor that names a row of another repo is refused', async () => {
  const repo = await repoWith(['a', 'b'])
  const [row] = await world.sql<{ id: number }>('select id from files where repo_id = $1 limit 1', [large.id])
  const forged = encodeCursor(`tree:${repo.owner}/${repo.repo}:`, [row?.id ?? 0])
  await expect(treeOf(repo, { limit: 1, after: forged })).rejects.toMatchObject({ type: 'validation.cursor' })
  const [own] = await world.sql<{ id: number }>(`select id from files where repo_id = $1 and path = 'a'`, [repo.id])
  const next = await treeOf(repo, { limit: 1, after: encodeCursor(`tree:${repo.owner}/${repo.repo}:`, [own?.id ?? 0]) })
  expect(next.items.map((item) => item.path)).toEqual(['b'])
})

test('pages of many repos are one statement', async () => {
  const repos = await Promise.all([repoWith(['a', 'b', 'c']), repoWith([]), repoWith(['z'])])
  const statements = database.record()
  const pages = await filesOfRepos(ctx, { repoIds: repos.map((repo) => repo.id), prefix: '', limit: 2, after: null })
  expect(statements).toHaveLength(1)
  expect(pages.map((page) => [page.nodes.map((file) => file.path), page.hasNextPage])).toEqual([
    [['a', 'b'], true],
    [[], false],
    [['z'], false],
  ])
})

test('brief pages are the same files with the same cursors, in one statement', async () => {
  const long = `${'d'.repeat(200)}/${'e'.repeat(200)}`
  const repos = await Promise.all([repoWith(['a', long, 'z']), repoWith(['b'])])
  const asked = { repoIds: repos.map((repo) => repo.id), prefix: '', limit: 2, after: null }
  const whole = await filesOfRepos(ctx, asked)
  const statements = database.record()
  const brief = await briefFilesOfRepos(ctx, asked)
  expect(statements).toHaveLength(1)
  const shown = <File extends BriefFileEntry>({ nodes, cursorOf }: Page<File>) =>
    nodes.map((file) => [file.path, file.size, file.sha256, cursorOf(file)])
  expect(brief.map(shown)).toEqual(whole.map(shown))
  expect(brief.map((page) => page.hasNextPage)).toEqual([true, false])
})

interface PlanNode {
  'Node Type': string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}
const nodes = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

test.each(['force_custom_plan', 'force_generic_plan'])(
  'of 100,000 files the last page costs what the first does, and no table is scanned (%s)',
  async (mode) => {
    const client = await database.db.pool.connect()
    try {
      await client.query(`set plan_cache_mode = ${mode}`)
      await client.query(`prepare page_${mode} (text[], text[], text, int) as ${treePage.text}`)
      const explain = async (lower: string) => {
        const quoted = [`array['${large.id}']`, `array['${lower}']`, `'${prefixSuccessor('f/')}'`, '501'].join(', ')
        const { rows } = await client.query(`explain (analyze, buffers, format json) execute page_${mode} (${quoted})`)
        return (rows[0]['QUERY PLAN'] as { Plan: PlanNode }[])[0]?.Plan as PlanNode
      }
      await explain('f/')
      const [first, last] = [await explain('f/'), await explain('f/099400')]
      const buffers = (plan: PlanNode) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      for (const plan of [first, last]) expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
      expect(buffers(first)).toBeLessThan(4000)
      expect(Math.abs(buffers(last) - buffers(first))).toBeLessThanOrEqual(0.05 * buffers(first))
    } finally {
      client.release(true)
    }
  },
)
