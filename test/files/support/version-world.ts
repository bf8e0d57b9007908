import { afterAll, beforeAll, expect } from 'vitest'
import { deleteFiles } from '../../../src/files/delete-files.ts'
import { listTreeAt } from '../../../src/files/versions/tree-at.ts'
import { pruneClosedRows } from '../../../src/jobs/collect-rows.ts'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { testDb } from '../../support/database.ts'
import { ageFiles, pinRun } from '../../support/pins.ts'
import { makeWorld, type World, type WorldRepo } from '../../support/world.ts'

/** What the sums of an owner with one repo must be, from the rows alone. */
export const SUMS = `select r.file_count = l.count and r.total_bytes = l.bytes and r.snapshot_bytes = k.bytes and r.snapshot_count = k.names
      and a.storage_bytes = l.bytes + k.bytes and l.doomed = 0 as exact,
    json_build_array(r.file_count, l.count, r.total_bytes, l.bytes, r.snapshot_bytes, k.bytes, a.storage_bytes, l.doomed) as numbers
  from repos r join accounts a on a.id = r.owner_id
  cross join lateral (select count(*)::int as count, coalesce(sum(b.size), 0)::int8 as bytes, (count(*) filter (where b.state <> 'live'))::int as doomed
    from files f join blobs b on b.id = f.blob_id where f.repo_id = r.id and f.to_seq is null) l
  cross join lateral (select coalesce(sum(d.size), 0)::int8 as bytes, (select count(*)::int from repo_snapshots s where s.repo_id = r.id) as names from (
    select distinct f.path, b.claimed, b.size from repo_snapshots s join files f on f.repo_id = s.repo_id and f.from_seq <= s.seq and f.to_seq > s.seq
      join blobs b on b.id = f.blob_id where s.repo_id = r.id
    except select f.path, b.claimed, b.size from files f join blobs b on b.id = f.blob_id where f.repo_id = r.id and f.to_seq is null) d) k
  where r.id = $1`

/** Repos with versions: their files are put, dropped, read as they were and collected, and their sums are checked. */
export function versionWorld() {
  const database = testDb({ poolMax: 20 })
  const signal = new AbortController().signal
  let world: World
  let owner: AccountRef
  let ctx: RequestContext
  beforeAll(async () => {
    world = await makeWorld({ db: database.db, config: { gcGraceSeconds: 3600 } })
    owner = await world.user()
    ctx = world.as(owner)
  })
  afterAll(() => world?.close())
  const text = (bytes: string) => Buffer.from(bytes)
  const put = (repo: WorldRepo, path: string, bytes: string) => world.upload(ctx, repo, path, text(bytes))
  const drop = (repo: WorldRepo, ...paths: string[]) => deleteFiles(ctx, { ...repo, paths })
  const collect = async (repo: WorldRepo) => {
    await ageFiles(world, repo.id)
    await pruneClosedRows(world.deps, signal)
  }
  const treeAt = async (repo: WorldRepo, at: string, who = ctx) => {
    const page = await listTreeAt(who, { ...repo, at, prefix: '', limit: 100, after: null })
    return Object.fromEntries(page.nodes.map((file) => [file.path, file.size]))
  }
  const pin = (repo: WorldRepo, seq: number) => pinRun(world, owner.id, repo, seq)
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: { type?: string; message: string }) => `${error.type ?? 'no type'}: ${error.message}`,
    )
  const assertExact = async (repo: WorldRepo, after = '') => {
    // The owner of these tests has other repos: only the sums of the repo count.
    const [row] = await world.sql<{ numbers: number[] }>(SUMS, [repo.id])
    const [files, live, total, bytes, snapshots, kept, , doomed] = row?.numbers ?? []
    expect([files, total, snapshots, doomed], after).toEqual([live, bytes, kept, 0])
  }
  return {
    database,
    signal,
    text,
    put,
    drop,
    collect,
    treeAt,
    pin,
    refusal,
    assertExact,
    get world() {
      return world
    },
    get owner() {
      return owner
    },
    get ctx() {
      return ctx
    },
  }
}
