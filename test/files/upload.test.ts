import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { abortUpload } from '../../src/files/abort-upload.ts'
import { keepClaim } from '../../src/files/claim-uploads.ts'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { MAX_FILE_BYTES } from '../../src/files/limits.ts'
import { presignDownload } from '../../src/files/presign-download.ts'
import { presignUpload, signParts, type UploadTicket } from '../../src/files/presign-upload.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

const database = testDb({ poolMax: 20 })
let world: World
let owner: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
})
afterAll(() => world.close())

const bytesOf = (text: string) => new TextEncoder().encode(text)
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing refused',
    (error) => (error instanceof HubError ? error.type : error),
  )
const fileOf = (path: string, bytes: Uint8Array) => ({ path, size: bytes.length, sha256: sha256Of(bytes) })

async function presignOne(repo: WorldRepo, path: string, bytes: Uint8Array, who = ctx): Promise<UploadTicket> {
  const { uploads } = await presignUpload(who, { ...repo, files: [fileOf(path, bytes)] })
  return uploads[0] as UploadTicket
}

/** Presigned and sent, not completed. */
async function sent(repo: WorldRepo, path: string, bytes: Uint8Array, stored = bytes) {
  const ticket = await presignOne(repo, path, bytes)
  const [part] = await signParts(ctx, ticket)
  return {
    path,
    uploadId: ticket.uploadId,
    parts: [{ partNumber: 1, etag: await world.putPart(part?.url ?? '', stored) }],
  }
}

interface Counters {
  count: number
  bytes: number
  verified: number
  stored: number
  reserved: number
}
async function counters(repo: WorldRepo): Promise<Counters | undefined> {
  const [row] = await world.sql<Counters>(
    `select r.file_count as count, r.total_bytes as bytes, r.verified_count as verified, a.storage_bytes as stored, a.reserved_bytes as reserved
     from repos r join accounts a on a.id = r.owner_id where r.id = $1`,
    [repo.id],
  )
  return row
}

/** An account of its own, so that its counters are of this test alone. */
async function fresh() {
  const account = await world.user()
  const repo = await world.repo(account)
  return { account, repo, own: world.as(account) }
}

describe('presignUpload', () => {
  test('reserves the announced bytes and signs one URL a part', async () => {
    const { repo, own } = await fresh()
    const { uploads } = await presignUpload(own, {
      ...repo,
      files: [{ path: 'a', size: 104_857_601, sha256: '0'.repeat(64) }],
    })
    expect(uploads[0]).toMatchObject({ path: 'a', partSize: 104_857_600, uploaded: [] })
    expect((await signParts(own, uploads[0] as UploadTicket)).map((part) => part.partNumber)).toEqual([1, 2])
    expect(await counters(repo)).toMatchObject({ reserved: 104_857_601, stored: 0 })
  })

  test('takes 50 GiB and refuses one byte more as too large, which leaves nothing', async () => {
    const { repo, own } = await fresh()
    const file = { path: 'a', size: MAX_FILE_BYTES, sha256: '0'.repeat(64) }
    expect(
      (await signParts(own, (await presignUpload(own, { ...repo, files: [file] })).uploads[0] as UploadTicket)).length,
    ).toBe(512)
    expect(
      await refusal(presignUpload(own, { ...repo, files: [{ ...file, path: 'b', size: MAX_FILE_BYTES + 1 }] })),
    ).toBe('too_large')
    expect(await world.sql('select path from uploads where repo_id = $1', [repo.id])).toEqual([{ path: 'a' }])
  })

  test('refuses a path named twice at its second place', async () => {
    const repo = await world.repo(owner)
    const file = fileOf('a', bytesOf('a'))
    const error = await presignUpload(ctx, { ...repo, files: [file, file] }).catch((caught) => caught)
    expect(error).toMatchObject({ type: 'validation.duplicate', items: [{ loc: ['files', 1, 'path'] }] })
  })

  test('resumes: the same file is the same upload, with what the store already has', async () => {
    const repo = await world.repo(owner)
    const first = await sent(repo, 'a', bytesOf('hello'))
    const again = await presignOne(repo, 'a', bytesOf('hello'))
    expect(again).toMatchObject({ uploadId: first.uploadId, uploaded: [1], uploadedEtags: [first.parts[0]?.etag] })
    expect((await presignOne(repo, 'a', bytesOf('other'))).uploadId).not.toBe(first.uploadId)
  })

  test('an upload that the store lost is replaced and its reservation given back', async () => {
    const { repo, own } = await fresh()
    const first = await presignOne(repo, 'a', bytesOf('hello'), own)
    await world.disk.abortUpload(first.storageKey, first.storeUploadId)
    const second = await presignOne(repo, 'a', bytesOf('hello'), own)
    expect(second.uploadId).not.toBe(first.uploadId)
    expect((await counters(repo))?.reserved).toBe(5)
  })

  test('of presigns that race for the last room exactly as many succeed as fit', async () => {
    const { account, repo } = await fresh()
    const own = world.with({ config: { storageQuotaBytes: 30 } }).as(account)
    const bytes = bytesOf('0123456789')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => refusal(presignUpload(own, { ...repo, files: [fileOf(`f${n}`, bytes)] }))),
    )
    expect(answers.toSorted()).toEqual([...Array(3).fill('nothing refused'), ...Array(5).fill('quota.storage')])
    expect((await counters(repo))?.reserved).toBe(30)
    const inStore: { key: string }[] = []
    for await (const upload of world.disk.listUploads(new Date(Date.now() + 1000))) inStore.push(upload)
    const known = await world.sql<{ storage_key: string }>('select storage_key from uploads')
    expect(inStore.filter((upload) => !known.some((row) => row.storage_key === upload.key))).toEqual([])
  })

  test('twins presigned at the same time are one upload', async () => {
    const { repo, own } = await fresh()
    const tickets = await Promise.all(Array.from({ length: 5 }, () => presignOne(repo, 'a', bytesOf('hello'), own)))
    expect(new Set(tickets.map((ticket) => ticket.uploadId)).size).toBe(1)
    expect((await counters(repo))?.reserved).toBe(5)
  })

  test('a repo of someone else is not found, a read key is not allowed, nobody is asked who they are', async () => {
    const repo = await world.repo(owner)
    const open = await world.repo(owner, { visibility: 'public' })
    const files = [fileOf('a', bytesOf('a'))]
    expect(await refusal(presignUpload(world.as(await world.user()), { ...repo, files }))).toBe('not_found')
    expect(await refusal(presignUpload(world.as(owner, { kind: 'key', level: 'read' }), { ...repo, files }))).toBe(
      'forbidden.scope',
    )
    expect(await refusal(presignUpload(world.anonymous(), { ...open, files }))).toBe('auth.missing')
    expect(await refusal(presignUpload(world.with({ objects: null }).as(owner), { ...repo, files }))).toBe(
      'not_configured.object_store',
    )
  })
})

