/** Objects of the disk store that were written together: one file, and what a deletion leaves of it. */
import { randomBytes } from 'node:crypto'
import fs, { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type DiskStore, openDiskStore } from '../../../src/store/objects/disk.ts'
import { MOST_TOGETHER, memberKey, memberOf } from '../../../src/store/objects/member-key.ts'
import { code, collect, md5 } from './opened-store.ts'

const GROUP = 'blobs/aa/group'
const key = (index: number) => memberKey(GROUP, index)

let dir: string
let store: DiskStore

const open = () => openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
const packed = () => join(dir, 'objects', `${GROUP}=`)
const bytesAt = async (at: string) => buffer((await store.get(at)).body)
const put = async (bodies: readonly Uint8Array[]) => {
  const { putTogether } = store
  if (!putTogether) throw new Error('The disk store writes many objects at once.')
  return putTogether(GROUP, bodies)
}
const bodiesOf = (count: number, sizeBytes = 10_000) => Array.from({ length: count }, () => randomBytes(sizeBytes))

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-pack-'))
  store = await open()
})
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

it('a key is of a group if it ends in a number that it would have there', () => {
  expect(memberOf('blobs/aa/group/0')).toEqual({ group: GROUP, index: 0 })
  expect(memberOf(key(MOST_TOGETHER - 1))).toEqual({ group: GROUP, index: MOST_TOGETHER - 1 })
  for (const other of [GROUP, '7', `${GROUP}/01`, `${GROUP}/-1`, `${GROUP}/1x`, key(MOST_TOGETHER)])
    expect(memberOf(other)).toBeNull()
})

