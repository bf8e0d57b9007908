import { needs } from '@hub/testing/needs'
import { describe, it } from 'vitest'
import { openS3Store } from '../../../src/store/objects/s3.ts'
import { startCeph } from '../../support/ceph.ts'
import { storedPolicySuite } from './support/stored-policy.ts'

const ceph = await startCeph()

if ('skipped' in ceph) {
  describe('a policy in the S3 store', needs(ceph.skipped), () => {
    it('is read by range', () => undefined)
  })
} else {
  storedPolicySuite('the S3 store', false, async () => {
    const store = openS3Store(ceph.settings)
    return { store, close: () => store.close() }
  })
}
