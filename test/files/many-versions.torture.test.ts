/** A repo with thousands of changes: what a page of a state, of a diff and of the history reads does not grow with them. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { diffStates } from '../../src/files/versions/diff.ts'
import { fileHistory } from '../../src/files/versions/file-history.ts'
import { historyOfRepos } from '../../src/files/versions/history.ts'
import { lastCommitsOf } from '../../src/files/versions/last-commits.ts'
import { findState } from '../../src/files/versions/states.ts'
import { listTreeAt } from '../../src/files/versions/tree-at.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { type NamedStatement, orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const CHANGES = 4000
const HOT = 20
const STABLE = 2000

const database = testDb()
let world: World
let owner: AccountRef
let ctx: RequestContext
let reader: RequestContext
let repo: WorldRepo

/** The first change brings the stable files, each later one replaces one of the hot ones: twenty files with two hundred versions. */
beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
  reader = world.as(await world.user())
  repo = await world.repo(owner, { visibility: 'public' })
  const other = await world.repo(owner)
  await world.sql(
    `insert into blobs (id, storage_key, size, claimed, sha256, verified_at)
      select 'blob_' || n, 'blobs/' || n, 1, lpad(to_hex(n), 64, '0'), lpad(to_hex(n), 64, '0'), now() from generate_series(1, $1) n`,
    [CHANGES],
  )
  await world.sql(
    `insert into files (repo_id, path, from_seq, to_seq, blob_id, closed_at)
      select r, 'hot/' || lpad((n % $3::int)::text, 2, '0'), n, case when n + $3::int <= $2::int then n + $3::int end, 'blob_' || n, case when n + $3::int <= $2::int then now() end
        from generate_series(2, $2::int) n, unnest($1::text[]) r
      union all select r, 'stable/' || lpad(n::text, 5, '0'), 1, null, 'blob_1', null from generate_series(1, $4::int) n, unnest($1::text[]) r`,
    [[repo.id, other.id], CHANGES, HOT, STABLE],
  )
  await world.sql(
    `insert into repo_changes (repo_id, seq, at, replaced_at, action, files_changed, file_count, total_bytes)
      select r, n, now() - make_interval(secs => $2::int - n), case when n < $2::int then now() - make_interval(secs => $2::int - n - 1) end, 'complete', 1, $3::int, $3::int
        from generate_series(1, $2::int) n, unnest($1::text[]) r`,
    [[repo.id, other.id], CHANGES, HOT + STABLE],
  )
  await world.sql('update repos set seq = $2::int, file_count = $3::int, total_bytes = $3::int where id = any($1)', [
    [repo.id, other.id],
    CHANGES,
    HOT + STABLE,
  ])
  // As many as a repo may have.
  await world.sql(
    `insert into repo_snapshots (id, repo_id, name, seq) select 'snap_' || n, $1, 'v' || n, n * 4 from generate_series(1, 999) n`,
    [repo.id],
  )
  // Most files and blobs of a hub belong to other repos: reading all of them would cost more than finding these.
  await world.sql(
    `insert into blobs (id, storage_key, size, claimed, sha256, verified_at)
      select 'other_' || n, 'others/' || n, 1, md5(n::text) || md5(n::text), md5(n::text) || md5(n::text), now() from generate_series(1, $1::int) n`,
    [20 * CHANGES],
  )
  await world.sql(
    `insert into files (repo_id, path, from_seq, blob_id) select $1, 'bulk/' || n, 1, 'other_' || n from generate_series(1, $2::int) n`,
    [other.id, 20 * CHANGES],
  )
  await world.sql('checkpoint')
  await world.sql('vacuum analyze blobs')
  await world.sql('vacuum analyze files')
  await world.sql('vacuum analyze repo_changes')
})
afterAll(() => world?.close())

const tree = (at: string, limit: number, prefix = '') => listTreeAt(ctx, { ...repo, at, prefix, limit, after: null })
const diff = (from: number, to: number | null, limit: number) =>
  diffStates(ctx, { ...repo, from: String(from), to: to === null ? null : String(to), limit, after: null })
const last = async (at: string, limit: number) => {
  const paths = Array.from({ length: limit }, (_, n) =>
    n < HOT ? `hot/${`${n}`.padStart(2, '0')}` : `stable/0000${n % 10}`,
  )
  return lastCommitsOf(ctx, await findState(ctx, repo, at), ['stable', 'hot', ...paths].slice(0, limit))
}
const ofFile = (who: RequestContext, path: string, limit: number) =>
  fileHistory(who, { ...repo, path, limit, after: null })
const history = (limit: number) => historyOfRepos(ctx, [repo.id], { limit, after: null })

/** Each with twice the blocks of 8 KiB that it was measured to read. A page of a state reads the versions of its files until then; nothing else depends on their number. */
const reads: readonly (readonly [name: string, blocks: number, read: (limit: number) => Promise<unknown>])[] = [
  ['a page of an old state', 1000, (limit) => tree('1000', limit)],
  ['a page of the current state by its number', 3000, (limit) => tree(String(CHANGES), limit)],
  ['a page of a folder of an old state', 40, (limit) => tree('1000', limit, 'stable/01')],
  ['the last commits of a page', 3600, (limit) => last('1000', limit)],
  ['a page of the diff of neighbors', 70, (limit) => diff(2000, 2001, limit)],
  ['a page of the diff of distant states', 800, (limit) => diff(500, null, limit)],
  ['a page of the history of a file', 5000, (limit) => ofFile(ctx, 'hot/03', limit)],
  ['a page of the history of a file that never changed', 40, (limit) => ofFile(ctx, 'stable/00003', limit)],
  ['a page of the history of a file as its readers see it', 16_000, (limit) => ofFile(reader, 'hot/03', limit)],
  ['a page of the history', 450, (limit) => history(limit)],
]

describe('in a repo with thousands of changes', () => {
  test.each(reads)('%s costs the same number of statements at any size', async (_name, _blocks, read) => {
    const count = async (limit: number) => {
      const sent = database.record()
      await read(limit)
      return sent.length
    }
    const small = await count(2)
    expect(await count(100)).toBe(small)
    expect(small).toBeLessThanOrEqual(5)
  })

  test.each(reads)('%s reads no table from end to end, and at most %i blocks', async (_name, blocks, read) => {
    const query = vi.spyOn(database.db, 'query')
    await read(100)
    const asked = query.mock.calls as unknown as [NamedStatement<unknown, never>, never][]
    query.mockRestore()
    expect(asked.length).toBeGreaterThan(0)
    for (const [statement, values] of asked)
      for (const plan of await plansOf(database.db, statement.text, orderedValues(statement, values))) {
        for (const table of ['files', 'blobs', 'repo_changes']) expect(scansOf(plan, table)).toEqual([])
        expect([statement.text, blocksOf(plan) <= blocks]).toEqual([statement.text, true])
      }
  })

  test('finds what differs', async () => {
    const paths = async (from: number, to: number | null) =>
      (await diff(from, to, 100)).nodes.map(({ path, change }) => `${change} ${path}`)
    expect(await paths(2000, 2001)).toEqual(['changed hot/01'])
    expect(await paths(500, null)).toHaveLength(HOT)
    expect((await tree('1000', 3)).nodes.map(({ path, sha256 }) => [path, Number.parseInt(sha256 ?? '', 16)])).toEqual([
      ['hot/00', 1000],
      ['hot/01', 981],
      ['hot/02', 982],
    ])
  })
})
