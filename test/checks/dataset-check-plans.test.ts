/** What the minute reads of data sets that changed within a day: those that it has not looked at, and no others. */
import { beforeAll, expect, it } from 'vitest'
import { fileMarked } from '../../src/checks/datasets/file-checks.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, passedOver, plansOf, scansOf } from '../support/plans.ts'

const t = testDb()
const CHANGED = 3000
const tables = ['dataset_meta', 'dataset_checks', 'repos', 'files']

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'ada')`,
    `insert into repos (id, owner_id, slug, kind, seq)
      select 'repo_' || n, 'user_1', 'd' || n, 'dataset', 1 from generate_series(1, ${CHANGED}) n`,
    `insert into dataset_meta (repo_id, episode_count, total_frames)
      select 'repo_' || n, 1, 300 from generate_series(1, ${CHANGED}) n`,
    `insert into blobs (id, storage_key, size, etag, claimed) values ('blob_1', 'b', 2, 'e', repeat('a', 64))`,
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select 'repo_' || n, 'meta/info.json', 1, 'blob_1', 'text/plain' from generate_series(1, ${CHANGED}) n`,
    `insert into dataset_checks (repo_id, owner_id, status, cause, seq, requested_at)
      select 'repo_' || n, 'user_1', 'succeeded', 'commit', 1, now() - interval '1 hour' from generate_series(1, ${CHANGED}) n`,
    'update dataset_meta set check_due_at = null',
    'vacuum analyze repos, dataset_meta, dataset_checks, files',
  ])
    await t.db.query({ name: '', text })
})

type Plans = Awaited<ReturnType<typeof plansOf>>
const rowsOf = (plan: Plans[number], table: string) =>
  plan
    .filter((node) => node['Relation Name'] === table && node['Node Type'] !== 'ModifyTable')
    .reduce((sum, node) => sum + node['Actual Loops'] * Number(node['Actual Rows']), passedOver(plan, table))
const plans = () => plansOf(t.db, fileMarked.text, orderedValues(fileMarked, { quota: 100 }))

it('none of them where nothing has changed since', async () => {
  for (const plan of await plans()) {
    for (const table of tables) {
      expect(scansOf(plan, table)).toEqual([])
      expect(rowsOf(plan, table)).toBe(0)
    }
    expect(blocksOf(plan)).toBeLessThan(10)
  }
})

it('one of them after a commit', async () => {
  const read: number[] = []
  for (const at of [1, 2]) {
    await t.db.query({ name: '', text: `update repos set seq = 2 where id = 'repo_${at}'` })
    const [plan] = await plans()
    if (plan) read.push(rowsOf(plan, 'repos'), rowsOf(plan, 'dataset_checks'))
    for (const table of tables) expect(scansOf(plan ?? [], table)).toEqual([])
  }
  // The marked one, once more to tell who waits for it, and those that its owner has started today.
  expect(Math.min(...read)).toBeGreaterThan(0)
  expect(Math.max(...read)).toBeLessThan(5)
  expect(await t.db.query({ name: '', text: 'select 1 from dataset_meta where check_due_at is not null' })).toEqual([])
})
