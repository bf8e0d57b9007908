// @module-tag sampled
import { randomBytes } from 'node:crypto'
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { presignUpload, signParts, type UploadTicket } from '../../src/files/presign-upload.ts'
import { verifyBlob } from '../../src/jobs/blob-verify.ts'
import { abortAbandoned, abortStrays, deleteDoomed } from '../../src/jobs/collect-objects.ts'
import { pruneBatch, pruneClosedRows } from '../../src/jobs/collect-rows.ts'
import { dropOldRows } from '../../src/jobs/old-rows.ts'
import { purgeRepo } from '../../src/jobs/repo-purge.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { testDb } from '../support/database.ts'
import { ageFiles, pinRun, seqOf } from '../support/pins.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

/** Of a completion and a collection at once. */
const ROUNDS = sampleSize(40, 10, 15)
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

const age = (table: 'blobs' | 'uploads', column: string, interval = '8 days') =>
  world.sql(`update ${table} set ${column} = ${column} - interval '${interval}' where ${column} is not null`)
const blobOf = async (bytes: Uint8Array) => {
  const [row] = await world.sql<{ id: string; state: string; storage_key: string; sha256: string | null }>(
    'select id, state, storage_key, sha256 from blobs where claimed = $1 order by id limit 1',
    [sha256Of(bytes)],
  )
  return row
}
const repoRow = async (repo: WorldRepo) => {
  const [row] = await world.sql<Record<string, number>>(
    `select r.file_count, r.total_bytes, r.verified_count, a.storage_bytes, a.reserved_bytes
     from repos r join accounts a on a.id = r.owner_id where r.id = $1`,
    [repo.id],
  )
  return row
}

/** As a large file is linked: with its digest claimed only. */
async function unverify(repo: WorldRepo, bytes: Uint8Array, claimed = sha256Of(bytes)) {
  await world.sql('update blobs set sha256 = null, verified_at = null, claimed = $2 where sha256 = $1', [
    sha256Of(bytes),
    claimed,
  ])
  await world.sql('update repos set verified_count = 0 where id = $1', [repo.id])
  const [blob] = await world.sql<{ id: string }>('select id from blobs where claimed = $1', [claimed])
  return blob?.id ?? ''
}

describe('unreferenced bytes', () => {
  itOnce('are kept for the grace period, then doomed, then deleted; the sweep may run twice and at once', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(50)
    await world.upload(ctx, repo, 'a', bytes)
    await deleteFiles(ctx, { ...repo, paths: ['a'] })
    await pruneClosedRows(world.deps, signal)
    expect(await blobOf(bytes)).toMatchObject({ state: 'live' })
    await ageFiles(world)
    await Promise.all([pruneClosedRows(world.deps, signal), pruneClosedRows(world.deps, signal)])
    const doomed = await blobOf(bytes)
    expect(doomed).toMatchObject({ state: 'doomed' })
    await deleteDoomed(world.deps, world.disk, signal)
    expect(await world.disk.head(doomed?.storage_key ?? '')).not.toBeNull()
    await age('blobs', 'doomed_at')
    await Promise.all([deleteDoomed(world.deps, world.disk, signal), deleteDoomed(world.deps, world.disk, signal)])
    expect(await world.disk.head(doomed?.storage_key ?? '')).toBeNull()
    expect(await blobOf(bytes)).toBeUndefined()
  })

  itOnce('that another file still refers to are never doomed', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(50)
    await world.upload(ctx, repo, 'a', bytes)
    await world.upload(ctx, repo, 'b', bytes)
    await deleteFiles(ctx, { ...repo, paths: ['a'] })
    await ageFiles(world)
    await pruneClosedRows(world.deps, signal)
    const [live] = await world.sql(
      'select b.state from files f join blobs b on b.id = f.blob_id where f.repo_id = $1',
      [repo.id],
    )
    expect(live).toEqual({ state: 'live' })
  })

  itOnce('that a run pinned are never doomed, and are looked at once', async () => {
    const repo = await world.repo(owner)
    const [pinned, later] = [randomBytes(50), randomBytes(50)]
    await world.upload(ctx, repo, 'a', pinned)
    await pinRun(world, owner.id, repo, await seqOf(world, repo))
    await world.upload(ctx, repo, 'b', later)
    await deleteFiles(ctx, { ...repo, paths: ['a', 'b'] })
    await ageFiles(world)
    await pruneClosedRows(world.deps, signal)
    expect(await blobOf(pinned)).toMatchObject({ state: 'live' })
    expect(await blobOf(later)).toMatchObject({ state: 'doomed' })
    const rows = () => world.sql('select path, pinned from files where repo_id = $1', [repo.id])
    expect(await rows()).toEqual([{ path: 'a', pinned: true }])
    expect(await database.db.withTx((tx) => pruneBatch(tx, 3600))).toBe(0)
    expect(await rows()).toEqual([{ path: 'a', pinned: true }])
  })

  test('that are linked again while they are collected are either linked live or stored anew, in every interleaving tried', async () => {
    const repo = await world.repo(owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = randomBytes(20)
      await world.upload(ctx, repo, 'a', bytes)
      await deleteFiles(ctx, { ...repo, paths: ['a'] })
      await ageFiles(world)
      const completion = await prepared(repo, 'a', bytes)
      await Promise.all([completeUpload(ctx, { ...repo, uploads: [completion] }), pruneClosedRows(world.deps, signal)])
      const [live] = await world.sql(
        'select b.state from files f join blobs b on b.id = f.blob_id where f.repo_id = $1 and f.to_seq is null',
        [repo.id],
      )
      expect(live, `round ${round}`).toEqual({ state: 'live' })
    }
  })

  itOnce('a collection that waits for a link sees the row that the link made', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(20)
    await world.upload(ctx, repo, 'a', bytes)
    await deleteFiles(ctx, { ...repo, paths: ['a'] })
    await ageFiles(world)
    const blob = await blobOf(bytes)
    // The link holds the blob's share lock until the sweep is seen to wait for it.
    let sweep: Promise<unknown> = Promise.resolve()
    await database.db.withTx(async (tx) => {
      await tx.query({ name: 't-share', text: 'select id from blobs where id = $1 for share' }, [blob?.id])
      sweep = database.db.withTx((other) => pruneBatch(other, 3600))
      await untilWaiting()
      await tx.query(
        { name: 't-link', text: `insert into files (repo_id, path, from_seq, blob_id) values ($1, 'again', 9, $2)` },
        [repo.id, blob?.id],
      )
    })
    await sweep
    expect(await blobOf(bytes)).toMatchObject({ state: 'live' })
  })
})

