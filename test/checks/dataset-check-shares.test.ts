/** Each owner has a share of the data sets that a minute looks at, and waits for its own number of a day alone. */
import { beforeAll, expect, it } from 'vitest'
import { fileDue, fileMarked } from '../../src/checks/datasets/file-checks.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const sql = <T>(text: string) => t.db.query<T>({ name: '', text })
/** More than a minute looks at. */
const MANY = 2500
const QUOTA = 100

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'ada'), ('user_2', 'user', 'bob')`,
    `insert into repos (id, owner_id, slug, kind, seq)
      select 'repo_' || n, case when n > ${MANY} then 'user_2' else 'user_1' end, 'd' || n, 'dataset', 1
      from generate_series(1, ${MANY + 1}) n`,
    `insert into dataset_meta (repo_id, episode_count, total_frames)
      select 'repo_' || n, 1, 300 from generate_series(1, ${MANY + 1}) n`,
    `insert into blobs (id, storage_key, size, etag, claimed) values ('blob_1', 'b', 2, 'e', repeat('a', 64))`,
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select 'repo_' || n, 'meta/info.json', 1, 'blob_1', 'text/plain' from generate_series(1, ${MANY + 1}) n`,
  ])
    await sql(text)
})

const ownersOf = async (condition: string) =>
  (
    await sql<{ owner: string; count: number }>(
      `select check_owner_id as owner, count(*)::int as count from dataset_meta where ${condition} group by 1 order by 1`,
    )
  ).map(({ owner, count }) => [owner, count])

it('of which the last one of another owner is among the first', async () => {
  const filed = await t.db.query(fileMarked, { quota: QUOTA })
  expect(filed.filter(({ ownerId }) => ownerId === 'user_2')).toHaveLength(1)
  expect(filed.filter(({ ownerId }) => ownerId === 'user_1')).toHaveLength(QUOTA)
  // Half of the minute each; those beyond the number of a day wait until its first one is a day old.
  expect(await ownersOf('check_due_at is null')).toEqual([
    ['user_1', QUOTA],
    ['user_2', 1],
  ])
  expect(await ownersOf(`check_due_at > now() + interval '23 hours'`)).toEqual([['user_1', 500 - QUOTA]])
  expect(await ownersOf('check_due_at <= now()')).toEqual([['user_1', MANY - 500]])
})

it('of which a lone owner has all, and a mark goes with its data set to another owner', async () => {
  await sql(`update dataset_checks set counted_since = now() - interval '20 hours' where owner_id = 'user_1'`)
  await t.db.query(fileMarked, { quota: QUOTA })
  expect(await ownersOf('check_due_at <= now()')).toEqual([['user_1', MANY - 500 - 1000]])
  expect(await ownersOf(`check_due_at between now() + interval '3 hours' and now() + interval '5 hours'`)).toEqual([
    ['user_1', 1000],
  ])
  await sql(`update repos set owner_id = 'user_2' where id = (
    select repo_id from dataset_meta where check_due_at <= now() limit 1)`)
  expect(await ownersOf('check_due_at <= now()')).toEqual([
    ['user_1', MANY - 500 - 1000 - 1],
    ['user_2', 1],
  ])
})

it('of which two hubs at the same moment begin no more than the number of a day', async () => {
  await sql(`update dataset_checks set counted_since = now() - interval '2 days'`)
  await sql(`update dataset_meta set check_due_at = now(), check_owner_id = 'user_1' where repo_id in (
    select r.id from repos r left join dataset_checks d on d.repo_id = r.id
    where r.owner_id = 'user_1' and d.repo_id is null)`)
  const begin = async (db: Parameters<typeof fileDue>[0]) =>
    (await fileDue(db, QUOTA)).filter(({ ownerId }) => ownerId === 'user_1').length
  // The second one comes while the first has begun checks that nobody else sees yet.
  const begun = await t.db.withTx(async (tx) => [await begin({ withTx: (work) => work(tx) }), await begin(t.db)])
  expect(begun).toEqual([QUOTA, 0])
  expect(await Promise.all([begin(t.db), begin(t.db)])).toEqual([0, 0])
})