describe('completeUpload', () => {
  test('links verified files and moves their bytes from reserved to stored', async () => {
    const { repo, own } = await fresh()
    const entry = await world.upload(own, repo, 'dir/robot.xml', bytesOf('<mujoco/>'))
    expect(entry).toMatchObject({
      path: 'dir/robot.xml',
      size: 9,
      sha256: sha256Of(bytesOf('<mujoco/>')),
      mime: 'application/xml',
    })
    expect(await counters(repo)).toEqual({ count: 1, bytes: 9, verified: 1, stored: 9, reserved: 0 })
  })

  test('an empty file is one empty part', async () => {
    const { repo, own } = await fresh()
    expect(await world.upload(own, repo, 'empty', new Uint8Array())).toMatchObject({
      size: 0,
      sha256: sha256Of(new Uint8Array()),
    })
  })

  test('overwrites a path and counts the difference', async () => {
    const { repo, own } = await fresh()
    await world.upload(own, repo, 'a', bytesOf('first'))
    await world.upload(own, repo, 'a', bytesOf('second!'))
    expect(await counters(repo)).toEqual({ count: 1, bytes: 7, verified: 1, stored: 7, reserved: 0 })
    expect(await world.sql('select from_seq, to_seq from files where repo_id = $1 order by id', [repo.id])).toEqual([
      { from_seq: 1, to_seq: 2 },
      { from_seq: 2, to_seq: null },
    ])
  })

  test('equal verified bytes are stored once, also when many bring them at the same time', async () => {
    const { repo, own } = await fresh()
    const bytes = randomBytes(100)
    await Promise.all(Array.from({ length: 6 }, (_, n) => world.upload(own, repo, `copy-${n}`, bytes)))
    expect(await world.sql('select distinct blob_id from files where repo_id = $1', [repo.id])).toHaveLength(1)
    expect(await world.sql(`select state from blobs where claimed = $1 order by state`, [sha256Of(bytes)])).toEqual([
      { state: 'live' },
      ...Array(5).fill({ state: 'doomed' }),
    ])
    expect(await counters(repo)).toEqual({ count: 6, bytes: 600, verified: 6, stored: 600, reserved: 0 })
  })

  test.each([
    ['another ETag', (upload: Sent) => [{ partNumber: 1, etag: `${upload.parts[0]?.etag}x` }], 'upload.etag_mismatch'],
    ['a part past the last', (upload: Sent) => [...upload.parts, { partNumber: 2, etag: 'x' }], 'validation.value'],
    ['a part named twice', (upload: Sent) => [...upload.parts, ...upload.parts], 'validation.duplicate'],
  ])('%s is refused, and the right one completes after it', async (_name, parts, type) => {
    const repo = await world.repo(owner)
    const upload = await sent(repo, 'a', bytesOf('hello'))
    expect(await refusal(completeUpload(ctx, { ...repo, uploads: [{ ...upload, parts: parts(upload) }] }))).toBe(type)
    const quoted = upload.parts.map((part) => ({ ...part, etag: `"${part.etag}"` }))
    expect((await completeUpload(ctx, { ...repo, uploads: [{ ...upload, parts: quoted }] })).files).toHaveLength(1)
  })

  test('a part that was never sent, and one of another size, are named', async () => {
    const repo = await world.repo(owner)
    const ticket = await presignOne(repo, 'a', bytesOf('hello'))
    const unsent = { path: 'a', uploadId: ticket.uploadId, parts: [{ partNumber: 1, etag: 'x' }] }
    const error = await completeUpload(ctx, { ...repo, uploads: [unsent] }).catch((caught) => caught)
    expect(error).toMatchObject({
      type: 'upload.part_missing',
      items: [{ loc: ['uploads', 0, 'parts', 0, 'partNumber'] }],
    })
    await expect(sent(repo, 'b', bytesOf('hello'), bytesOf('hell'))).rejects.toMatchObject({ code: 'too_small' })
    await expect(sent(repo, 'b', bytesOf('hello'), bytesOf('hello!'))).rejects.toMatchObject({ code: 'too_large' })
  })

  test('another digest ends that upload, links nothing, and leaves the others completable', async () => {
    const { repo, own } = await fresh()
    ctx = own
    const good = await sent(repo, 'good', bytesOf('good'))
    const bad = await sent(repo, 'bad', bytesOf('announced'), bytesOf('different'))
    expect(await refusal(completeUpload(own, { ...repo, uploads: [good, bad] }))).toBe('upload.sha256_mismatch')
    expect(await counters(repo)).toEqual({ count: 0, bytes: 0, verified: 0, stored: 0, reserved: 4 })
    expect(await refusal(completeUpload(own, { ...repo, uploads: [bad] }))).toBe('conflict.terminal')
    const [row] = await world.sql<{ storage_key: string }>('select storage_key from uploads where id = $1', [
      bad.uploadId,
    ])
    expect(await world.disk.head(row?.storage_key ?? '')).toBeNull()
    expect((await completeUpload(own, { ...repo, uploads: [good] })).files).toHaveLength(1)
    ctx = world.as(owner)
  })

  test('an unknown upload, one of another repo, another path, a finished one', async () => {
    const repo = await world.repo(owner)
    const elsewhere = await world.repo(owner)
    const upload = await sent(repo, 'a', bytesOf('hello'))
    expect(await refusal(completeUpload(ctx, { ...elsewhere, uploads: [upload] }))).toBe('not_found')
    expect(await refusal(completeUpload(ctx, { ...repo, uploads: [{ ...upload, uploadId: 'upl_unknown' }] }))).toBe(
      'not_found',
    )
    expect(await refusal(completeUpload(ctx, { ...repo, uploads: [{ ...upload, path: 'b' }] }))).toBe(
      'validation.value',
    )
    await completeUpload(ctx, { ...repo, uploads: [upload] })
    expect(await refusal(completeUpload(ctx, { ...repo, uploads: [upload] }))).toBe('conflict.terminal')
  })

  test('of completions of the same uploads that race, exactly one links', async () => {
    const repo = await world.repo(owner)
    for (let round = 0; round < 10; round += 1) {
      const uploads = await Promise.all(['a', 'b', 'c'].map((path) => sent(repo, path, bytesOf(`${path}${round}`))))
      const reversed = uploads.toReversed()
      const answers = await Promise.all(
        [uploads, reversed, uploads, reversed].map((order) =>
          refusal(completeUpload(ctx, { ...repo, uploads: order })),
        ),
      )
      expect(answers.filter((answer) => answer === 'nothing refused')).toHaveLength(1)
      for (const answer of answers)
        expect(['nothing refused', 'conflict.in_progress', 'conflict.terminal']).toContain(answer)
    }
    expect(await counters(repo)).toMatchObject({ count: 3 })
  })

  test('the lease of a dead completion is taken over', async () => {
    const repo = await world.repo(owner)
    const upload = await sent(repo, 'a', bytesOf('hello'))
    await world.sql(
      `update uploads set state = 'completing', attempt = 'dead', attempt_at = now() - interval '50 seconds' where id = $1`,
      [upload.uploadId],
    )
    expect(await refusal(completeUpload(ctx, { ...repo, uploads: [upload] }))).toBe('conflict.in_progress')
    await world.sql(`update uploads set attempt_at = now() - interval '61 seconds' where id = $1`, [upload.uploadId])
    expect((await completeUpload(ctx, { ...repo, uploads: [upload] })).files).toHaveLength(1)
  })

  test('a completion at work keeps its lease', async () => {
    const repo = await world.repo(owner)
    const { uploadId } = await sent(repo, 'a', bytesOf('hello'))
    await world.sql(
      `update uploads set state = 'completing', attempt = 'alive', attempt_at = now() - interval '50 seconds' where id = $1`,
      [uploadId],
    )
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const release = keepClaim(world.deps, 'alive', [uploadId])
    vi.advanceTimersByTime(20_000)
    release()
    vi.useRealTimers()
    const isFresh = `select attempt_at > now() - interval '20 seconds' as fresh from uploads where id = $1`
    await expect.poll(() => world.sql(isFresh, [uploadId])).toEqual([{ fresh: true }])
  })

  test('conditions hold or the request is refused', async () => {
    const repo = await world.repo(owner)
    await world.upload(ctx, repo, 'a', bytesOf('old'))
    const upload = await sent(repo, 'a', bytesOf('new'))
    const complete = (condition: object) =>
      refusal(completeUpload(ctx, { ...repo, uploads: [{ ...upload, ...condition }] }))
    expect(await complete({ ifNoneMatch: '*' })).toBe('precondition.failed')
    expect(await complete({ ifMatch: sha256Of(bytesOf('other')) })).toBe('precondition.failed')
    expect(await complete({ ifMatch: sha256Of(bytesOf('old')) })).toBe('nothing refused')
    const twins = await Promise.all([sent(repo, 'b', bytesOf('1')), sent(repo, 'b', bytesOf('2'))])
    const answers = await Promise.all(
      twins.map((twin) => refusal(completeUpload(ctx, { ...repo, uploads: [{ ...twin, ifNoneMatch: '*' }] }))),
    )
    expect(answers.toSorted()).toEqual(['nothing refused', 'precondition.failed'])
  })
})

