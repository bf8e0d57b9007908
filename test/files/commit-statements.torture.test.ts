/**
 * What a commit asks of the database: as many statements for 100 files as for ten, none of which reads a table from
 * end to end.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { commitFiles } from '../../src/files/commit/commit-files.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { testDb } from '../support/database.ts'
import { type Plan, scansOf } from '../support/plans.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const OTHERS = 40_000
const database = testDb()
let world: World
let owner: AccountRef
let ctx: RequestContext

/** Most rows of a hub are of other repos: to read all of them would cost more than to find these. */
beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
  const other = await world.repo(owner)
  const digest = 'md5(n::text) || md5(n::text)'
  for (const [text, values] of [
    [
      `insert into blobs (id, storage_key, size, claimed, sha256, verified_at)
        select 'other_' || n, 'others/' || n, 1, ${digest}, ${digest}, now() from generate_series(1, $1::int) n`,
      [OTHERS],
    ],
    [
      `insert into files (repo_id, path, from_seq, blob_id)
        select $1, 'bulk/' || n, 1, 'other_' || n from generate_series(1, $2::int) n`,
      [other.id, OTHERS],
    ],
    [
      `insert into uploads (id, repo_id, account_id, owner_id, path, size, sha256, storage_key, store_upload_id, part_size, state)
        select 'upl_' || n, $1, $2, $2, 'bulk/' || n, 1, ${digest}, 'others/' || n, 'gone', 1, 'completed'
          from generate_series(1, $3::int) n`,
      [other.id, owner.id, OTHERS],
    ],
    [
      `insert into repo_changes (repo_id, seq, at, replaced_at, action, file_count, total_bytes)
        select $1, n, now(), now(), 'complete', $2::int, $2::int from generate_series(1, $2::int) n`,
      [other.id, OTHERS],
    ],
    ...['blobs', 'files', 'uploads', 'repo_changes'].map((table) => [`vacuum analyze ${table}`, []] as const),
  ] as const)
    await world.sql(text, [...values])
})
afterAll(() => world?.close())

let made = 0
const content = () => {
  made += 1
  return Buffer.from(`content ${made}`).toString('base64')
}
const namesOf = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/${at}`)

interface Sent {
  readonly text: string
  readonly values: unknown[]
}

/** The statements that `work` sends to this file's database, of which `begin` and `commit` are some: hubs of other files in this process send theirs to others. */
async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const name = new URL(database.url).pathname.slice(1)
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    const { contexts, calls } = query.mock as unknown as { contexts: pg.Client[]; calls: [string | Partial<Sent>][] }
    return calls
      .filter((_, at) => contexts[at]?.database === name)
      .map(([sent]) =>
        typeof sent === 'string' ? { text: sent, values: [] } : { text: sent.text ?? '', values: sent.values ?? [] },
      )
  } finally {
    query.mockRestore()
  }
}

const brings = (repo: WorldRepo, folder: string, count: number) =>
  commitFiles(ctx, { ...repo, add: namesOf(folder, count).map((path) => ({ path, content: content() })) })

/** A commit that does everything: deletes files and a folder, replaces, adds and copies, `count` times each. */
async function commitOf(count: number): Promise<Sent[]> {
  const repo = await world.repo(owner)
  for (const folder of ['gone', 'replaced', 'kept', 'folder']) await brings(repo, folder, count)
  return sentBy(async () => {
    const done = await commitFiles(ctx, {
      ...repo,
      message: 'everything',
      delete: [...namesOf('gone', count), 'folder/'],
      add: [...namesOf('replaced', count), ...namesOf('new', count)].map((path) => ({ path, content: content() })),
      copy: namesOf('kept', count).map((from) => ({ from, path: `copied/${from}`, at: '4' })),
    })
    expect(done).toMatchObject({ added: 2 * count, changed: count, removed: 2 * count })
  })
}

it('sends as many statements for 100 files of each kind as for 10', async () => {
  // The first one prepares what later ones find.
  await commitOf(1)
  const [few, many] = [await commitOf(10), await commitOf(100)]
  expect(many.map(({ text }) => text)).toEqual(few.map(({ text }) => text))
  // The repo keeps its owner while contents are kept, and their uploads are found and read; then the one transaction of
  // all changes.
  expect(many).toHaveLength(27)
})

it('reads no table from end to end, whether its plan is made for these values or for any', async () => {
  const sent = await commitOf(100)
  const asked = sent.filter(({ text }) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text))
  expect(asked).toHaveLength(21)
  const { pool } = database.db
  for (const { text, values } of asked)
    for (const explained of [
      await pool.query<Explained>(`explain (format json) ${text}`, values),
      await pool.query<Explained>(`explain (generic_plan, format json) ${text}`),
    ]) {
      const nodes = explained.rows.flatMap((row) => allOf(row['QUERY PLAN'][0].Plan))
      expect(nodes.length).toBeGreaterThan(0)
      for (const table of ['files', 'blobs', 'uploads', 'repo_changes'])
        expect([text, scansOf(nodes, table).length]).toEqual([text, 0])
    }
})

interface Explained {
  readonly 'QUERY PLAN': [{ readonly Plan: Plan }]
}
const allOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(allOf)]
