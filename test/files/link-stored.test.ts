// @module-tag sampled
/** Files whose bytes the hub has need no upload, if the caller can read those bytes somewhere. */

import { itOnce, sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { linkBlobs } from '../../src/files/link-blobs.ts'
import { linkStored } from '../../src/files/link-stored.ts'
import { presignUpload } from '../../src/files/presign-upload.ts'
import { contentOf, findReadable, readableBlobs } from '../../src/files/readable-blobs.ts'
import { deleteDoomed } from '../../src/jobs/collect-objects.ts'
import { pruneClosedRows } from '../../src/jobs/collect-rows.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { ageFiles } from '../support/pins.ts'
import { plansOf } from '../support/plans.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

const database = testDb()
let world: World
let owner: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
})
afterAll(() => world.close())

/** Of a link and a collection at once. */
const ROUNDS = sampleSize(40, 8, 12)
let made = 0
/** Bytes that no other test has. */
const unique = () => {
  made += 1
  return Buffer.from(`bytes ${made}`)
}
const fileOf = (path: string, bytes: Uint8Array) => ({ path, size: bytes.length, sha256: sha256Of(bytes) })
const link = (who: RequestContext, repo: WorldRepo, files: Parameters<typeof linkStored>[1]['files']) =>
  linkStored(who, { ...repo, files })
const sums = async (repo: WorldRepo) =>
  (
    await world.sql<Record<string, number>>(
      `select r.file_count as files, r.total_bytes as bytes, r.verified_count as verified, r.seq, a.storage_bytes as stored,
         a.reserved_bytes as reserved, a.pending_uploads as pending
       from repos r join accounts a on a.id = r.owner_id where r.id = $1`,
      [repo.id],
    )
  )[0]

