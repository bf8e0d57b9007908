// @module-tag sampled
/** Bytes that are taken out of every state, and the sums that stay exact through all changes. */
import { randomBytes } from 'node:crypto'
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { describe, expect, test } from 'vitest'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { presignDownload } from '../../src/files/presign-download.ts'
import { presignUpload } from '../../src/files/presign-upload.ts'
import { purgeFiles } from '../../src/files/versions/purge.ts'
import { restoreState } from '../../src/files/versions/restore.ts'
import { createSnapshot, deleteSnapshot } from '../../src/files/versions/snapshots.ts'
import { findState } from '../../src/files/versions/states.ts'
import { verifyBlob } from '../../src/jobs/blob-verify.ts'
import { deleteDoomed } from '../../src/jobs/collect-objects.ts'
import { pruneClosedRows, unpinFiles } from '../../src/jobs/collect-rows.ts'
import { ageFiles, seqOf } from '../support/pins.ts'
import { sha256Of } from '../support/world.ts'
import { SUMS, versionWorld } from './support/version-world.ts'

const lab = versionWorld()
const { signal, text, put, drop, treeAt, pin, refusal, assertExact } = lab

/** Of each race; the torture run plays many. */
const ROUNDS = sampleSize(20, 2, 8)

describe('purging', () => {
  itOnce(
    'leaves a pending upload of the path alone: it is not a state yet, and its completion is a new change',
    async () => {
      const account = await lab.world.user()
      const own = lab.world.as(account)
      const repo = await lab.world.repo(account)
      await lab.world.upload(own, repo, 'key.pem', text('secret'))
      const clean = text('clean')
      const { uploads } = await presignUpload(own, {
        ...repo,
        files: [{ path: 'key.pem', size: clean.length, sha256: sha256Of(clean) }],
      })
      expect(await purgeFiles(own, { ...repo, paths: ['key.pem'] })).toEqual({ purged: ['key.pem'], missing: [] })
      expect(await lab.world.sql('select state from uploads where id = $1', [uploads[0]?.uploadId])).toEqual([
        { state: 'pending' },
      ])
      // The same upload is resumed, and no other one started.
      await lab.world.upload(own, repo, 'key.pem', clean)
      expect(await lab.world.sql('select state from uploads where id = $1', [uploads[0]?.uploadId])).toEqual([
        { state: 'completed' },
      ])
      expect(await treeAt(repo, '3', own)).toEqual({ 'key.pem': clean.length })
      expect(await treeAt(repo, '1', own)).toEqual({})
      await assertExact(repo)
    },
  )

  itOnce('takes the bytes out of every state and deletes the object at once; a repeat finds nothing', async () => {
    const repo = await lab.world.repo(lab.owner)
    const secret = randomBytes(40)
    await lab.world.upload(lab.ctx, repo, 'key', secret)
    await put(repo, 'a', 'a')
    await createSnapshot(lab.ctx, { ...repo, name: 'v1' })
    const run = await pin(repo, 2)
    await lab.world.upload(lab.ctx, repo, 'key', randomBytes(30))
    const [blob] = await lab.world.sql<{ key: string }>('select storage_key as key from blobs where claimed = $1', [
      sha256Of(secret),
    ])
    expect(await purgeFiles(lab.ctx, { ...repo, paths: ['key', 'none'] })).toEqual({
      purged: ['key'],
      missing: ['none'],
    })
    expect(lab.world.sent.at(-1)?.job).toBe('objects-delete')
    await deleteDoomed(lab.world.deps, lab.world.disk, signal)
    expect(await lab.world.disk.head(blob?.key ?? '')).toBeNull()
    for (const at of ['v1', run, '1', '4']) expect(await treeAt(repo, at), at).toEqual(at === '1' ? {} : { a: 1 })
    expect(await findState(lab.ctx, repo, 'v1')).toMatchObject({
      withdrawnCount: 1,
      fileSummary: { count: 1, totalBytes: 1 },
    })
    expect(await refusal(presignDownload(lab.ctx, { ...repo, paths: ['key'], at: run }))).toMatch(
      /^not_found: .*"key" was purged/,
    )
    expect(await purgeFiles(lab.ctx, { ...repo, paths: ['key'] })).toEqual({ purged: [], missing: ['key'] })
    await assertExact(repo)
    const [entry] = await lab.world.sql<{ before: unknown }>(
      `select before from audit_log where target_id = $1 and action = 'files.purge'`,
      [repo.id],
    )
    expect(entry?.before).toMatchObject({
      versions: 2,
      files: [{ path: 'key', sha256: sha256Of(secret) }, { path: 'key' }],
    })
    await put(repo, 'key', 'clean')
    await restoreState(lab.ctx, { ...repo, at: 'v1' })
    expect(await treeAt(repo, String(await seqOf(lab.world, repo)))).toMatchObject({ key: 5 })
  })

  test('leaves bytes that another path holds, also one that is linked at the same time', async () => {
    const repo = await lab.world.repo(lab.owner)
    const other = await lab.world.repo(lab.owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = randomBytes(20)
      await lab.world.upload(lab.ctx, repo, 'a', bytes)
      await Promise.all([
        purgeFiles(lab.ctx, { ...repo, paths: ['a'] }),
        lab.world.upload(lab.ctx, other, `b${round}`, bytes),
      ])
      const [live] = await lab.world.sql(
        'select b.state from files f join blobs b on b.id = f.blob_id where f.repo_id = $1 and f.path = $2',
        [other.id, `b${round}`],
      )
      expect(live).toEqual({ state: 'live' })
    }
  })
})

