import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { PART_SIZE_BYTES } from '../../src/files/limits.ts'
import { presignDownload } from '../../src/files/presign-download.ts'
import { presignUpload, signParts } from '../../src/files/presign-upload.ts'
import { resolveFile } from '../../src/files/resolve-file.ts'
import { listTree } from '../../src/files/tree.ts'
import { verifyBlob } from '../../src/jobs/blob-verify.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

const database = testDb()
let world: World
let ctx: RequestContext
let repo: WorldRepo

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  const owner = await world.user()
  ctx = world.as(owner)
  repo = await world.repo(owner)
})
afterAll(() => world?.close())

test('a file of more than one part is linked with its digest claimed, and verified by a job', async () => {
  const bytes = Buffer.alloc(PART_SIZE_BYTES + 1, 7)
  const entry = await world.upload(ctx, repo, 'large.bin', bytes)
  expect(entry).toMatchObject({ size: PART_SIZE_BYTES + 1, sha256: null })
  const [blob] = await world.sql<{ id: string }>('select id from blobs where claimed = $1', [sha256Of(bytes)])
  const blobId = blob?.id ?? ''
  expect(world.sent).toContainEqual({ job: 'blob-verify', input: { blobId } })
  expect(await resolveFile(ctx, { ...repo, path: 'large.bin' })).toMatchObject({ sha256: null })
  const upload = await prepareSmall('large.bin')
  await expect(
    completeUpload(ctx, { ...repo, uploads: [{ ...upload, ifMatch: sha256Of(bytes) }] }),
  ).rejects.toMatchObject({ type: 'conflict.unverified' })
  await verifyBlob(world.deps, blobId, new AbortController().signal)
  expect(await resolveFile(ctx, { ...repo, path: 'large.bin' })).toMatchObject({ sha256: sha256Of(bytes) })
  expect(
    (await completeUpload(ctx, { ...repo, uploads: [{ ...upload, ifMatch: sha256Of(bytes) }] })).files,
  ).toHaveLength(1)
})

async function prepareSmall(path: string, text = 'small') {
  const bytes = Buffer.from(text)
  const { uploads } = await presignUpload(ctx, {
    ...repo,
    files: [{ path, size: bytes.length, sha256: sha256Of(bytes) }],
  })
  const [ticket] = uploads
  if (!ticket) throw new Error('Nothing was presigned.')
  const [part] = await signParts(ctx, ticket)
  return {
    path,
    uploadId: ticket.uploadId,
    parts: [{ partNumber: 1, etag: await world.putPart(part?.url ?? '', bytes) }],
  }
}

/** What a verb says to the database, transaction frames left out. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const statements = database.record()
  await work()
  return statements.filter((text) => !['begin', 'commit'].includes(text)).length
}

test('each verb runs a constant number of statements, whatever the number of files', async () => {
  const name = (n: number) => Array.from({ length: n }, (_, i) => `n${n}-${i}`)
  for (const count of [3, 20]) {
    const files = name(count).map((path) => ({
      path,
      size: 5,
      sha256: sha256Of(Buffer.from(path.padEnd(5).slice(0, 5))),
    }))
    expect(await statementsOf(() => presignUpload(ctx, { ...repo, files }))).toBe(7)
    expect(await statementsOf(() => presignUpload(ctx, { ...repo, files }))).toBe(5)
    const uploads: Awaited<ReturnType<typeof prepareSmall>>[] = []
    for (const path of name(count)) uploads.push(await prepareSmall(`c-${path}`, path))
    const sent = database.record()
    await completeUpload(ctx, { ...repo, uploads })
    // The repo, the claim in two, the parts of all files before the store assembles them, the link: three commits.
    expect(sent.filter((text) => text !== 'begin')).toHaveLength(1 + 2 + 1 + 11)
    expect(sent.filter((text) => text === 'begin')).toHaveLength(2)
    expect(
      await statementsOf(() => presignDownload(ctx, { ...repo, paths: uploads.map((upload) => upload.path) })),
    ).toBe(2)
    expect(await statementsOf(() => listTree(ctx, { ...repo, prefix: '', limit: count, after: null }))).toBe(1)
    expect(await statementsOf(() => deleteFiles(ctx, { ...repo, paths: uploads.map((upload) => upload.path) }))).toBe(7)
  }
})
