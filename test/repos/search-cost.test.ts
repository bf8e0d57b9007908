/** What a search costs the database: a caller without a credential chooses what is searched, and any account what is searched in. */
import { beforeAll, expect, it } from 'vitest'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const everyone = { accountIds: [], repoIds: null }
const REPOS = 100
const TRIES = 30

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility, description)
      select 'repo_' || n, 'user_1', 'repo-' || n, 'model', 'public', repeat('a', 4000) from generate_series(1, ${REPOS}) n`,
    'analyze repos',
  ])
    await t.db.query({ name: '', text })
})

/** The time of the server alone. */
async function timeOf(q: string): Promise<number> {
  const query = { filter: { q }, sort: 'created', after: null, limit: 1, cards: false } as const
  const { statement, values } = repoPageStatement(everyone, query)
  const text = `explain (analyze, timing off, format json) ${statement.text}`
  const [row] = await t.db.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(
    { name: '', text },
    orderedValues(statement, values),
  )
  return row?.['QUERY PLAN'][0]['Execution Time'] ?? Number.POSITIVE_INFINITY
}

it('grows with the texts that are searched, not with what is searched as well', async () => {
  const letters = 'a'.repeat(100)
  for (const hostile of [
    `${letters}${letters.slice(1)}b`,
    `b${letters}${letters.slice(1)}`,
    `${letters}b${letters.slice(1)}`,
  ]) {
    const least = { plain: Number.POSITIVE_INFINITY, hostile: Number.POSITIVE_INFINITY }
    // In turns, at the best of tries: what else the machine does makes some of them longer, and none shorter.
    for (let tried = 0; tried < TRIES && !(least.hostile < 8 * least.plain); tried += 1) {
      // No text has it, so that all are read from end to end; an index of three letters each does not know it.
      least.plain = Math.min(least.plain, await timeOf('zz'))
      least.hostile = Math.min(least.hostile, await timeOf(hostile))
    }
    expect(least.hostile).toBeLessThan(8 * least.plain)
  }
})