it('many objects take one new file, one flush of it and one of its folder, and one rename', async () => {
  // The folder is there from the second group on.
  await store.put('blobs/aa/first', Buffer.from('1'), { sizeBytes: 1 })
  const handle = await fs.open(dir, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  const [opened, renamed] = [vi.spyOn(fs, 'open'), vi.spyOn(fs, 'rename')]
  syncBuiltinESMExports()
  await put(bodiesOf(1000, 100))
  expect(opened.mock.calls.filter(([, flags]) => flags !== 'r')).toHaveLength(1)
  expect(sync).toHaveBeenCalledTimes(2)
  expect(renamed).toHaveBeenCalledTimes(1)
})

it('has each of them by its own key, with its own digest, in ranges, and after it is opened again', async () => {
  const bodies = [randomBytes(10_000), Buffer.alloc(0), randomBytes(1), randomBytes(70_000)]
  expect(await put(bodies)).toEqual(bodies.map((bytes) => ({ sizeBytes: bytes.byteLength, etag: md5(bytes) })))
  await store.close()
  store = await open()
  for (const [index, bytes] of bodies.entries()) {
    expect(await store.head(key(index))).toEqual({ sizeBytes: bytes.byteLength, etag: md5(bytes) })
    expect((await bytesAt(key(index))).equals(bytes)).toBe(true)
  }
  const { body } = await store.get(key(3), { range: { start: 9, end: 99 } })
  expect((await buffer(body)).equals(bodies[3]?.subarray(9, 100) as Buffer)).toBe(true)
  await expect(store.get(key(2), { range: { start: 1 } })).rejects.toSatisfy(code('invalid_range'))
  expect(await store.head(key(4))).toBeNull()
})

it('lists them by their keys, beside an object of the group and one under another number', async () => {
  await put(bodiesOf(11, 5))
  await store.put(GROUP, Buffer.from('own'), { sizeBytes: 3 })
  await store.put(key(12), Buffer.from('later'), { sizeBytes: 5 })
  const listed = await collect(store.list('blobs/aa/'))
  const numbers = [0, 1, 10, 12, 2, 3, 4, 5, 6, 7, 8, 9]
  expect(listed.map((one) => one.key).toSorted()).toEqual([GROUP, ...numbers.map(key)])
  expect(await collect(store.list(`${GROUP}/1`))).toHaveLength(3)
  expect(await collect(store.list(`${GROUP}/`))).toHaveLength(12)
  expect(await collect(store.list('blobs/a'))).toHaveLength(13)
})

it('a copy has the bytes alone, and outlives the pack', async () => {
  const [bytes] = bodiesOf(1)
  await put([bytes as Buffer, ...bodiesOf(20)])
  expect(await store.copy(key(0), 'blobs/bb/copy')).toEqual({ sizeBytes: 10_000, etag: md5(bytes as Buffer) })
  await store.delete(Array.from({ length: 21 }, (_, index) => key(index)))
  expect((await bytesAt('blobs/bb/copy')).equals(bytes as Buffer)).toBe(true)
  expect((await stat(join(dir, 'objects/blobs/bb/copy@'))).size).toBeLessThan(11_000)
  await expect(store.copy(key(0), 'blobs/bb/other')).rejects.toSatisfy(code('no_such_object'))
})

it('an object that is put at such a key takes the place of the one in the pack, which does not come back', async () => {
  await put(bodiesOf(2))
  await store.put(key(0), Buffer.from('new'), { sizeBytes: 3 })
  expect((await bytesAt(key(0))).toString()).toBe('new')
  await store.delete([key(0)])
  expect(await store.head(key(0))).toBeNull()
})

it('frees the bytes of deleted ones once they are more than the others, the file with the last one', async () => {
  const bodies = bodiesOf(20, 50_000)
  await put(bodies)
  const blocks = async () => (await stat(packed())).blocks * 512
  const full = await blocks()
  const { ino } = await stat(packed())
  await store.delete([0, 1, 2].map(key))
  // In place.
  expect((await stat(packed())).ino).toBe(ino)
  await store.delete([0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(key))
  expect(await blocks()).toBeLessThan(full / 2)
  for (const [index, bytes] of bodies.entries())
    if (index < 15) expect(await store.head(key(index))).toBeNull()
    else expect((await bytesAt(key(index))).equals(bytes)).toBe(true)
  expect(await collect(store.list(GROUP))).toHaveLength(5)
  await store.delete([15, 16, 17, 18, 19].map(key))
  await store.delete([15].map(key))
  expect(await readdir(join(dir, 'objects'))).toEqual([])
})

it('deletions that come together all count', async () => {
  const bodies = bodiesOf(40, 3000)
  await put(bodies)
  const other = await open()
  await Promise.all(Array.from({ length: 39 }, (_, index) => (index % 2 ? store : other).delete([key(index)])))
  await other.close()
  expect((await collect(store.list(GROUP))).map((one) => one.key)).toEqual([key(39)])
  expect((await bytesAt(key(39))).equals(bodies[39] as Buffer)).toBe(true)
})

it('a reader goes on with the bytes that it began with while the others of its pack are deleted', async () => {
  const bodies = bodiesOf(10, 600_000)
  await put(bodies)
  const { body } = await store.get(key(9))
  await store.delete(Array.from({ length: 10 }, (_, index) => key(index)))
  expect((await buffer(body)).equals(bodies[9] as Buffer)).toBe(true)
})

it('deletes from a full disk: the bytes are freed later', async () => {
  const bodies = bodiesOf(4)
  await put(bodies)
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const rename = vi.spyOn(fs, 'rename').mockImplementation(async (from, to) => {
    if (to === packed()) throw full
    throw Object.assign(new Error(`nothing at ${from}`), { code: 'ENOENT' })
  })
  const write = vi.spyOn(fs, 'writeFile').mockRejectedValue(full)
  syncBuiltinESMExports()
  await store.delete([0, 1, 2].map(key))
  rename.mockRestore()
  write.mockRestore()
  syncBuiltinESMExports()
  expect((await collect(store.list(GROUP))).map((one) => one.key)).toEqual([key(3)])
  expect((await bytesAt(key(3))).equals(bodies[3] as Buffer)).toBe(true)
  await store.delete([key(3)])
  expect(await store.head(key(3))).toBeNull()
})

it('nothing is there of a group whose writing fails or is given up', async () => {
  const failed = vi.spyOn(fs, 'rename').mockRejectedValue(Object.assign(new Error('no disk'), { code: 'EIO' }))
  syncBuiltinESMExports()
  await expect(put(bodiesOf(3))).rejects.toSatisfy(code('unavailable'))
  failed.mockRestore()
  syncBuiltinESMExports()
  const stopped = AbortSignal.abort(new Error('stopped'))
  await expect(store.putTogether?.(GROUP, bodiesOf(3), { signal: stopped })).rejects.toThrow()
  expect(await collect(store.list(''))).toEqual([])
  const [room] = await readdir(join(dir, 'tmp'))
  expect(await readdir(join(dir, 'tmp', room as string))).toEqual(['mark'])
})