type Sent = Awaited<ReturnType<typeof sent>>

describe('abortUpload, presignDownload, deleteFiles', () => {
  test('an abort gives the reservation back, once', async () => {
    const { repo, own } = await fresh()
    const ticket = await presignOne(repo, 'a', bytesOf('hello'), own)
    expect(await abortUpload(own, { ...repo, uploadId: ticket.uploadId })).toEqual({ uploadId: ticket.uploadId })
    expect((await counters(repo))?.reserved).toBe(0)
    expect(await refusal(abortUpload(own, { ...repo, uploadId: ticket.uploadId }))).toBe('conflict.terminal')
    expect(await refusal(abortUpload(own, { ...repo, uploadId: 'upl_unknown' }))).toBe('not_found')
    expect(await refusal(world.disk.listParts(ticket.storageKey, ticket.storeUploadId))).toMatchObject({
      code: 'no_such_upload',
    })
  })

  test('downloads are all or nothing, and anonymous where the repo is public', async () => {
    const repo = await world.repo(owner, { visibility: 'public' })
    await world.upload(ctx, repo, 'a', bytesOf('hello'))
    const { files } = await presignDownload(world.anonymous(), { ...repo, paths: ['a'] })
    expect(files).toMatchObject([{ path: 'a' }])
    const error = await presignDownload(ctx, { ...repo, paths: ['a', 'b', 'c'] }).catch((caught) => caught)
    expect(error).toMatchObject({
      type: 'not_found',
      items: [{ loc: ['paths', 1] }, { loc: ['paths', 2] }],
    })
    expect(error.message).toContain('"b", "c"')
    const hidden = await world.repo(owner)
    expect(await refusal(presignDownload(world.anonymous(), { ...hidden, paths: ['a'] }))).toBe('not_found')
  })

  test('a delete names what was there and what was not, and counts back', async () => {
    const { repo, own } = await fresh()
    await world.upload(own, repo, 'a', bytesOf('hello'))
    await world.upload(own, repo, 'b', bytesOf('you'))
    expect(await deleteFiles(own, { ...repo, paths: ['x', 'a'] })).toEqual({ deleted: ['a'], missing: ['x'] })
    expect(await counters(repo)).toEqual({ count: 1, bytes: 3, verified: 1, stored: 3, reserved: 0 })
    expect(await deleteFiles(own, { ...repo, paths: ['a'] })).toEqual({ deleted: [], missing: ['a'] })
  })
})
