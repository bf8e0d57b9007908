/** What a search of repos reads where descriptions are long: the planner takes reading them for cheap. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { VisibleRepos } from '../../src/auth/policy.ts'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { MAX_HITS } from '../../src/repos/search-ways.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf } from '../support/plans.ts'

const t = testDb()
const REPOS = 3000
const id = (n: string) => `'repo_' || lpad(${n}::text, 26, '0')`
const idOf = (n: number) => `repo_${String(n).padStart(26, '0')}`

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve'), ('user_2', 'user', 'ada')`,
    `insert into repos (id, owner_id, slug, kind, visibility, description)
      select ${id('n')}, case when n % 3 = 0 then 'user_2' else 'user_1' end, 'r' || n, 'dataset',
        (case when n % 3 = 0 then 'private' else 'public' end)::"Visibility",
        left(repeat('common nth' || n || ' pair' || n % ${REPOS / 3} || ' ', 300), 4000)
      from generate_series(1, ${REPOS}) n`,
    'vacuum analyze repos',
  ])
    await t.db.query({ name: '', text })
})

const anyone: VisibleRepos = { accountIds: [], repoIds: null }
const ada: VisibleRepos = { accountIds: ['user_2'], repoIds: null }
const pageOf = (viewer: VisibleRepos, q: string, after: readonly string[] | null = null) =>
  repoPageStatement(viewer, { filter: { q }, sort: 'created', after, limit: 100, cards: false })

describe('a search', () => {
  it.each([
    ['for what no one has', anyone, 'zzz', [], 20],
    ['for a rare word', anyone, 'nth1001', [1001], 20],
    ['for a rare word of a private repo', ada, 'nth1002', [1002], 20],
    ['for a word of a private repo by others', anyone, 'nth1002', [], 20],
    ['for a word of public and private ones', ada, 'pair500', [2500, 1500, 500], 40],
  ])('%s reads no more than has it', async (_what, viewer, q, found, most) => {
    const { statement, values } = pageOf(viewer, q)
    expect((await t.db.query(statement, values)).map((row) => row.id)).toEqual(found.map(idOf))
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      const rows = plan
        .filter((node) => node['Relation Name'] === 'repos')
        .reduce((sum, node) => sum + node['Actual Loops'] * Number(node['Actual Rows']), passedOver(plan, 'repos'))
      expect(rows).toBeLessThan(most)
    }
  })

  it(`for a word that more than ${MAX_HITS} have finds the newest ones, page by page`, async () => {
    const seen: string[] = []
    for (let after: readonly string[] | null = null; ; ) {
      const { statement, values } = pageOf(ada, 'common', after)
      const rows = await t.db.query(statement, values)
      seen.push(...rows.map((row) => row.id))
      const last = rows.at(-1)
      if (!last) break
      after = [last.id]
    }
    expect(seen).toEqual(Array.from({ length: REPOS }, (_, n) => idOf(REPOS - n)))
  })
})
