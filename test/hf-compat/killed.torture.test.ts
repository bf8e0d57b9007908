// @module-tag long
/** Commits through kills, wrong bytes and a full quota, on a disk and on a real S3 server. */
import { needs } from '@hub/testing/needs'
import { describe, it } from 'vitest'
import { hubOnCeph, startCeph } from '../support/ceph.ts'
import { commitsOn } from './support/commits-on.ts'

commitsOn('a disk', {})

const ceph = await startCeph()
if ('skipped' in ceph) {
  describe('commits on S3', needs(ceph.skipped), () => {
    it('are there as a whole or not at all', () => undefined)
  })
} else commitsOn('S3', hubOnCeph(ceph.settings))
