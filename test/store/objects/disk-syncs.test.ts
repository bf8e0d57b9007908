/** The calls of the system that the disk store makes for a file, counted. */
import fs, { type FileHandle, mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDiskStore } from '../../../src/store/objects/disk.ts'
import { syncDirectory } from '../../../src/store/objects/disk-write.ts'

let dir: string
let handles: Pick<FileHandle, 'sync'>

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-syncs-'))
  const handle = await fs.open(dir, 'r')
  handles = Object.getPrototypeOf(handle)
  await handle.close()
})
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await rm(dir, { recursive: true, force: true })
})

/** Counts what `work` opens to write, flushes and renames; folders are opened to be flushed. */
async function callsOf(work: () => Promise<unknown>) {
  const sync = vi.spyOn(handles, 'sync')
  const open = vi.spyOn(fs, 'open')
  const rename = vi.spyOn(fs, 'rename')
  syncBuiltinESMExports()
  await work()
  const written = open.mock.calls.filter(([, flags]) => flags !== 'r').length
  const calls = { written, flushed: sync.mock.calls.length, renamed: rename.mock.calls.length }
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  return calls
}

it('a file is opened once to be written, and flushed and renamed once, at each of its three steps', async () => {
  const store = await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
  // The folder is there from the second file on.
  await store.put('blobs/aa/first', Buffer.from('1'), { sizeBytes: 1 })
  const key = 'blobs/aa/second'
  let uploadId = ''
  // Its own folder and the one of all uploads are flushed, too.
  expect(
    await callsOf(async () => {
      uploadId = await store.createUpload(key, {})
    }),
  ).toEqual({ written: 1, flushed: 3, renamed: 1 })
  const grant = { method: 'PUT', key, uploadId, partNumber: 1, sizeBytes: 1, expiresAtSeconds: 0 } as const
  const parts = [{ partNumber: 1, etag: '', sizeBytes: 1 }]
  expect(
    await callsOf(async () => {
      parts[0] = await store.writePart(grant, Readable.from([Buffer.from('2')]))
    }),
  ).toEqual({ written: 1, flushed: 1, renamed: 1 })
  // Sealed, so that no part comes any more, and then in its place; the folder of the keys is flushed, too.
  expect(await callsOf(() => store.completeUpload(key, uploadId, parts))).toEqual({
    written: 1,
    flushed: 3,
    renamed: 2,
  })
  await store.close()
})

it('an object from memory is one file: opened, flushed and renamed once, and its folder flushed for many', async () => {
  const store = await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
  const put = (at: number) => store.put(`blobs/aa/${at}`, Buffer.from('1'), { sizeBytes: 1 })
  await put(0)
  expect(await callsOf(() => put(1))).toEqual({ written: 1, flushed: 2, renamed: 1 })
  const many = await callsOf(() => Promise.all(Array.from({ length: 100 }, (_, at) => put(at + 2))))
  expect(many).toMatchObject({ written: 100, renamed: 100 })
  // One flush of each file, and few of their folder.
  expect(many.flushed - 100).toBeLessThan(60)
  await store.close()
})

it('calls that come before a flush of their folder has begun share it, and those after it the next one', async () => {
  const gates: (() => void)[] = []
  const sync = vi.spyOn(handles, 'sync').mockImplementation(() => new Promise((done) => void gates.push(done)))
  const first = Array.from({ length: 10 }, () => syncDirectory(dir))
  await expect.poll(() => sync.mock.calls.length).toBe(1)
  const ended: number[] = []
  const later = Array.from({ length: 10 }, () => syncDirectory(dir))
  for (const [at, flush] of [...first, ...later].entries()) void flush.then(() => ended.push(at))
  gates.shift()?.()
  await Promise.all(first)
  expect(ended.length).toBeLessThanOrEqual(10)
  await expect.poll(() => sync.mock.calls.length).toBe(2)
  gates.shift()?.()
  await Promise.all(later)
  expect(sync).toHaveBeenCalledTimes(2)
  expect(ended.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at))
})

it('a flush that fails is told to all who share it, and the next call begins one of its own', async () => {
  const sync = vi.spyOn(handles, 'sync').mockRejectedValueOnce(new Error('no disk'))
  const shared = await Promise.allSettled([syncDirectory(dir), syncDirectory(dir)])
  expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await syncDirectory(dir)
  expect(sync).toHaveBeenCalledTimes(2)
})
