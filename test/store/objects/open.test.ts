import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isDiskStore } from '../../../src/store/objects/disk.ts'
import { openObjectStore } from '../../../src/store/objects/open.ts'

const options = { signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' }
const s3 = {
  endpoint: 'http://127.0.0.1:1',
  region: 'x',
  bucket: 'b',
  accessKeyId: 'a',
  secretAccessKey: 's',
  forcePathStyle: true,
}

describe('opening the object store that the settings name', () => {
  it('opens no store for none', async () => {
    const store = await openObjectStore({ objectStore: { kind: 'none' } }, options)
    expect([store, isDiskStore(store)]).toEqual([null, false])
  })

  it('opens S3 without checking that it responds', async () => {
    const store = await openObjectStore({ objectStore: { kind: 's3', s3 } }, options)
    expect([store?.kind, isDiskStore(store)]).toEqual(['s3', false])
    await store?.close()
  })

  it('opens a disk store in a directory that does not exist yet, and again', async () => {
    const home = await mkdtemp(join(tmpdir(), 'hub-open-'))
    const settings = { objectStore: { kind: 'disk', dir: join(home, 'a', 'b') } } as const
    const first = await openObjectStore(settings, options)
    await first?.put('kept', Buffer.from('x'), { sizeBytes: 1 })
    await first?.close()
    const second = await openObjectStore(settings, options)
    expect([isDiskStore(second), (await second?.head('kept'))?.sizeBytes]).toEqual([true, 1])
    await second?.close()
    await rm(home, { recursive: true })
  })

  it('rejects a short signing key', async () => {
    const settings = { objectStore: { kind: 'disk', dir: tmpdir() } } as const
    await expect(openObjectStore(settings, { ...options, signingKey: Buffer.alloc(31) })).rejects.toThrow('32 bytes')
  })
})
