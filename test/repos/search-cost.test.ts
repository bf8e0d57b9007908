/** What a search costs the database: a caller without a credential chooses what is searched, and any account what is searched in. */
import { beforeAll, expect, it } from 'vitest'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const everybody = { accountIds: [], repoIds: null }
const REPOS = 100
const TRIES = 5

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility, description)
      select 'repo_' || n, 'user_1', 'repo-' || n, 'model', 'public', repeat('a', 4000) from generate_series(1, ${REPOS}) n`,
    'analyze repos',
  ])
    await t.db.query({ name: '', text })
})

/** The time of the server alone, at the best of some tries. */
async function timeOf(q: string): Promise<number> {
  const query = { filter: { q }, sort: 'created', after: null, limit: 1, cards: false } as const
  const { statement, values } = repoPageStatement(everybody, query)
  const text = `explain (analyze, timing off, format json) ${statement.text}`
  let leastMs = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES; tried += 1) {
    const [row] = await t.db.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(
      { name: '', text },
      orderedValues(statement, values),
    )
    leastMs = Math.min(leastMs, row?.['QUERY PLAN'][0]['Execution Time'] ?? Number.POSITIVE_INFINITY)
  }
  return leastMs
}

it('grows with the texts that are searched, not with what is searched as well', async () => {
  // No text has it, so that all are read from end to end; an index of three letters each does not know it.
  const plainMs = await timeOf('zz')
  const letters = 'a'.repeat(100)
  for (const hostile of [
    `${letters}${letters.slice(1)}b`,
    `b${letters}${letters.slice(1)}`,
    `${letters}b${letters.slice(1)}`,
  ])
    expect(await timeOf(hostile)).toBeLessThan(8 * plainMs)
})
