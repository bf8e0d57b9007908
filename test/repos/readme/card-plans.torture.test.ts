/** What a listing by cards and their lineage read of a large hub: what is found, and not what there is. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type RepoFilter, repoPageStatement } from '../../../src/repos/list-sql.ts'
import { madeFrom } from '../../../src/repos/readme/made-from.ts'
import { orderedValues } from '../../../src/store/statement.ts'
import { testDb } from '../../support/database.ts'
import { type Plan, plansOf } from '../../support/plans.ts'

const t = testDb()
const REPOS = 20_000
/** Every thousandth repo is one of few; all others have what many have. */
const FEW = REPOS / 1000
const everyone = { accountIds: [], repoIds: null }

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility, description, tags, card_tags, card_labels)
      select 'repo_' || lpad(n::text, 26, '0'), 'user_1', 'repo-' || n, 'model', 'public', 'about ' || n, '{many}',
        case when n % 1000 = 0 then '{many,few}' else '{many}' end::text[],
        case when n % 1000 = 0 then '{license:few,dataset:eve/data,base_model:eve/repo-7}' else '{license:many}' end::text[]
      from generate_series(1, ${REPOS}) n`,
    `insert into repos (id, owner_id, slug, kind, visibility) values ('repo_z', 'user_1', 'data', 'dataset', 'public')`,
    'vacuum analyze repos',
  ])
    await t.db.query({ name: '', text })
})

/** The most rows that one node of a plan looked at. */
const most = (plan: readonly Plan[]) =>
  Math.max(
    ...plan.map(
      (node) =>
        node['Actual Loops'] *
        (Number(node['Actual Rows']) +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)),
    ),
  )

async function custom(text: string, values: readonly unknown[]): Promise<Plan[]> {
  const [plan = []] = await plansOf(t.db, text, values)
  return plan
}

describe('of 20,000 repos', () => {
  it.each<[string, RepoFilter]>([
    ['a tag of few', { tag: ['few'] }],
    ['a tag of nobody', { tag: ['none'] }],
    ['a license of few', { license: 'few' }],
    ['a label of few', { label: ['base_model:eve/repo-7'] }],
    ['a tag that is searched', { q: 'few' }],
  ])('%s reads a fraction', async (_what, filter) => {
    const query = { filter, sort: 'created', after: null, limit: FEW + 5, cards: true } as const
    const { statement, values } = repoPageStatement(everyone, query)
    const plan = await custom(statement.text, orderedValues(statement, values))
    expect(Number(plan[0]?.['Actual Rows'])).toBe(filter.tag?.includes('none') ? 0 : FEW)
    expect(most(plan)).toBeLessThan(REPOS / 20)
  })

  it('a tag and a license of many read a page', async () => {
    const query = { filter: { tag: ['many'], license: 'many' }, sort: 'created', after: null, limit: 21 } as const
    const { statement, values } = repoPageStatement(everyone, { ...query, cards: true })
    expect(most(await custom(statement.text, orderedValues(statement, values)))).toBeLessThan(REPOS / 20)
  })

  it.each([
    ['a dataset that few name', 'repo_z', FEW],
    ['a model that few name', `repo_${'7'.padStart(26, '0')}`, FEW],
    ['a model that nobody names', `repo_${'8'.padStart(26, '0')}`, 0],
  ])('the uses of %s read these alone, however the statement is planned', async (_what, id, count) => {
    const values = { ...everyone, of: [id], after: null, limit: FEW + 5 }
    for (const plan of await plansOf(t.db, madeFrom.text, orderedValues(madeFrom, values))) {
      expect(Number(plan[0]?.['Actual Rows'])).toBe(count)
      expect(most(plan)).toBeLessThan(REPOS / 20)
    }
  })
})
