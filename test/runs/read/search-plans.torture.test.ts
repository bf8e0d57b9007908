/** A search of runs by words: finds what has them, and reads what it finds rather than what the owner has. */
import { beforeAll, describe, expect, it } from 'vitest'
import { runPageStatement } from '../../../src/runs/read/list-sql.ts'
import { sortedPageStatement } from '../../../src/runs/read/sorted-sql.ts'
import { orderedValues } from '../../../src/store/statement.ts'
import { testDb } from '../../support/database.ts'
import { passedOver, plansOf, scansOf } from '../../support/plans.ts'

const t = testDb()
/** Of each of two owners. */
const MANY = 6000

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve'), ('user_2', 'user', 'bob'), ('org_1', 'org', 'team')`,
    // Every second one of `user_1` trains `ppo`, one in a thousand has a rare word; three are of an org that she has left.
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, name, project, run_group, output_repo_name)
      select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'queued', 'worker',
        case when n > ${2 * MANY} then 'org_1' when n % 2 = 0 then 'user_1' else 'user_2' end,
        case when n % 2 = 0 or n > ${2 * MANY} then 'user_1' else 'user_2' end, 'key_x',
        case when n % 4 = 0 then 'ppo' else 'act' end, case when n % 3 > 0 then 'arm-' || n % 7 end, '{}', repeat('a', 64),
        case when n % 1000 = 0 then 'Needle-' || n / 1000 when n % 5 = 0 then 'take ' || n % 50 end,
        case when n % 6 > 2 then 'Lab_' || n % 10 end, case when n % 8 = 0 then 'group' end,
        case when n % 9 = 0 then 'eve/out-' || n % 100 end
      from generate_series(1, ${2 * MANY + 3}) n`,
    `insert into run_metric_summaries (run_id, owner_id, key, position, count, last, last_step, min, min_step, max, max_step, mean)
      select id, owner_id, 'loss', 1, 1, 1, 1, 1, 1, 1, 1, 1 from runs`,
    'vacuum analyze runs, run_metric_summaries',
    // Planned as for twenty times as many: of a few thousand runs of all owners, the planner reads and sorts those of one.
    `update pg_class set reltuples = reltuples * 20 where relname = 'runs'`,
  ])
    await t.db.query({ name: '', text })
})

const viewer = { accountIds: ['user_1'], repoIds: null, userId: 'user_1', credentialId: null }
const page = (q: string, more: object = {}) =>
  runPageStatement(viewer, { filter: { q, ...more }, after: null, limit: 21 })

describe(`of ${MANY} runs of an owner, beside as many of another`, () => {
  const words = `lower(concat_ws(' ', name, output_repo_name, template, robot, right(id, 6), project, run_group))`
  it.each([
    ...[
      'needle',
      'NEEDLE-4',
      'needle-4 ppo',
      'take 4',
      'e 40 act',
      'eve/out-8',
      'out-8 ppo',
      'arm-3 0',
      '000512',
      'lab_5',
      'group',
    ],
    ...[
      'ppo',
      'o 0',
      '-',
      'x',
      'none-such',
      'lab_4 group',
      'group ',
      ' act',
      '***=ppo',
      '.*',
      `run_${'0'.repeat(22)}4000`,
    ],
  ])('%j finds what has these letters, newest first', async (q) => {
    const { statement, values } = page(q)
    const found = await t.db.query(statement, values)
    const wanted = await t.db.query<{ id: string }>(
      {
        name: '',
        text: `select id from runs where (owner_id = 'user_1' or created_by = 'user_1')
          and (strpos(${words}, $1) > 0 or id = $1) order by id desc limit 21`,
      },
      [q.toLowerCase()],
    )
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  })

  it.each([
    ['a rare word', 'needle', {}],
    ['a rare word of one owner', 'needle', { ownerId: 'user_1' }],
    ['a word that nothing has', 'none-such', {}],
    ['a word that half of them have', 'ppo', {}],
    ['a rare word among what never ran', 'needle', { status: 'queued' as const }],
  ])('%s is found without the others', async (_what, q, more) => {
    const { statement, values } = page(q, more)
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      expect(scansOf(plan, 'runs')).toEqual([])
      expect(passedOver(plan, 'runs')).toBeLessThan(MANY / 10)
    }
  })

  it('a rare word of a list that is sorted by a metric is', async () => {
    const sort = { metric: 'loss', by: 'last', order: 'asc', afterValue: null } as const
    const query = { filter: { q: 'needle' }, after: null, limit: 21, ...sort }
    const { statement, values } = sortedPageStatement(viewer, query)
    expect(await t.db.query(statement, values)).toHaveLength(MANY / 500)
    const [plan = []] = await plansOf(t.db, statement.text, orderedValues(statement, values))
    expect(passedOver(plan, 'runs')).toBeLessThan(MANY / 10)
  })
})