describeOnce('bytes that the hub rejects', () => {
  test('are no file of any state, whatever keeps the state', async () => {
    const repo = await lab.world.repo(lab.owner)
    const bytes = randomBytes(25)
    await lab.world.upload(lab.ctx, repo, 'big', bytes)
    const claimed = sha256Of(randomBytes(32))
    await lab.world.sql('update blobs set sha256 = null, verified_at = null, claimed = $2 where sha256 = $1', [
      sha256Of(bytes),
      claimed,
    ])
    await lab.world.sql('update repos set verified_count = 0 where id = $1', [repo.id])
    await createSnapshot(lab.ctx, { ...repo, name: 'v1' })
    await drop(repo, 'big')
    await restoreState(lab.ctx, { ...repo, at: 'v1' })
    const [blob] = await lab.world.sql<{ id: string }>('select id from blobs where claimed = $1', [claimed])
    await verifyBlob(lab.world.deps, blob?.id ?? '', signal)
    expect(await treeAt(repo, 'v1')).toEqual({})
    expect(await refusal(presignDownload(lab.ctx, { ...repo, paths: ['big'], at: 'v1' }))).toMatch(
      /was rejected by the hub/,
    )
    await assertExact(repo)
  })
})

test('sums stay exact through any sequence of changes, also concurrent ones', async () => {
  const mine = await lab.world.user()
  const me = lab.world.as(mine)
  const repo = await lab.world.repo(mine)
  let random = 7
  const pick = (n: number) => {
    random = (random * 48_271) % 2_147_483_647
    return random % n
  }
  const path = () => ['a', 'b', 'c'][pick(3)] ?? 'a'
  const bytes = () => text('x'.repeat(1 + pick(3)))
  const state = () => String(pick(30))
  const steps = [
    () => lab.world.upload(me, repo, path(), bytes()),
    () => lab.world.upload(me, repo, path(), bytes()),
    () => deleteFiles(me, { ...repo, paths: [path()] }),
    () => createSnapshot(me, { ...repo, name: `s${pick(4)}`, at: pick(2) ? state() : null }),
    () => deleteSnapshot(me, { ...repo, name: `s${pick(4)}` }),
    () => restoreState(me, { ...repo, at: state() }),
    () => purgeFiles(me, { ...repo, paths: pick(4) ? ['c'] : [path()] }),
    () =>
      ageFiles(lab.world, repo.id)
        .then(() => unpinFiles(lab.world.deps.db, [repo.id], signal))
        .then(() => pruneClosedRows(lab.world.deps, signal)),
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
    const [row] = await lab.world.sql<{ exact: boolean }>(SUMS, [repo.id])
    expect(row, `round ${round}`).toMatchObject({ exact: true })
    const states = await lab.world.sql<{ whole: boolean; seq: number }>(
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
