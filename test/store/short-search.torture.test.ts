/** Searches for one or two letters: a page reads a bounded number of rows, all pages together find everything. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { listRepos } from '../../src/repos/list-repos.ts'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { repoPageEnd } from '../../src/repos/page-end.ts'
import { listRuns } from '../../src/runs/read/list-runs.ts'
import { runPageEnd, runPageStatement } from '../../src/runs/read/list-sql.ts'
import { LOOKED_AT } from '../../src/store/short-search.ts'
import { type NamedStatement, orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld } from '../support/world.ts'

const t = testDb()
const MANY = LOOKED_AT * 2 + 1000
let ada: AccountRef
let ctx: RequestContext
const repoId = (n: string) => `'repo_' || lpad(${n}::text, 26, '0')`
/** What has the two letters: an old one, two in the middle, and one that is new. */
const found = [MANY - 10, LOOKED_AT + 1000, LOOKED_AT + 999, 7]
const ids = (prefix: string) => found.map((n) => `${prefix}_${String(n).padStart(26, '0')}`)
const isFound = `n in (${found.join(', ')})`

beforeAll(async () => {
  const world = await makeWorld({ db: t.db })
  ada = await world.user()
  const eve = await world.user()
  ctx = world.as(ada)
  // One of a hundred is ada's own and private; of eve's private ones, all have the letters.
  await world.sql(
    `insert into repos (id, owner_id, slug, kind, description, updated_at, visibility)
      select ${repoId('n')}, case when n % 100 = 10 then $1 else $2 end, 'r' || n, 'dataset',
        case when ${isFound} then 'a ZQ b' else 'nothing' end, now() - n * interval '1 second',
        (case when n % 100 = 10 then 'private' else 'public' end)::"Visibility" from generate_series(1, ${MANY}) n`,
    [ada.id, eve.id],
  )
  await world.sql(
    `insert into repos (id, owner_id, slug, kind, description, visibility)
      select ${repoId('n')}, $1, 'hidden' || n, 'dataset', 'zq', 'private'
      from generate_series(${MANY + 1}, ${MANY + 500}) n`,
    [eve.id],
  )
  await world.sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, recipe, recipe_hash, name)
      select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'queued', 'worker', case when n <= ${MANY} then $1 else $2 end,
        case when n <= ${MANY} then $1 else $2 end, 'key_x', 'act', '{}', repeat('a', 64),
        case when n > ${MANY} or ${isFound} then 'a ZQ b' end
      from generate_series(1, ${MANY + 500}) n`,
    [ada.id, eve.id],
  )
  await world.sql('vacuum analyze repos, runs')
  // Planned as for twenty times as many: the planner reads the whole of a table of which it needs the half.
  await world.sql(
    `update pg_class set reltuples = reltuples * 20, relpages = relpages * 20 where relname in ('repos', 'runs')`,
  )
})

interface Listed {
  readonly nodes: readonly { readonly id: string }[]
  readonly hasNextPage: boolean
  readonly cursorOf: (node: never) => string
  readonly endsAfter?: string | undefined
}

/** The ids of all pages, and how many pages there are. */
async function all(list: (after: string | null) => Promise<Listed>): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let after: string | null = null
  for (let pages = 1; ; pages += 1) {
    const page = await list(after)
    ids.push(...page.nodes.map(({ id }) => id))
    if (!page.hasNextPage) return { ids, pages }
    after = page.endsAfter ?? page.cursorOf(page.nodes.at(-1) as never)
  }
}

describe.each(['zq', 'ZQ', 'q b'])('a search for %j', (q) => {
  it('finds all repos that the caller sees, and no other', async () => {
    for (const sort of ['created', 'updated'] as const)
      for (const first of [1, 20]) {
        const read = await all((after) => listRepos(ctx, { q, sort, first, after }, { cards: false }))
        expect(read.ids.toSorted()).toEqual(ids('repo').toSorted())
        expect(read.pages).toBeLessThan(10)
      }
  })

  it('finds all runs that the caller sees, and no other', async () => {
    for (const first of [1, 20]) {
      const read = await all((after) => listRuns(ctx, { q, first, after }))
      expect(read.ids).toEqual(ids('run'))
      expect(read.pages).toBeLessThan(10)
    }
  })
})

/** Rows of the table that the two statements of a page read. */
async function rowsRead<V>(table: string, { text, names }: NamedStatement<unknown, V>, values: V): Promise<number> {
  let most = 0
  for (const plan of await plansOf(t.db, text, orderedValues({ text, names, name: '' }, values))) {
    expect(scansOf(plan, table)).toEqual([])
    const rows = plan.filter((node) => node['Relation Name'] === table)
    const sum = rows.reduce((all, node) => all + node['Actual Loops'] * Number(node['Actual Rows']), 0)
    most = Math.max(most, sum + passedOver(plan, table))
  }
  return most
}

/** The streams of what is public and of one account, the rows that are shown, and those at which the streams end. */
const MOST = 2 * LOOKED_AT + 200

it.each(['created', 'updated'] as const)(
  'a page of repos, %s, that finds nothing reads a bounded number',
  async (sort) => {
    const viewer = { accountIds: [ada.id], repoIds: null }
    const page = { filter: { q: 'xx' }, sort, after: null }
    const end = repoPageEnd(viewer, page)
    if (!end) throw new Error('It has no end.')
    expect(await rowsRead('repos', end.statement, end.values)).toBeLessThan(MOST)
    const [last] = await t.db.query(end.statement, end.values)
    const until = sort === 'created' ? [last?.id ?? ''] : [last?.updatedAt ?? '', last?.id ?? '']
    const { statement, values } = repoPageStatement(viewer, { ...page, until, limit: 21, cards: false })
    expect(await t.db.query(statement, values)).toEqual([])
    expect(await rowsRead('repos', statement, values)).toBeLessThan(MOST)
    expect(repoPageEnd(viewer, { ...page, filter: { q: 'xxx' } })).toBeNull()
  },
)

it('a page of runs that finds nothing reads a bounded number', async () => {
  const viewer = { accountIds: [ada.id], repoIds: null, userId: ada.id, credentialId: null }
  const page = { filter: { q: 'xx' }, after: null, limit: 21 }
  const end = runPageEnd(viewer, page)
  if (!end) throw new Error('It has no end.')
  expect(await rowsRead('runs', end.statement, end.values)).toBeLessThan(MOST)
  const [last] = await t.db.query(end.statement, end.values)
  const { statement, values } = runPageStatement(viewer, { ...page, until: last?.id ?? null })
  expect(await t.db.query(statement, values)).toEqual([])
  expect(await rowsRead('runs', statement, values)).toBeLessThan(MOST)
  expect(runPageEnd(viewer, { ...page, filter: { q: 'xxx' } })).toBeNull()
})
