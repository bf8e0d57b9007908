/** A push reads a small file once: what it hashed is what it looks into and sends. */
import { rmSync, writeFileSync } from 'node:fs'
import { stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { localDigest } from '../src/hash.ts'
import { pushFolder } from '../src/internal.ts'
import { silent } from '../src/progress.ts'
import { readOnce } from '../src/read-once.ts'
import { openState } from '../src/state.ts'
import { signature } from '../src/walk.ts'
import { repo, sha256, transferFolder } from './transfer-folder.ts'

const t = transferFolder()
const { client, options, put } = t
const signal = new AbortController().signal

it('keeps files of at most 64 KiB as long as there is room, and each for one who asks for its digest', () => {
  const once = readOnce(70_000)
  const [bytes, other] = [Buffer.alloc(65_536, 'a'), Buffer.alloc(4000, 'b')]
  expect([65_537, 65_536, 0].map(once.hasRoomFor)).toEqual([false, true, true])
  once.keep('a', { sha256: 'of a', bytes })
  expect([4000, 3000].map(once.hasRoomFor)).toEqual([false, true])
  // The same file again takes the place that it has.
  once.keep('a', { sha256: 'of a', bytes })
  expect(once.hasRoomFor(3000)).toBe(true)
  expect([once.bytesOf('a'), once.bytesOf('b')]).toEqual([bytes, null])
  expect([once.take('a', 'of a'), once.take('a', 'of a'), once.hasRoomFor(4000)]).toEqual([bytes, null, true])
  once.keep('b', { sha256: 'of b', bytes: other })
  expect([once.take('b', 'of another'), once.bytesOf('b'), once.hasRoomFor(65_536)]).toEqual([null, null, true])
})

it.each([
  ['as long as it was', 'text', 4, 'text'],
  ['empty', '', 0, ''],
  ['longer by now: as far as it went', 'text and more', 4, 'text'],
])('a file that is %s is kept as it was hashed', async (_, text, size, kept) => {
  const once = readOnce()
  await put('a', text)
  const file = join(t.dir, 'a')
  const stats = signature(await stat(file, { bigint: true }))
  const state = openState(join(t.base, 'cache'), 'http://hub.test', repo)
  expect(await localDigest({ file, ...stats, size }, { state, signal, once })).toBe(sha256(kept))
  expect(once.take(file, sha256(kept))?.toString()).toBe(kept)
  state.close()
})

it('a file that is shorter by now has its own digest, and is not kept', async () => {
  const once = readOnce()
  await put('a', 'text')
  const file = join(t.dir, 'a')
  const stats = signature(await stat(file, { bigint: true }))
  await truncate(file, 2)
  const state = openState(join(t.base, 'cache'), 'http://hub.test', repo)
  expect(await localDigest({ file, ...stats }, { state, signal, once })).toBe(sha256('te'))
  expect(once.bytesOf(file)).toBeNull()
  state.close()
})

it('what a push hashed is what it sends, whatever becomes of the file meanwhile', async () => {
  await put('changed', 'as it was')
  await put('gone', 'was here')
  await put('long', 'l'.repeat(65_537))
  const planned = () => {
    writeFileSync(join(t.dir, 'changed'), 'otherwise')
    rmSync(join(t.dir, 'gone'))
  }
  const progress = { ...silent, planned }
  const report = await pushFolder(client(), repo, t.dir, options({ progress }))
  expect(report).toMatchObject({ failed: [], sent: ['changed', 'gone', 'long'] })
  expect(['changed', 'gone'].map((path) => t.hub.files.get(path)?.bytes.toString())).toEqual(['as it was', 'was here'])
})
