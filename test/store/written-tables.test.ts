/** Every table is bounded: its rows come by statements whose bytes count against the budget of who sent them, or here is why they need not. */
import { expect, it } from 'vitest'
import { writesOf } from '../../src/store/write-budget.ts'
import { builtStatements } from '../support/built-statements.ts'
import { testDb } from '../support/database.ts'

const t = testDb()

/** Tables that get rows in another way. */
const uncounted: Readonly<Record<string, string>> = {
  _prisma_migrations: 'one row a migration',
  changes: 'by triggers, one row for each thing of another table, for a day',
  repo_facet_changes: 'by triggers, two rows for a change of a repo at most, for a minute',
  run_facet_changes: 'by triggers, two rows for a change of a run at most, for a minute',
  run_measurements: 'not written any more',
  unfiled_metrics: 'by a trigger, one row for a run that has ended, until its file is written',
}

it('a statement that counts what it writes fills each table, but those named here', async () => {
  const tables = await t.db.query<{ name: string }>({
    name: '',
    text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  })
  const filled = new Set<string>()
  for (const { text } of await builtStatements())
    for (const [, table = ''] of text.matchAll(/\binsert\s+into\s+(\w+)/gi))
      if (writesOf(text) === 'rows') filled.add(table)
  const without = tables.map(({ name }) => name).filter((name) => !filled.has(name))
  expect(without.sort()).toEqual(Object.keys(uncounted).sort())
})

it('what changes rows is counted too, and what only locks them is not', () => {
  expect(writesOf('update runs u set status = :status where u.id = :id')).toBe('changes')
  expect(writesOf('with a as (update runs set x = 1 returning id) select id from a')).toBe('changes')
  expect(writesOf('INSERT INTO runs (id) values (:id) on conflict (id) do update set id = excluded.id')).toBe('rows')
  expect(writesOf('select id from runs where id = :id for update')).toBeUndefined()
  expect(writesOf('delete from runs where id = :id')).toBeUndefined()
})
