/** A disk store whose disk is taken away, and comes back: nothing is lost, so nothing may look so. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskStore, openDiskStore } from '../../../src/store/objects/disk.ts'

let base: string
let dir: string
let store: DiskStore
let uploadId: string
const part = { key: 'blobs/b', partNumber: 1, sizeBytes: 3 }
async function every(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}
const text = () => Readable.from([Buffer.from('abc')])

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-gone-'))
  dir = join(base, 'objects')
  store = await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
  await store.put('blobs/a', Buffer.from('abc'), { sizeBytes: 3 })
  uploadId = await store.createUpload(part.key, {})
  await store.writePart({ ...part, uploadId, method: 'PUT', expiresAtSeconds: 0 }, text())
})
afterEach(async () => {
  await store.close()
  await rm(base, { recursive: true, force: true })
})

const asked: Record<string, () => Promise<unknown>> = {
  'a head': () => store.head('blobs/a'),
  'a look without bytes': () => store.open('blobs/a', () => 'nothing'),
  'a read': () => store.get('blobs/a'),
  'a write': () => store.put('blobs/c', Buffer.from('abc'), { sizeBytes: 3 }),
  'a copy': () => store.copy('blobs/a', 'blobs/c'),
  'a deletion': () => store.delete(['blobs/a']),
  'a listing': () => every(store.list('blobs/')),
  'an upload': () => store.createUpload('blobs/d', {}),
  'a part': () => store.writePart({ ...part, uploadId, method: 'PUT', expiresAtSeconds: 0 }, text()),
  'a listing of parts': () => store.listParts(part.key, uploadId),
  'a completion': () => store.completeUpload(part.key, uploadId, []),
  'an abort': () => store.abortUpload(part.key, uploadId),
  'a ping': () => store.ping(),
}

describe.each([
  ['a folder that is not there', async () => undefined],
  ['an empty folder in its place, as a disk that is not mounted leaves it', () => mkdir(dir)],
])('%s', (_title, leave) => {
  it.each(Object.keys(asked))('says of %s that the store is not available', async (name) => {
    await rename(dir, `${dir}.away`)
    await leave()
    await expect(asked[name]?.()).rejects.toMatchObject({ code: 'unavailable' })
    await rm(dir, { recursive: true, force: true })
    await rename(`${dir}.away`, dir)
    expect(await store.head('blobs/a')).toMatchObject({ sizeBytes: 3 })
    const parts = await store.listParts(part.key, uploadId)
    expect(await store.completeUpload(part.key, uploadId, parts)).toMatchObject({ sizeBytes: 3 })
  })
})
