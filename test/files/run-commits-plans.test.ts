/** What the last versions of runs read of a model with many changes: as much as it has runs, and not changes. */
import { beforeAll, expect, it } from 'vitest'
import { MAX_RUNS_OF_VERSIONS, runCommitsPage } from '../../src/files/versions/commits.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'

const t = testDb()
const CHANGES = 10_000
/** Each with as many changes, made by so many runs in turn. */
const RUNS = { none: 0, one: 1, two: 2, many: MAX_RUNS_OF_VERSIONS + 200 }
type Model = keyof typeof RUNS

beforeAll(async () => {
  const of = (model: Model) => `insert into repo_changes (repo_id, seq, run_id, at, action, file_count, total_bytes)
    select 'repo_${model}', n, ${RUNS[model] === 0 ? 'null' : `'run_' || lpad((n % ${RUNS[model]})::text, 6, '0')`}, now(), 'complete', 1, 1
      from generate_series(1, ${CHANGES}) n`
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'ada')`,
    ...Object.keys(RUNS).map(
      (model) =>
        `insert into repos (id, owner_id, slug, kind, seq) values ('repo_${model}', 'user_1', '${model}', 'model', ${CHANGES})`,
    ),
    ...Object.keys(RUNS).map((model) => of(model as Model)),
    'vacuum analyze repo_changes, repos',
  ])
    await t.db.query({ name: '', text })
})

const viewer = { accountIds: ['user_1'], repoIds: null, userId: 'user_1', credentialId: 'key_1' }
const asked = (model: Model, isAll: boolean) =>
  orderedValues(runCommitsPage, {
    ...{ ...viewer, modelIds: [`repo_${model}`], areAll: [isAll] },
    ...{ before: CHANGES + 1, limit: 3 },
  })

/** Rows of changes that the statement looked at. */
const readOf = (plan: Awaited<ReturnType<typeof plansOf>>[number]) =>
  plan
    .filter((node) => node['Relation Name'] === 'repo_changes')
    .reduce((sum, node) => sum + node['Actual Loops'] * Number(node['Actual Rows']), passedOver(plan, 'repo_changes'))

it.each<[Model, number]>([
  ['none', 0],
  ['one', 2],
  ['two', 4],
  ['many', 2 * MAX_RUNS_OF_VERSIONS],
])('of %s of the runs %d rows', async (model, most) => {
  for (const plan of await plansOf(t.db, runCommitsPage.text, asked(model, true))) {
    expect(scansOf(plan, 'repo_changes')).toEqual([])
    expect(readOf(plan)).toBe(most)
  }
})

it('a reader’s page reads the named versions alone', async () => {
  for (const plan of await plansOf(t.db, runCommitsPage.text, asked('many', false))) {
    expect(scansOf(plan, 'repo_changes')).toEqual([])
    expect(readOf(plan)).toBe(1)
  }
})