describe('linkFiles', () => {
  itOnce('links found bytes as a completion would, and lists the missing ones', async () => {
    const account = await world.user()
    const own = world.as(account)
    const [from, to] = [await world.repo(account), await world.repo(account)]
    const [bytes, other] = [unique(), unique()]
    await world.upload(own, from, 'a.xml', bytes)
    await world.upload(own, to, 'old', other)
    const linked = await link(own, to, [fileOf('b.json', bytes), fileOf('new', unique()), fileOf('old', bytes)])
    expect(linked.missing).toEqual(['new'])
    expect(linked.files).toMatchObject([
      { path: 'b.json', size: bytes.length, sha256: sha256Of(bytes), mime: 'application/json' },
      { path: 'old', size: bytes.length, sha256: sha256Of(bytes) },
    ])
    const stored = 3 * bytes.length
    expect(await sums(to)).toEqual({
      ...{ files: 2, bytes: 2 * bytes.length, verified: 2, seq: 2 },
      ...{ stored, reserved: 0, pending: 0 },
    })
    const blobs = await world.sql('select state from blobs where claimed = $1', [sha256Of(bytes)])
    expect(blobs).toEqual([{ state: 'live' }])
    const [entry] = await world.sql<{ action: string }>(
      'select action from audit_log where target_id = $1 order by id desc limit 1',
      [to.id],
    )
    expect(entry).toEqual({ action: 'files.complete' })
  })

  itOnce('copies and renames inside a repo, beside a pending upload of the same file', async () => {
    const repo = await world.repo(owner)
    const bytes = unique()
    await world.upload(ctx, repo, 'a', bytes)
    await presignUpload(ctx, { ...repo, files: [fileOf('b', bytes)] })
    expect((await link(ctx, repo, [fileOf('b', bytes)])).files).toHaveLength(1)
    await deleteFiles(ctx, { ...repo, paths: ['a'] })
    expect((await link(ctx, repo, [fileOf('c', bytes)])).missing).toEqual([])
  })

  itOnce('finds bytes only in live files that the caller can read', async () => {
    const [eve, target] = [await world.user(), await world.repo(owner)]
    const [theirs, open] = [await world.repo(eve), await world.repo(eve, { visibility: 'public' })]
    const [secret, shared, gone, unverified] = [unique(), unique(), unique(), unique()]
    await world.upload(world.as(eve), theirs, 'secret', secret)
    await world.upload(world.as(eve), open, 'shared', shared)
    await world.upload(ctx, target, 'gone', gone)
    await deleteFiles(ctx, { ...target, paths: ['gone'] })
    await world.upload(ctx, target, 'unverified', unverified)
    await world.sql('update blobs set sha256 = null, verified_at = null where claimed = $1', [sha256Of(unverified)])
    const wanted = { secret, shared, gone, unverified, never: unique() }
    const files = Object.entries(wanted).map(([path, bytes]) => fileOf(`new-${path}`, bytes))
    const answer = await link(ctx, target, files)
    expect(answer.files.map(({ path }) => path)).toEqual(['new-shared'])
    expect(answer.missing).toEqual(['new-secret', 'new-gone', 'new-unverified', 'new-never'])
  })

  itOnce('finds no bytes of another size, whatever their digest', async () => {
    const repo = await world.repo(owner)
    const bytes = unique()
    await world.upload(ctx, repo, 'a', bytes)
    expect((await link(ctx, repo, [{ ...fileOf('b', bytes), size: bytes.length + 1 }])).missing).toEqual(['b'])
  })

  itOnce('finds for a limited key only bytes of its repos and of public ones', async () => {
    const [listed, other] = [await world.repo(owner), await world.repo(owner)]
    const [ours, theirs] = [unique(), unique()]
    await world.upload(ctx, listed, 'a', ours)
    await world.upload(ctx, other, 'a', theirs)
    const limited = world.as(owner, { kind: 'key', repoIds: [listed.id] })
    const asked = [fileOf('ours', ours), fileOf('theirs', theirs)]
    expect(await link(limited, listed, asked)).toMatchObject({ files: [{ path: 'ours' }], missing: ['theirs'] })
    await expect(link(limited, other, asked)).rejects.toMatchObject({ type: 'not_found' })
  })

  itOnce(
    'finds for the key of a hosted job only bytes that it may read, and links into repos of its job alone',
    async () => {
      const [named, made, other] = [await world.repo(owner), await world.repo(owner), await world.repo(owner)]
      const [input, secret] = [unique(), unique()]
      await world.upload(ctx, named, 'a', input)
      await world.upload(ctx, other, 'a', secret)
      const job = { jobId: 'run_x', repoIds: [made.id], operations: null }
      const hosted = world.as(owner, { kind: 'key', personId: null, repoIds: [named.id, made.id], job })
      const asked = [fileOf('input', input), fileOf('secret', secret)]
      expect(await link(hosted, made, asked)).toMatchObject({ files: [{ path: 'input' }], missing: ['secret'] })
      await expect(link(hosted, named, asked)).rejects.toMatchObject({ type: 'forbidden.scope' })
      expect(await sums(named)).toMatchObject({ files: 1, seq: 1 })
    },
  )

  itOnce('takes the facts of a dataset from a linked meta/info.json, as from a completed one', async () => {
    const [from, to] = [await world.repo(owner), await world.repo(owner)]
    made += 1
    const info = { codebase_version: 'v2.1', total_episodes: 3, total_frames: made, fps: 30, robot_type: 'so100' }
    const bytes = Buffer.from(JSON.stringify(info))
    await world.upload(ctx, from, 'meta/info.json', bytes)
    const factsOf = ({ id }: WorldRepo) =>
      world.sql('select episode_count, total_frames, fps, robot_type from dataset_meta where repo_id = $1', [id])
    expect(await factsOf(to)).toEqual([])
    expect((await link(ctx, to, [fileOf('meta/info.json', bytes)])).missing).toEqual([])
    expect(await factsOf(to)).toEqual(await factsOf(from))
    expect(await factsOf(to)).toEqual([{ episode_count: 3, total_frames: made, fps: 30, robot_type: 'so100' }])
  })

  test('links bytes that are collected at the same time whole or not at all, in every interleaving tried', async () => {
    const [from, to] = [await world.repo(owner), await world.repo(owner)]
    const signal = new AbortController().signal
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = unique()
      const path = `f${round}`
      await world.upload(ctx, from, path, bytes)
      const linking = link(ctx, to, [fileOf(path, bytes)]).catch((error: { type: string }) => error)
      // A search takes the same time with and without a result: the deletion then comes while the link writes.
      const searched = round % 2 === 0 ? Promise.resolve() : findReadable(ctx, to.id, [fileOf('none', unique())])
      const collecting = searched
        .then(() => deleteFiles(ctx, { ...from, paths: [path] }))
        .then(() => ageFiles(world, from.id))
        .then(() => pruneClosedRows(world.deps, signal))
      const [linked] = await Promise.all([linking, collecting])
      await world.sql(`update blobs set doomed_at = 'epoch' where state = 'doomed'`)
      await deleteDoomed(world.deps, world.disk, signal)
      const [live] = await world.sql<{ state: string; key: string }>(
        `select b.state, b.storage_key as key from files f join blobs b on b.id = f.blob_id where f.repo_id = $1 and f.path = $2 and f.to_seq is null`,
        [to.id, path],
      )
      const outcome = 'type' in linked ? linked.type : linked.missing.length > 0 ? 'missing' : 'linked'
      expect(['linked', 'missing', 'conflict.in_progress']).toContain(outcome)
      expect(live !== undefined).toBe(outcome === 'linked')
      if (!live) continue
      expect(live.state).toBe('live')
      expect(await world.disk.head(live.key)).toMatchObject({ sizeBytes: bytes.length })
    }
  })

  itOnce('rejects what fails its condition, names it and links nothing', async () => {
    const repo = await world.repo(owner)
    const bytes = unique()
    await world.upload(ctx, repo, 'a', bytes)
    const refused = async (change: object) =>
      link(ctx, repo, [fileOf('b', bytes), { ...fileOf('a', bytes), ...change }]).catch((error) => error)
    expect(await refused({ ifNoneMatch: '*' })).toMatchObject({
      type: 'precondition.failed',
      items: [{ loc: ['files', 1, 'ifNoneMatch'] }],
    })
    expect(await refused({ ifMatch: '0'.repeat(64) })).toMatchObject({ type: 'precondition.failed' })
    expect(await sums(repo)).toMatchObject({ files: 1, seq: 1 })
    expect((await refused({ ifMatch: sha256Of(bytes) })).files).toHaveLength(2)
  })

  itOnce('counts bytes against the quota as an upload does', async () => {
    const account = await world.user()
    const repo = await world.repo(account)
    const bytes = unique()
    const own = world.with({ config: { storageQuotaBytes: 2 * bytes.length } }).as(account)
    await world.upload(own, repo, 'a', bytes)
    expect((await link(own, repo, [fileOf('b', bytes)])).files).toHaveLength(1)
    await expect(link(own, repo, [fileOf('c', bytes)])).rejects.toMatchObject({ type: 'quota.storage' })
    expect(await sums(repo)).toMatchObject({ files: 2, reserved: 0, pending: 0 })
  })

  itOnce('rejects a path named twice at its second place', async () => {
    const repo = await world.repo(owner)
    const file = fileOf('a', unique())
    await expect(link(ctx, repo, [file, file])).rejects.toMatchObject({
      type: 'validation.duplicate',
      items: [{ loc: ['files', 1, 'path'] }],
    })
  })

  itOnce('never links bytes that are collected meanwhile', async () => {
    const bytes = unique()
    const blob = {
      storageKey: 'blobs/00/none',
      size: bytes.length,
      etag: '',
      claimed: sha256Of(bytes),
      sha256: sha256Of(bytes),
    }
    await expect(database.db.withTx((tx) => linkBlobs(tx, [{ ...blob, onlyIfStored: true }]))).rejects.toThrow()
    expect(await world.sql('select id from blobs where claimed = $1', [sha256Of(bytes)])).toEqual([])
  })

  itOnce('takes as long for bytes in a repo that the caller cannot read as for bytes that nobody has', async () => {
    const eve = await world.user()
    const bytes = unique()
    await world.upload(world.as(eve), await world.repo(eve), 'secret', bytes)
    const repo = await world.repo(owner)
    const startedMs = performance.now()
    const found = await findReadable(ctx, repo.id, [fileOf('x', bytes)])
    expect(performance.now() - startedMs).toBeGreaterThan(28)
    expect(found.has(contentOf(fileOf('x', bytes)))).toBe(false)
  })

  itOnce('reads a bounded number of files of a blob that is in very many', async () => {
    const eve = await world.user()
    const [theirs, mine] = [await world.repo(eve), await world.repo(owner)]
    const bytes = unique()
    await world.upload(world.as(eve), theirs, 'a', bytes)
    const [blob] = await world.sql<{ id: string }>('select id from blobs where claimed = $1', [sha256Of(bytes)])
    await world.sql(
      `insert into files (repo_id, from_seq, path, blob_id) select $1, 1, 'many/' || n, $2 from generate_series(1, 5000) n`,
      [theirs.id, blob?.id],
    )
    // Of a few blobs the planner reads all, and whether it knows that there are few depends on when the server last counted them.
    await world.sql(
      `insert into blobs (id, storage_key, size, claimed, sha256, verified_at)
        select 'blob_' || n, 'blobs/many/' || n, 1, sum, sum, now() from generate_series(1, 5000) n, repeat(md5(n::text), 2) sum`,
    )
    await world.sql('analyze files, blobs')
    const values = {
      accountIds: [owner.id],
      repoIds: null,
      repoId: mine.id,
      digests: [sha256Of(bytes)],
      sizes: [bytes.length],
    }
    const text = readableBlobs.text
    const inOrder = orderedValues(readableBlobs, values)
    for (const plan of await plansOf(database.db, text, inOrder)) {
      const read = plan
        .filter((node) => node['Relation Name'] === 'files')
        .map((node) => node['Actual Rows'] * node['Actual Loops'])
      expect(read.length).toBeGreaterThan(0)
      expect(Math.max(...read)).toBeLessThanOrEqual(257)
      expect(plan.map((node) => node['Index Name'])).toContain('blobs_verified')
    }
  })
})
