// @module-tag sampled
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { needs } from '@hub/testing/needs'
import { describeOnce } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { openS3Store } from '../../../src/store/objects/s3.ts'
import { startCeph } from '../../support/ceph.ts'
import { objectStoreContract } from './contract.ts'
import { code, partOf } from './opened-store.ts'

const ceph = await startCeph()

if ('skipped' in ceph) {
  describe('the S3 store', needs(ceph.skipped), () => {
    it('keeps the contract', () => undefined)
  })
} else {
  const { settings } = ceph
  const prefix = () => `test-${randomBytes(6).toString('hex')}`

  objectStoreContract('the S3 store', async () => {
    const store = openS3Store(settings)
    return { store, prefix: prefix(), close: () => store.close() }
  })

  describeOnce('the S3 store on its own', () => {
    it('signs part URLs that require no checksum', async () => {
      const store = openS3Store(settings)
      const key = `${prefix()}/a`
      const uploadId = await store.createUpload(key, {})
      expect((await store.signPart(key, uploadId, partOf(5), 60)).toLowerCase()).not.toContain('checksum')
      await store.abortUpload(key, uploadId)
      await store.close()
    })

    it('copies an object in parts if it is too large for one call', async () => {
      const store = openS3Store(settings, { copyLimits: { singleCopyBytes: 1024, partBytes: 5 * 1024 * 1024 } })
      const from = `${prefix()}/from`
      const to = `${prefix()}/to`
      const bytes = randomBytes(12 * 1024 * 1024)
      await store.put(from, bytes, { sizeBytes: bytes.byteLength })
      const head = await store.copy(from, to)
      expect(head).toEqual({ sizeBytes: bytes.byteLength, etag: expect.stringMatching(/-3$/) })
      expect((await buffer((await store.get(to)).body)).equals(bytes)).toBe(true)
      await store.delete([from, to])
      await store.close()
    })

    it('reports `unavailable`, and no secret, when the server is gone or rejects the request', async () => {
      const gone = openS3Store({ ...settings, endpoint: 'http://127.0.0.1:1' })
      await expect(gone.ping()).rejects.toSatisfy(code('unavailable'))
      const stranger = openS3Store({ ...settings, secretAccessKey: 'another-secret-key' })
      const refused = await stranger.head('a').catch((error: Error) => error)
      expect(refused).toSatisfy(code('unavailable'))
      expect(String(refused)).not.toContain('another-secret-key')
      await Promise.all([gone.close(), stranger.close()])
    })
  })
}
