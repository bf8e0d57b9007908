// @module-tag sampled
import { randomBytes } from 'node:crypto'
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { presignDownload } from '../../src/files/presign-download.ts'
import { presignUpload } from '../../src/files/presign-upload.ts'
import { diffStates } from '../../src/files/versions/diff.ts'
import { historyOfRepos } from '../../src/files/versions/history.ts'
import { purgeFiles } from '../../src/files/versions/purge.ts'
import { restoreState } from '../../src/files/versions/restore.ts'
import { createSnapshot, deleteSnapshot } from '../../src/files/versions/snapshots.ts'
import { findState } from '../../src/files/versions/states.ts'
import { filesOfStates, listTreeAt } from '../../src/files/versions/tree-at.ts'
import { verifyBlob } from '../../src/jobs/blob-verify.ts'
import { deleteDoomed } from '../../src/jobs/collect-objects.ts'
import { pruneBatch, pruneClosedRows, unpinFiles } from '../../src/jobs/collect-rows.ts'
import { purgeRepo } from '../../src/jobs/repo-purge.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { testDb } from '../support/database.ts'
import { ageFiles, pinRun, seqOf } from '../support/pins.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

/** Of each race; the torture run plays many. */
const ROUNDS = sampleSize(20, 2)

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

/** What the sums of an owner with one repo must be, from the rows alone. */
const SUMS = `select r.file_count = l.count and r.total_bytes = l.bytes and r.snapshot_bytes = k.bytes and r.snapshot_count = k.names
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
const assertExact = async (repo: WorldRepo, after = '') => {
  // The owner of these tests has other repos: only the sums of the repo count.
  const [row] = await world.sql<{ numbers: number[] }>(SUMS, [repo.id])
  const [files, live, total, bytes, snapshots, kept, , doomed] = row?.numbers ?? []
  expect([files, total, snapshots, doomed], after).toEqual([live, bytes, kept, 0])
}

describe('a state', () => {
  itOnce('is named by its number, a time, a run and a snapshot, and has the files of then', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', 'one')
    const run = await pin(repo, 1)
    const time = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await put(repo, 'a', 'other')
    await put(repo, 'b', 'bb')
    await createSnapshot(ctx, { ...repo, name: 'Two.b', at: '2' })
    await drop(repo, 'a')
    expect(await treeAt(repo, '0')).toEqual({})
    for (const at of ['1', time, run]) expect(await treeAt(repo, at), at).toEqual({ a: 3 })
    for (const at of ['2', 'Two.b']) expect(await treeAt(repo, at), at).toEqual({ a: 5 })
    expect(await treeAt(repo, '3')).toEqual({ a: 5, b: 2 })
    expect(await treeAt(repo, '4')).toEqual({ b: 2 })
    expect(await findState(ctx, repo, '3')).toMatchObject({
      fileSummary: { count: 2, totalBytes: 7 },
      isCurrent: false,
    })
    expect(await refusal(treeAt(repo, '5'))).toMatch(/^not_found: .* has no change 5 yet; its latest is 4/)
    expect(await refusal(treeAt(repo, 'two.b'))).toMatch(/^not_found: The snapshot two.b/)
    expect(await refusal(treeAt(repo, '2020-01-01T00:00:00Z'))).toMatch(/^not_found: .* was created at/)
    const noTimes = ['2026-02-31T00:00:00Z', '2026-01-01', '9999-12-31T23:59:59-00:01', '0001-01-01T00:00:00+00:01']
    for (const at of ['-1', 'run_1', 'a b', '99999999999', '', ...noTimes])
      expect(await refusal(treeAt(repo, at)), at).toMatch(/^validation.value/)
  })

  itOnce('of the log is for who may write the repo; names and pins are read like the repo', async () => {
    const repo = await world.repo(owner, { visibility: 'public' })
    await put(repo, 'a', 'one')
    const run = await pin(repo, 1)
    await createSnapshot(ctx, { ...repo, name: 'v1' })
    await put(repo, 'a', 'three')
    const other = world.as(await world.user())
    const reader = world.as(owner, { kind: 'key', level: 'read' })
    const limited = world.as(owner, { kind: 'key', level: 'write', repoIds: [] })
    for (const who of [other, reader, limited, world.anonymous()])
      expect(await treeAt(repo, 'v1', who)).toEqual({ a: 3 })
    for (const who of [other, reader, limited]) {
      expect(await refusal(treeAt(repo, '1', who))).toMatch(/^forbidden.scope/)
      expect(await refusal(treeAt(repo, new Date().toISOString(), who))).toMatch(/^forbidden.scope/)
    }
    expect(await refusal(treeAt(repo, '1', world.anonymous()))).toMatch(/^auth.missing/)
    expect(await treeAt(repo, run, reader)).toEqual({ a: 3 })
    for (const who of [other, world.anonymous()])
      expect(await refusal(treeAt(repo, run, who))).toMatch(/^not_found: No run/)
    const hidden = await world.repo(owner)
    expect(await refusal(treeAt(hidden, '0', other))).toMatch(/^not_found: The repo/)
  })

  itOnce('that collection has taken a file of is 404; the ones that a run or a snapshot keeps are whole', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', '1')
    await put(repo, 'b', '22')
    await put(repo, 'a', '333')
    await createSnapshot(ctx, { ...repo, name: 'kept' })
    await put(repo, 'a', '4444')
    await pin(repo, 4)
    await drop(repo, 'a', 'b')
    await put(repo, 'c', '55555')
    await collect(repo)
    for (const at of ['1', '2'])
      expect(await refusal(treeAt(repo, at)), at).toMatch(/^not_found: .*is gone.*GC_GRACE_S/)
    expect(await treeAt(repo, 'kept')).toEqual({ a: 3, b: 2 })
    expect(await treeAt(repo, '4')).toEqual({ a: 4, b: 2 })
    expect(await treeAt(repo, '5')).toEqual({})
    expect(await treeAt(repo, '6')).toEqual({ c: 5 })
    await deleteSnapshot(ctx, { ...repo, name: 'kept' })
    expect(world.sent.at(-1)).toEqual({ job: 'files-unpin', input: { repoIds: [repo.id] } })
    await unpinFiles(world.deps.db, [repo.id], signal)
    await pruneClosedRows(world.deps, signal)
    expect(await refusal(treeAt(repo, '3'))).toMatch(/is gone/)
    expect(await treeAt(repo, '4')).toEqual({ a: 4, b: 2 })
    await assertExact(repo)
  })

  test('is whole or gone for who reads it while it is collected', async () => {
    const repo = await world.repo(owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of ['a', 'b', 'c']) await put(repo, name, `${name}${round}`)
      const at = await seqOf(world, repo)
      const state = await findState(ctx, repo, String(at))
      await drop(repo, 'a', 'b', 'c')
      await ageFiles(world, repo.id)
      const read = async () => {
        const [page] = await filesOfStates(ctx, { states: [state], prefix: '', limit: 10, after: null })
        return page instanceof Error || !page ? 'gone' : page.nodes.length
      }
      const reads: Promise<number | string>[] = []
      const sweep = pruneClosedRows(world.deps, signal)
      for (let i = 0; i < 15; i += 1) reads.push(new Promise((resolve) => setTimeout(() => resolve(read()), i * 2)))
      await sweep
      for (const found of await Promise.all(reads)) expect([3, 'gone']).toContain(found)
      expect(await read()).toBe('gone')
    }
  })

  itOnce('pages by path, and by row where a path is too long for a cursor', async () => {
    const repo = await world.repo(owner)
    const long = `${'x'.repeat(250)}/${'y'.repeat(250)}`
    for (const path of ['a', long, `${long}z`]) await put(repo, path, path.slice(0, 1))
    await drop(repo, 'a', long, `${long}z`)
    const found: string[] = []
    let after: string | null = null
    do {
      const page = await listTreeAt(ctx, { ...repo, at: '3', prefix: '', limit: 1, after })
      found.push(...page.nodes.map(({ path }) => path))
      after = page.hasNextPage && page.nodes[0] ? page.cursorOf(page.nodes[0]) : null
    } while (after !== null)
    expect(found).toEqual(['a', long, `${long}z`])
  })

  itOnce('of a deleted repo is gone with it', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', 'one')
    await createSnapshot(ctx, { ...repo, name: 'v1' })
    await drop(repo, 'a')
    const before = await world.sql<{ storage_bytes: number }>('select storage_bytes from accounts where id = $1', [
      owner.id,
    ])
    await deleteRepo(ctx, repo)
    const after = await world.sql<{ storage_bytes: number }>('select storage_bytes from accounts where id = $1', [
      owner.id,
    ])
    expect((before[0]?.storage_bytes ?? 0) - (after[0]?.storage_bytes ?? 0)).toBe(3)
    await purgeRepo(world.deps, repo.id, signal)
    await collect(repo)
    for (const table of ['files', 'repo_changes', 'repo_snapshots', 'withdrawn_files'])
      expect(await world.sql(`select 1 from ${table} where repo_id = $1`, [repo.id]), table).toEqual([])
  })
})

describeOnce('the history', () => {
  test('has a row for each change, with who made it and what it did', async () => {
    const mine = await world.user()
    const me = world.as(mine)
    const repo = await world.repo(mine)
    await world.upload(me, repo, 'a', text('one'))
    await world.upload(me, repo, 'a', text('other'))
    await deleteFiles(me, { ...repo, paths: ['a'] })
    const [page] = await historyOfRepos(me, [repo.id], { limit: 2, after: null })
    const none = { filesAdded: 0, filesRemoved: 0, filesChanged: 0, bytesAdded: 0, bytesRemoved: 0 }
    expect(page?.nodes).toMatchObject([
      {
        ...none,
        seq: 3,
        action: 'delete',
        filesRemoved: 1,
        bytesRemoved: 5,
        fileCount: 0,
        keptUntil: null,
        isCurrent: true,
      },
      {
        ...none,
        seq: 2,
        action: 'complete',
        filesChanged: 1,
        bytesAdded: 5,
        bytesRemoved: 3,
        actor: { handle: mine.handle },
      },
    ])
    expect(page?.hasNextPage).toBe(true)
    const second = page?.nodes[1]
    if (!page || !second) throw new Error('no page')
    expect(second.keptUntil).toBe(new Date(Date.parse(second.replacedAt ?? '') + 3_600_000).toISOString())
    const [rest] = await historyOfRepos(me, [repo.id], { limit: 2, after: page.cursorOf(second) })
    expect(rest?.nodes).toMatchObject([{ seq: 1, filesAdded: 1, totalBytes: 3 }])
  })
})

describe('a snapshot', () => {
  itOnce('counts what it alone keeps, and no byte twice', async () => {
    const mine = await world.user()
    const me = world.as(mine)
    const repo = await world.repo(mine)
    const stored = async () =>
      (await world.sql<{ n: number }>('select storage_bytes as n from accounts where id = $1', [mine.id]))[0]?.n
    await world.upload(me, repo, 'a', text('12345'))
    await createSnapshot(me, { ...repo, name: 'one' })
    expect(await stored()).toBe(5)
    await deleteFiles(me, { ...repo, paths: ['a'] })
    expect(await stored()).toBe(5)
    await createSnapshot(me, { ...repo, name: 'same', at: '1' })
    expect(await stored()).toBe(5)
    await restoreState(me, { ...repo, at: 'one' })
    expect(await stored()).toBe(5)
    await deleteFiles(me, { ...repo, paths: ['a'] })
    await deleteSnapshot(me, { ...repo, name: 'one' })
    expect(await stored()).toBe(5)
    await deleteSnapshot(me, { ...repo, name: 'same' })
    expect(await stored()).toBe(0)
    const small = { ...me, deps: { ...me.deps, config: { ...me.deps.config, storageQuotaBytes: 4 } } }
    expect(await refusal(createSnapshot(small, { ...repo, name: 'big', at: '1' }))).toMatch(/^quota.storage/)
    expect(await refusal(restoreState(small, { ...repo, at: '1' }))).toMatch(/^quota.storage/)
    await assertExact(repo)
  })

  itOnce('has a name of its own; agents and jobs may not delete it', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', '1')
    await createSnapshot(ctx, { ...repo, name: 'v1' })
    expect(await refusal(createSnapshot(ctx, { ...repo, name: 'v1', at: '0' }))).toMatch(
      /^conflict.taken: .* of change 1/,
    )
    const agent = world.as(owner, { kind: 'key', level: 'write', agent: true })
    await createSnapshot(agent, { ...repo, name: 'v2' })
    expect(await refusal(deleteSnapshot(agent, { ...repo, name: 'v2' }))).toMatch(/^forbidden.agent/)
    expect(await refusal(purgeFiles(agent, { ...repo, paths: ['a'] }))).toMatch(/^forbidden.agent/)
    const job = { jobId: 'run_x', repoIds: [repo.id], operations: null }
    const hosted = world.as(owner, { kind: 'key', level: 'write', job })
    for (const work of [
      () => createSnapshot(hosted, { ...repo, name: 'v3' }),
      () => deleteSnapshot(hosted, { ...repo, name: 'v2' }),
      () => purgeFiles(hosted, { ...repo, paths: ['a'] }),
      () => restoreState(hosted, { ...repo, at: '0' }),
    ])
      expect(await refusal(work())).toMatch(/^forbidden.scope/)
    expect(await refusal(deleteSnapshot(ctx, { ...repo, name: 'v3' }))).toMatch(/^not_found/)
  })

  itOnce('is one of at most 1000 of its repo', async () => {
    const repo = await world.repo(owner)
    await world.sql(
      `with made as (insert into repo_snapshots (id, repo_id, name, seq) select 'snap_' || lpad(n::text, 26, '0'), $1, 's' || n, 0 from generate_series(1, 1000) n)
       update repos set snapshot_count = 1000 where id = $1`,
      [repo.id],
    )
    expect(await refusal(createSnapshot(ctx, { ...repo, name: 'more' }))).toMatch(/^quota.snapshots: .* at most 1000/)
    await deleteSnapshot(ctx, { ...repo, name: 's7' })
    await createSnapshot(ctx, { ...repo, name: 'more' })
    await assertExact(repo)
  })

  test('that is made while its state is collected keeps all of it, or finds it gone', async () => {
    const repo = await world.repo(owner)
    const ends = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      await put(repo, 'a', `a${round}`)
      const at = await seqOf(world, repo)
      await drop(repo, 'a')
      await ageFiles(world, repo.id)
      const name = `r${round}`
      const [made] = await Promise.allSettled([
        createSnapshot(ctx, { ...repo, name, at: String(at) }),
        pruneClosedRows(world.deps, signal),
      ])
      await pruneClosedRows(world.deps, signal)
      ends.add(made.status)
      if (made.status === 'fulfilled') expect(Object.keys(await treeAt(repo, name))).toEqual(['a'])
      else expect((made.reason as Error).message).toMatch(/is gone/)
    }
    await assertExact(repo, [...ends].join())
  })

  itOnce('that holds its state makes collection wait, and then keep it', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', 'bytes')
    await drop(repo, 'a')
    await ageFiles(world, repo.id)
    let sweep: Promise<unknown> = Promise.resolve()
    await database.db.withTx(async (tx) => {
      await tx.query({ name: 't-state', text: 'select 1 from repo_changes where repo_id = $1 and seq = 1 for share' }, [
        repo.id,
      ])
      sweep = database.db.withTx((other) => pruneBatch(other, 3600))
      await untilWaiting()
      await tx.query(
        {
          name: 't-snap',
          text: `insert into repo_snapshots (id, repo_id, name, seq) values ('snap_t', $1, 'late', 1)`,
        },
        [repo.id],
      )
    })
    await sweep
    expect(await treeAt(repo, 'late')).toEqual({ a: 5 })
  })
})

async function untilWaiting() {
  const deadline = Date.now() + 10_000
  for (;;) {
    const rows = await world.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
    if (Date.now() > deadline) throw new Error('Nobody waits for a lock.')
  }
}

describeOnce('a diff', () => {
  test('names what was added, removed and changed, page by page, in both directions', async () => {
    const repo = await world.repo(owner)
    for (const [path, bytes] of Object.entries({ a: '1', b: '22', same: 's', back: 'x' })) await put(repo, path, bytes)
    const from = String(await seqOf(world, repo))
    await put(repo, 'a', '333')
    await drop(repo, 'b', 'back')
    await put(repo, 'back', 'x')
    await put(repo, 'c', '4444')
    const pages = async (given: { from: string; to?: string }) => {
      const found: [string, string, number | undefined, number | undefined][] = []
      let after: string | null = null
      do {
        const page = await diffStates(ctx, { ...repo, ...given, limit: 1, after })
        for (const { path, change, before: b, after: a } of page.nodes) found.push([path, change, b?.size, a?.size])
        after = page.hasNextPage && page.nodes[0] ? page.cursorOf(page.nodes[0]) : null
      } while (after !== null)
      return found
    }
    expect(await pages({ from })).toEqual([
      ['a', 'changed', 1, 3],
      ['b', 'removed', 2, undefined],
      ['c', 'added', undefined, 4],
    ])
    expect(await pages({ from: String(await seqOf(world, repo)), to: from })).toEqual([
      ['a', 'changed', 3, 1],
      ['b', 'added', undefined, 2],
      ['c', 'removed', 4, undefined],
    ])
    expect(await pages({ from, to: from })).toEqual([])
    await collect(repo)
    expect(await refusal(pages({ from }))).toMatch(/is gone/)
  })

  test('stays with the state of its first page, which a forged cursor does not widen', async () => {
    const repo = await world.repo(owner, { visibility: 'public' })
    await createSnapshot(ctx, { ...repo, name: 'empty' })
    for (const path of ['a', 'b', 'c']) await put(repo, path, path)
    const other = world.as(await world.user())
    const input = { ...repo, from: 'empty', limit: 1 }
    const first = await diffStates(other, { ...input, after: null })
    const [file] = first.nodes
    if (!file) throw new Error('no difference')
    const after = first.cursorOf(file)
    expect((await diffStates(other, { ...input, after })).nodes).toMatchObject([{ path: 'b' }])
    await drop(repo, 'b')
    expect(await refusal(diffStates(other, { ...input, after }))).toMatch(
      /^forbidden.scope: .* Start again without the/,
    )
    expect((await diffStates(ctx, { ...input, after })).nodes).toMatchObject([{ path: 'b' }])
  })
})

describe('restoring', () => {
  itOnce('makes the live files those of the state, as a change that can be undone', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', '1')
    await put(repo, 'b', '22')
    await put(repo, 'a', '333')
    await put(repo, 'c', '4444')
    await drop(repo, 'b')
    expect(await restoreState(ctx, { ...repo, at: '2', ifSeq: 5 })).toEqual({
      seq: 6,
      restoredSeq: 2,
      added: 1,
      removed: 1,
      changed: 1,
    })
    expect(await treeAt(repo, '6')).toEqual({ a: 1, b: 2 })
    expect(await restoreState(ctx, { ...repo, at: '2' })).toMatchObject({ seq: 6, added: 0, removed: 0, changed: 0 })
    await restoreState(ctx, { ...repo, at: '5' })
    expect(await treeAt(repo, '7')).toEqual({ a: 3, c: 4 })
    expect(await refusal(restoreState(ctx, { ...repo, at: '2', ifSeq: 6 }))).toMatch(
      /^precondition.failed: .* at change 7, not 6/,
    )
    expect(await restoreState(ctx, { ...repo, at: '0' })).toMatchObject({ removed: 2 })
    await assertExact(repo)
  })

  itOnce('is for some files and folders where they are named', async () => {
    const repo = await world.repo(owner)
    for (const path of ['x/1', 'x/2', 'xy', 'z']) await put(repo, path, path)
    await drop(repo, 'x/1', 'x/2', 'xy', 'z')
    await restoreState(ctx, { ...repo, at: '4', paths: ['x/', 'z'] })
    expect(await treeAt(repo, '6')).toEqual({ 'x/1': 3, 'x/2': 3, z: 1 })
  })

  test('undoes no push that comes at the same time, if it says which change it knows', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'a', 'a')
    for (let round = 0; round < ROUNDS; round += 1) {
      const known = await seqOf(world, repo)
      await Promise.allSettled([
        restoreState(ctx, { ...repo, at: '0', ifSeq: known }),
        put(repo, `new${round}`, `${round}`),
      ])
      const files = await treeAt(repo, String(await seqOf(world, repo)))
      expect(files[`new${round}`]).toBe(String(round).length)
      await assertExact(repo, `round ${round}`)
    }
  })
})

describe('purging', () => {
  itOnce(
    'leaves a pending upload of the path alone: it is no state yet, and its completion is a new change',
    async () => {
      const account = await world.user()
      const own = world.as(account)
      const repo = await world.repo(account)
      await world.upload(own, repo, 'key.pem', text('secret'))
      const clean = text('clean')
      const { uploads } = await presignUpload(own, {
        ...repo,
        files: [{ path: 'key.pem', size: clean.length, sha256: sha256Of(clean) }],
      })
      expect(await purgeFiles(own, { ...repo, paths: ['key.pem'] })).toEqual({ purged: ['key.pem'], missing: [] })
      expect(await world.sql('select state from uploads where id = $1', [uploads[0]?.uploadId])).toEqual([
        { state: 'pending' },
      ])
      // The same upload is resumed, not another one begun.
      await world.upload(own, repo, 'key.pem', clean)
      expect(await world.sql('select state from uploads where id = $1', [uploads[0]?.uploadId])).toEqual([
        { state: 'completed' },
      ])
      expect(await treeAt(repo, '3', own)).toEqual({ 'key.pem': clean.length })
      expect(await treeAt(repo, '1', own)).toEqual({})
      await assertExact(repo)
    },
  )

  itOnce('takes the bytes out of every state and deletes the object at once; a repeat finds nothing', async () => {
    const repo = await world.repo(owner)
    const secret = randomBytes(40)
    await world.upload(ctx, repo, 'key', secret)
    await put(repo, 'a', 'a')
    await createSnapshot(ctx, { ...repo, name: 'v1' })
    const run = await pin(repo, 2)
    await world.upload(ctx, repo, 'key', randomBytes(30))
    const [blob] = await world.sql<{ key: string }>('select storage_key as key from blobs where claimed = $1', [
      sha256Of(secret),
    ])
    expect(await purgeFiles(ctx, { ...repo, paths: ['key', 'none'] })).toEqual({ purged: ['key'], missing: ['none'] })
    expect(world.sent.at(-1)?.job).toBe('objects-delete')
    await deleteDoomed(world.deps, world.disk, signal)
    expect(await world.disk.head(blob?.key ?? '')).toBeNull()
    for (const at of ['v1', run, '1', '4']) expect(await treeAt(repo, at), at).toEqual(at === '1' ? {} : { a: 1 })
    expect(await findState(ctx, repo, 'v1')).toMatchObject({
      withdrawnCount: 1,
      fileSummary: { count: 1, totalBytes: 1 },
    })
    expect(await refusal(presignDownload(ctx, { ...repo, paths: ['key'], at: run }))).toMatch(
      /^not_found: .*"key" was purged/,
    )
    expect(await purgeFiles(ctx, { ...repo, paths: ['key'] })).toEqual({ purged: [], missing: ['key'] })
    await assertExact(repo)
    const [entry] = await world.sql<{ before: unknown }>(
      `select before from audit_log where target_id = $1 and action = 'files.purge'`,
      [repo.id],
    )
    expect(entry?.before).toMatchObject({
      versions: 2,
      files: [{ path: 'key', sha256: sha256Of(secret) }, { path: 'key' }],
    })
    await put(repo, 'key', 'clean')
    await restoreState(ctx, { ...repo, at: 'v1' })
    expect(await treeAt(repo, String(await seqOf(world, repo)))).toMatchObject({ key: 5 })
  })

  test('leaves bytes that another path holds, also one that is linked at the same time', async () => {
    const repo = await world.repo(owner)
    const other = await world.repo(owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = randomBytes(20)
      await world.upload(ctx, repo, 'a', bytes)
      await Promise.all([purgeFiles(ctx, { ...repo, paths: ['a'] }), world.upload(ctx, other, `b${round}`, bytes)])
      const [live] = await world.sql(
        'select b.state from files f join blobs b on b.id = f.blob_id where f.repo_id = $1 and f.path = $2',
        [other.id, `b${round}`],
      )
      expect(live).toEqual({ state: 'live' })
    }
  })
})

describeOnce('bytes that the hub rejects', () => {
  test('are no file of any state, whatever keeps the state', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(25)
    await world.upload(ctx, repo, 'big', bytes)
    const claimed = sha256Of(randomBytes(32))
    await world.sql('update blobs set sha256 = null, verified_at = null, claimed = $2 where sha256 = $1', [
      sha256Of(bytes),
      claimed,
    ])
    await world.sql('update repos set verified_count = 0 where id = $1', [repo.id])
    await createSnapshot(ctx, { ...repo, name: 'v1' })
    await drop(repo, 'big')
    await restoreState(ctx, { ...repo, at: 'v1' })
    const [blob] = await world.sql<{ id: string }>('select id from blobs where claimed = $1', [claimed])
    await verifyBlob(world.deps, blob?.id ?? '', signal)
    expect(await treeAt(repo, 'v1')).toEqual({})
    expect(await refusal(presignDownload(ctx, { ...repo, paths: ['big'], at: 'v1' }))).toMatch(
      /was rejected by the hub/,
    )
    await assertExact(repo)
  })
})

test('sums stay exact through any sequence of changes, also concurrent ones', async () => {
  const mine = await world.user()
  const me = world.as(mine)
  const repo = await world.repo(mine)
  let random = 7
  const pick = (n: number) => {
    random = (random * 48_271) % 2_147_483_647
    return random % n
  }
  const path = () => ['a', 'b', 'c'][pick(3)] ?? 'a'
  const bytes = () => text('x'.repeat(1 + pick(3)))
  const state = () => String(pick(30))
  const steps = [
    () => world.upload(me, repo, path(), bytes()),
    () => world.upload(me, repo, path(), bytes()),
    () => deleteFiles(me, { ...repo, paths: [path()] }),
    () => createSnapshot(me, { ...repo, name: `s${pick(4)}`, at: pick(2) ? state() : null }),
    () => deleteSnapshot(me, { ...repo, name: `s${pick(4)}` }),
    () => restoreState(me, { ...repo, at: state() }),
    () => purgeFiles(me, { ...repo, paths: pick(4) ? ['c'] : [path()] }),
    () =>
      ageFiles(world, repo.id)
        .then(() => unpinFiles(world.deps.db, [repo.id], signal))
        .then(() => pruneClosedRows(world.deps, signal)),
  ]
  const step = () => steps[pick(steps.length)]?.()
  for (let round = 0; round < 5 * ROUNDS; round += 1) {
    const together = round % 3 === 0 ? 3 : 1
    const ends = await Promise.allSettled(Array.from({ length: together }, step))
    for (const end of ends) {
      // Of two equal uploads at once, which share their parts, the store refuses a part that comes after the other's end.
      if (end.status === 'rejected' && end.reason.code !== 'no_such_upload')
        expect(end.reason).toMatchObject({ type: expect.stringMatching(/not_found|conflict/) })
    }
    const [row] = await world.sql<{ exact: boolean }>(SUMS, [repo.id])
    expect(row, `round ${round}`).toMatchObject({ exact: true })
    const states = await world.sql<{ whole: boolean; seq: number }>(
      `select c.seq, c.file_count = s.count and c.total_bytes = s.bytes as whole from repo_changes c cross join lateral (
        select count(*)::int as count, coalesce(sum(b.size), 0)::int8 as bytes from files f join blobs b on b.id = f.blob_id
        where f.repo_id = c.repo_id and f.from_seq <= c.seq and (f.to_seq is null or f.to_seq > c.seq)) s where c.repo_id = $1`,
      [repo.id],
    )
    expect(
      states.filter(({ whole }) => !whole),
      `round ${round}`,
    ).toEqual([])
  }
})