async function untilWaiting() {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await world.sql(waiting)).length, { interval: 1 }).toBeGreaterThan(0)
}

async function prepared(repo: WorldRepo, path: string, bytes: Uint8Array) {
  const { uploads } = await presignUpload(ctx, {
    ...repo,
    files: [{ path, size: bytes.length, sha256: sha256Of(bytes) }],
  })
  const ticket = uploads[0] as UploadTicket
  const [part] = await signParts(ctx, ticket)
  return {
    path,
    uploadId: ticket.uploadId,
    parts: [{ partNumber: 1, etag: await world.putPart(part?.url ?? '', bytes) }],
  }
}

describeOnce('verification of large files', () => {
  test('turns a claimed digest into a verified one, once', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(64)
    await world.upload(ctx, repo, 'a', bytes)
    const blobId = await unverify(repo, bytes)
    await Promise.all([verifyBlob(world.deps, blobId, signal), verifyBlob(world.deps, blobId, signal)])
    await verifyBlob(world.deps, blobId, signal)
    expect(await blobOf(bytes)).toMatchObject({ sha256: sha256Of(bytes), state: 'live' })
    expect(await repoRow(repo)).toMatchObject({ file_count: 1, verified_count: 1 })
  })

  test('points the file at equal verified bytes that are there already', async () => {
    const repo = await world.repo(owner)
    const bytes = randomBytes(64)
    await world.upload(ctx, repo, 'a', bytes)
    const first = await unverify(repo, bytes)
    await world.upload(ctx, repo, 'b', bytes)
    await verifyBlob(world.deps, first, signal)
    expect(await world.sql('select distinct blob_id from files where repo_id = $1', [repo.id])).toHaveLength(1)
    expect(await blobOf(bytes)).toMatchObject({ id: first, state: 'doomed' })
    expect(await repoRow(repo)).toMatchObject({ file_count: 2, verified_count: 2 })
  })

  test('removes a file with a different digest from the tree and records it in the audit log', async () => {
    const account = await world.user()
    const repo = await world.repo(account)
    const bytes = randomBytes(64)
    const claimed = sha256Of(randomBytes(8))
    await world.upload(world.as(account), repo, 'a', bytes)
    const blobId = await unverify(repo, bytes, claimed)
    await verifyBlob(world.deps, blobId, signal)
    expect(await repoRow(repo)).toEqual({
      file_count: 0,
      total_bytes: 0,
      verified_count: 0,
      storage_bytes: 0,
      reserved_bytes: 0,
    })
    const [entry] = await world.sql(
      `select account_id, before, after from audit_log where action = 'file.rejected' and target_id = $1`,
      [repo.id],
    )
    expect(entry).toMatchObject({
      account_id: account.id,
      before: { paths: ['a'], claimed },
      after: { actual: sha256Of(bytes) },
    })
    await age('blobs', 'doomed_at')
    await deleteDoomed(world.deps, world.disk, signal)
    expect(await world.sql('select id from blobs where id = $1', [blobId])).toEqual([])
  })
})

