/** Backups of a hub on S3: objects copied out, restored to a disk and back, or listed and found again. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { isTorture } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openDb } from '../../src/store/db.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import { openS3Store } from '../../src/store/objects/s3.ts'
import { startCeph } from '../support/ceph.ts'
import { runHub } from '../support/command-line.ts'
import { cloneTemplate } from '../support/database.ts'

const ceph = isTorture ? await startCeph() : { skipped: 'not in torture' }
const key = `blobs/${randomBytes(8).toString('hex')}/x`
const bytes = randomBytes(70_000)
let dir: string
let database: Awaited<ReturnType<typeof cloneTemplate>>

describe('hub backup on S3', needs('skipped' in ceph && ceph.skipped), () => {
  const settings = 'settings' in ceph ? ceph.settings : null
  const s3 = () => ({
    OBJECT_STORE: 's3',
    S3_ENDPOINT: settings?.endpoint ?? '',
    S3_BUCKET: settings?.bucket ?? '',
    S3_ACCESS_KEY_ID: settings?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: settings?.secretAccessKey ?? '',
    S3_FORCE_PATH_STYLE: 'true',
  })
  const onS3 = (...args: string[]) =>
    runHub(['backup', ...args], { DATABASE_URL: database.url, HUB_SECRET: 's'.repeat(32), HUB_DATA_DIR: dir, ...s3() })
  const onDisk = (...args: string[]) =>
    runHub(['backup', ...args], {
      DATABASE_URL: database.url,
      HUB_SECRET: 's'.repeat(32),
      HUB_DATA_DIR: join(dir, 'disk'),
    })

  beforeAll(async () => {
    dir = await mkdtemp(join(inject('runDir'), 's3-'))
    const store = openS3Store(settings ?? expect.fail())
    await store.put(key, bytes, { sizeBytes: bytes.byteLength })
    await store.close()
    const blob = `insert into blobs (id, storage_key, size, claimed) values ('blob_1', $1, $2, repeat('a', 64)), ('blob_2', 'blobs/gone', 1, repeat('a', 64))`
    database = await cloneTemplate()
    const db = openDb({ url: database.url, poolMax: 2 })
    await db.query({ name: '', text: blob }, [key, bytes.byteLength])
    await db.close()
  })
  afterAll(async () => {
    const store = openS3Store(settings ?? expect.fail())
    await store.delete([key])
    await store.close()
    await database.drop()
    await rm(dir, { recursive: true, force: true })
  })

  it('copies the bytes, and says which objects the bucket does not have', async () => {
    const made = await onS3('create', join(dir, 'copied'), '--objects', 'copy', '--json')
    expect([made.code, JSON.parse(made.out).objects]).toEqual([
      1,
      { mode: 'copy', store: 's3', count: 1, bytes: bytes.byteLength, missing: 1, missing_keys: ['blobs/gone'] },
    ])
    expect(await readFile(join(dir, 'copied', 'objects', key, '00001'))).toEqual(bytes)
    expect((await onS3('verify', join(dir, 'copied'))).code).toBe(0)
  })

  it('restores the copies to a disk, or to a bucket that lost them', async () => {
    const read = async (store: Awaited<ReturnType<typeof openDiskStore>> | ReturnType<typeof openS3Store>) => {
      const { body } = await store.get(key)
      const pieces = await body.toArray()
      await store.close()
      return Buffer.concat(pieces)
    }
    expect(await onDisk('restore', join(dir, 'copied'), '--wipe', '--yes')).toMatchObject({ code: 0 })
    const disk = await openDiskStore({
      dir: join(dir, 'disk', 'objects'),
      signingKey: randomBytes(32),
      baseUrl: () => '',
    })
    expect(await read(disk)).toEqual(bytes)
    const store = openS3Store(settings ?? expect.fail())
    await store.delete([key])
    expect(await onS3('restore', join(dir, 'copied'), '--wipe', '--yes')).toMatchObject({ code: 0 })
    expect(await read(store)).toEqual(bytes)
  })

  it('lists keys by default, and a restore finds them in the bucket or says what is missing', async () => {
    expect(JSON.parse((await onS3('create', join(dir, 'listed'), '--json')).out).objects).toMatchObject({
      mode: 'list',
      count: 1,
    })
    expect(await onS3('restore', join(dir, 'listed'), '--wipe', '--yes')).toMatchObject({ code: 0 })
    const store = openS3Store(settings ?? expect.fail())
    await store.delete([key])
    await store.close()
    const restored = await onS3('restore', join(dir, 'listed'), '--wipe', '--yes')
    expect(restored).toMatchObject({
      code: 1,
      out: expect.stringContaining(`restore the store, then run this again: ${key}`),
    })
  })
})