describeOnce('what was left behind', () => {
  test('an abandoned upload is aborted and its reservation given back', async () => {
    const account = await world.user()
    const repo = await world.repo(account)
    const { uploads } = await presignUpload(world.as(account), {
      ...repo,
      files: [{ path: 'a', size: 9, sha256: '0'.repeat(64) }],
    })
    await abortAbandoned(world.deps, world.disk, signal)
    expect(await repoRow(repo)).toMatchObject({ reserved_bytes: 9 })
    await age('uploads', 'touched_at')
    await Promise.all([abortAbandoned(world.deps, world.disk, signal), abortAbandoned(world.deps, world.disk, signal)])
    expect(await repoRow(repo)).toMatchObject({ reserved_bytes: 0 })
    const ticket = uploads[0] as UploadTicket
    await expect(world.disk.listParts(ticket.storageKey, ticket.storeUploadId)).rejects.toMatchObject({
      code: 'no_such_upload',
    })
  })

  test('an upload of the store that no row knows is aborted, a known one is not', async () => {
    const repo = await world.repo(owner)
    const completion = await prepared(repo, 'a', randomBytes(9))
    const stray = await world.disk.createUpload('blobs/aa/stray', {})
    // A negative time to live stands for the days that pass.
    const later = world.with({ config: { uploadTtlSeconds: -60 } })
    await abortStrays(later.deps, world.disk, signal)
    await expect(world.disk.listParts('blobs/aa/stray', stray)).rejects.toMatchObject({ code: 'no_such_upload' })
    expect((await completeUpload(ctx, { ...repo, uploads: [completion] })).files).toHaveLength(1)
  })

  test('a deleted repo loses its rows and uploads, its owner gets the storage back, and another repo is untouched', async () => {
    const account = await world.user()
    const own = world.as(account)
    const repo = await world.repo(account)
    const other = await world.repo(account)
    await world.upload(own, repo, 'a', randomBytes(10))
    await world.upload(own, other, 'a', randomBytes(3))
    await presignUpload(own, { ...repo, files: [{ path: 'b', size: 9, sha256: '0'.repeat(64) }] })
    await purgeRepo(world.deps, other.id, signal)
    await deleteRepo(own, repo)
    await purgeRepo(world.deps, repo.id, signal)
    expect(await repoRow(other)).toMatchObject({ file_count: 1, storage_bytes: 3, reserved_bytes: 0 })
    expect(await world.sql('select 1 from files where repo_id = $1 and to_seq is null', [repo.id])).toEqual([])
    expect(await world.sql('select 1 from files where repo_id = $1 and to_seq is null', [other.id])).toHaveLength(1)
    expect(await world.sql('select 1 from deleted_repos where repo_id = $1', [repo.id])).toEqual([])
  })

  test('idempotency rows go after a day, and not before', async () => {
    for (const [key, interval] of [
      ['old', '25 hours'],
      ['new', '23 hours'],
    ]) {
      await world.sql(
        `insert into idempotency_keys (credential_id, method, path, key, body_sha256, attempt, created_at)
         values ('c', 'POST', '/', $1, '\\x00', 'a', now() - $2::interval)`,
        [key, interval],
      )
    }
    await dropOldRows(world.deps, signal)
    expect(await world.sql(`select key from idempotency_keys`)).toEqual([{ key: 'new' }])
  })

  test('hosted calls go a month after their end', async () => {
    const put = (id: string, state: string, days: number) =>
      world.sql(
        `insert into hosted_calls (id, job_kind, job_id, backend, function_name, state, created_at, ended_at)
          values ($1, 'run', 'run_x', 'process', 'act', $2::"HostedCallState", now() - interval '90 days',
            case when $2 = 'ended' then now() - make_interval(days => $3) end)`,
        [id, state, days],
      )
    await put('call_live', 'spawned', 0)
    await put('call_new', 'ended', 29)
    await put('call_old', 'ended', 31)
    await dropOldRows(world.deps, signal)
    const left = await world.sql(`select id from hosted_calls where job_id = 'run_x' order by id`)
    expect(left).toEqual([{ id: 'call_live' }, { id: 'call_new' }])
  })
})
